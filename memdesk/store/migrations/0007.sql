-- Presets, and the variables that macros keep.

CREATE TABLE presets (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    key        TEXT NOT NULL,              -- the id in digits, or the name of a built-in one that was changed
    name       TEXT NOT NULL,
    body       TEXT NOT NULL,              -- JSON
    updated_at TEXT NOT NULL,
    trash_id   INTEGER REFERENCES trash(id) ON DELETE CASCADE
);
CREATE INDEX presets_by_key ON presets(key) WHERE trash_id IS NULL;

CREATE TABLE variables (
    chat_id INTEGER NOT NULL,              -- 0: of all chats
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (chat_id, name)
) WITHOUT ROWID;

-- What a chat's variables were before a reply changed them: a reply that is written anew begins from there.
CREATE TABLE variable_turns (
    message_id INTEGER PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE,
    chat_id    INTEGER NOT NULL,
    before     TEXT NOT NULL               -- JSON: name to value
);
CREATE INDEX variable_turns_by_chat ON variable_turns(chat_id);

CREATE TRIGGER variables_of_chat AFTER DELETE ON chats BEGIN
    DELETE FROM variables WHERE chat_id = OLD.id;
    DELETE FROM variable_turns WHERE chat_id = OLD.id;
END;
