-- The words of the messages that stand, for finding them again. A row's id is chat × 2^32 + message, so that one
-- chat is a range of it. The words are spelled by chats/finding.py, which triggers cannot do: they only note
-- which messages are out of step.
CREATE VIRTUAL TABLE message_words USING fts5(words, tokenize = "unicode61 remove_diacritics 0");

-- `change` tells a newer change from the one handled; 0 is a message that was never indexed.
CREATE TABLE unindexed_messages (
    message_id INTEGER PRIMARY KEY,
    chat_id    INTEGER NOT NULL,
    change     INTEGER NOT NULL
);
INSERT INTO unindexed_messages SELECT id, chat_id, 0 FROM messages;

CREATE TRIGGER swipe_added_unindexed AFTER INSERT ON swipes BEGIN
    INSERT OR REPLACE INTO unindexed_messages
    SELECT id, chat_id, random() FROM messages WHERE id = NEW.message_id;
END;

CREATE TRIGGER swipe_changed_unindexed AFTER UPDATE OF text, state, position ON swipes BEGIN
    INSERT OR REPLACE INTO unindexed_messages
    SELECT id, chat_id, random() FROM messages WHERE id = NEW.message_id;
END;

CREATE TRIGGER message_changed_unindexed AFTER UPDATE OF active_swipe, trash_id ON messages BEGIN
    INSERT OR REPLACE INTO unindexed_messages VALUES (NEW.id, NEW.chat_id, random());
END;

CREATE TRIGGER message_deleted_unindexed AFTER DELETE ON messages BEGIN
    DELETE FROM message_words WHERE rowid = (OLD.chat_id << 32) + OLD.id;
    DELETE FROM unindexed_messages WHERE message_id = OLD.id;
END;
