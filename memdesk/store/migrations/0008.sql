-- Counts what happened to a chat's chunks other than a new one at the end, so that what is held of them in
-- memory need not be compared with all of them before each reply.
CREATE TABLE chunk_sets (
    chat_id INTEGER PRIMARY KEY,
    changes INTEGER NOT NULL
);

CREATE TRIGGER chunk_set_shrank AFTER DELETE ON memory_chunks BEGIN
    INSERT INTO chunk_sets VALUES (OLD.chat_id, 1) ON CONFLICT (chat_id) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER chunk_set_edited AFTER UPDATE OF text_hash ON memory_chunks BEGIN
    INSERT INTO chunk_sets VALUES (NEW.chat_id, 1) ON CONFLICT (chat_id) DO UPDATE SET changes = changes + 1;
END;

-- A chunk that comes back from the trash has its old id, which is not the highest.
CREATE TRIGGER chunk_set_restored AFTER INSERT ON memory_chunks
WHEN NEW.id < (SELECT max(id) FROM memory_chunks) BEGIN
    INSERT INTO chunk_sets VALUES (NEW.chat_id, 1) ON CONFLICT (chat_id) DO UPDATE SET changes = changes + 1;
END;
