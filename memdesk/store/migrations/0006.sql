-- A version of a message that is in the trash stands at a negative position, so that its receipt and all else
-- that hangs on it stay where they are.
CREATE TABLE trashed_swipes (
    swipe_id INTEGER PRIMARY KEY REFERENCES swipes(id) ON DELETE CASCADE,
    trash_id INTEGER NOT NULL REFERENCES trash(id) ON DELETE CASCADE,
    active   INTEGER NOT NULL              -- whether it was the version that stood
);
CREATE INDEX trashed_swipes_by_trash ON trashed_swipes(trash_id);

CREATE TRIGGER swipe_purged AFTER DELETE ON trashed_swipes BEGIN
    DELETE FROM swipes WHERE id = OLD.swipe_id AND position < 0;
END;

-- A name given to a message, to come back to or to branch from.
CREATE TABLE checkpoints (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX checkpoints_by_message ON checkpoints(message_id);

-- Of which message, the first of all, a branch's message is a copy: receipts name messages by that.
ALTER TABLE messages ADD COLUMN first_id INTEGER;
CREATE INDEX messages_by_first ON messages(first_id) WHERE first_id IS NOT NULL;

