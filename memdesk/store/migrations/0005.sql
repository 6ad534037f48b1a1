-- Group chats: a muted member never replies by itself; talkativeness is NULL where the card's own counts.
ALTER TABLE chat_members ADD COLUMN muted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chat_members ADD COLUMN talkativeness REAL;
