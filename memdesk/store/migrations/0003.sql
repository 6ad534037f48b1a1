-- How vectors of a space can be made again (JSON without any key, '' for the bundled model), what is known
-- about its server, and since when no chat uses it.
ALTER TABLE spaces ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE spaces ADD COLUMN facts TEXT NOT NULL DEFAULT '';
ALTER TABLE spaces ADD COLUMN left_at TEXT;

-- The space whose vectors a chat is recalled by. Another embedder takes over when it has made all of its own;
-- `through` is the last memory there was when that began: of later ones both spaces get vectors.
CREATE TABLE chat_spaces (
    chat_id  INTEGER PRIMARY KEY REFERENCES chats(id) ON DELETE CASCADE,
    space_id INTEGER NOT NULL REFERENCES spaces(id) ON DELETE CASCADE,
    through  INTEGER NOT NULL DEFAULT 0
);

INSERT INTO chat_spaces (chat_id, space_id)
SELECT DISTINCT k.chat_id, (SELECT max(v.space_id) FROM vectors v WHERE v.text_hash = k.text_hash)
  FROM memory_chunks k
 WHERE k.id IN (SELECT max(k2.id) FROM memory_chunks k2 JOIN vectors v2 ON v2.text_hash = k2.text_hash
                 GROUP BY k2.chat_id);
