-- The Data Bank: files that chats may read in. The original lies in the folder of files, by its hash.

CREATE TABLE attachments (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    scope       TEXT NOT NULL,             -- global, character, chat
    chat_id     INTEGER REFERENCES chats(id) ON DELETE CASCADE,    -- of scope chat only
    position    INTEGER NOT NULL,          -- order inside the scope, by hand
    name        TEXT NOT NULL,
    kind        TEXT NOT NULL,             -- pdf, docx, …
    bytes       INTEGER NOT NULL,
    file        TEXT NOT NULL,             -- hash of the original
    extracted   BLOB NOT NULL,             -- zlib-compressed JSON: the blocks as they were read
    edited      TEXT,                      -- the text as a person made it, NULL while it is as it was read
    chars       INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    enabled     INTEGER NOT NULL DEFAULT 1,
    mode        TEXT NOT NULL DEFAULT 'auto',      -- auto, whole, search
    chunk_chars INTEGER NOT NULL,
    overlap     INTEGER NOT NULL,          -- percent
    revision    INTEGER NOT NULL DEFAULT 0,        -- counts how often it was cut anew
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    trash_id    INTEGER REFERENCES trash(id) ON DELETE CASCADE
);
CREATE INDEX attachments_by_chat ON attachments(chat_id) WHERE chat_id IS NOT NULL;
CREATE INDEX attachments_by_trash ON attachments(trash_id) WHERE trash_id IS NOT NULL;

-- The characters that a file of scope character belongs to: one file, kept once.
CREATE TABLE attachment_characters (
    attachment_id INTEGER NOT NULL REFERENCES attachments(id) ON DELETE CASCADE,
    character_id  INTEGER NOT NULL REFERENCES characters(id) ON DELETE CASCADE,
    PRIMARY KEY (attachment_id, character_id)
) WITHOUT ROWID;
CREATE INDEX attachment_characters_by_character ON attachment_characters(character_id);

CREATE TABLE attachment_chunks (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    attachment_id INTEGER NOT NULL REFERENCES attachments(id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    text          TEXT NOT NULL,
    place         TEXT NOT NULL,           -- JSON: where it begins and ends
    tokens        INTEGER NOT NULL,
    enabled       INTEGER NOT NULL DEFAULT 1,
    pinned        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX attachment_chunks_by_attachment ON attachment_chunks(attachment_id, position);

-- A chunk is longer than the embedder reads, so it has a vector for each of its pieces.
CREATE TABLE attachment_pieces (
    chunk_id  INTEGER NOT NULL REFERENCES attachment_chunks(id) ON DELETE CASCADE,
    piece     INTEGER NOT NULL,
    start     INTEGER NOT NULL,            -- characters of the chunk's text
    stop      INTEGER NOT NULL,
    text_hash BLOB NOT NULL,
    PRIMARY KEY (chunk_id, piece)
) WITHOUT ROWID;
CREATE INDEX attachment_pieces_by_hash ON attachment_pieces(text_hash);

CREATE VIRTUAL TABLE attachment_words USING fts5(words, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE attachment_terms USING fts5vocab(attachment_words, row);

CREATE TRIGGER attachment_chunk_deleted AFTER DELETE ON attachment_chunks BEGIN
    DELETE FROM attachment_words WHERE rowid = OLD.id;
END;

-- What is deleted with its last character, or with its chat, leaves no file behind.
CREATE TABLE dropped_files (file TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TRIGGER attachment_deleted AFTER DELETE ON attachments BEGIN
    INSERT OR IGNORE INTO dropped_files VALUES (OLD.file);
END;

CREATE TRIGGER attachment_unlinked AFTER DELETE ON attachment_characters BEGIN
    DELETE FROM attachments WHERE id = OLD.attachment_id AND scope = 'character'
       AND NOT EXISTS (SELECT 1 FROM attachment_characters WHERE attachment_id = OLD.attachment_id);
END;
