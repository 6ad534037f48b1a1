-- Summary entries: what a person or a model wrote about part of a chat.

CREATE TABLE summary_entries (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id       INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,        -- order in the list and in the prompt; gaps are allowed
    title         TEXT NOT NULL,
    text          TEXT NOT NULL,
    origin        TEXT NOT NULL,           -- manual, automated, legacy
    source_mode   TEXT NOT NULL,           -- last, range, agent
    enabled       INTEGER NOT NULL DEFAULT 1,
    frozen        INTEGER NOT NULL DEFAULT 0,
    edited        INTEGER NOT NULL DEFAULT 0,
    proposed      INTEGER NOT NULL DEFAULT 0,  -- waits to be approved; nothing is sent of it
    superseded_by INTEGER,                 -- the later rolling summary that took this one in
    tokens        INTEGER NOT NULL,
    template      TEXT NOT NULL DEFAULT '',
    model         TEXT NOT NULL DEFAULT '',
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    trash_id      INTEGER REFERENCES trash(id) ON DELETE CASCADE
);
CREATE INDEX summary_entries_by_chat ON summary_entries(chat_id, position) WHERE trash_id IS NULL;
CREATE INDEX summary_entries_by_trash ON summary_entries(trash_id) WHERE trash_id IS NOT NULL;

-- The messages that an entry covers. A row outlives its message, so that an entry can say what it lost.
CREATE TABLE summary_sources (
    entry_id    INTEGER NOT NULL REFERENCES summary_entries(id) ON DELETE CASCADE,
    message_id  INTEGER NOT NULL,
    source_hash BLOB NOT NULL,             -- of the speaker and text that were read
    hidden      INTEGER NOT NULL DEFAULT 0,    -- this entry hid the message from the model
    PRIMARY KEY (entry_id, message_id)
) WITHOUT ROWID;
CREATE INDEX summary_sources_by_message ON summary_sources(message_id);

CREATE TRIGGER summary_deleted AFTER DELETE ON summary_entries BEGIN
    DELETE FROM revisions WHERE kind = 'summary' AND item_id = OLD.id;
END;
