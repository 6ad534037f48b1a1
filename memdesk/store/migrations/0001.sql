-- Times are ISO 8601 in UTC. A row with a trash_id is deleted, but can be restored until its trash row goes.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE trash (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,              -- character, chat, messages, persona, memories
    label      TEXT NOT NULL,              -- what the person reads in the list
    chat_id    INTEGER,
    deleted_at TEXT NOT NULL
);

CREATE TABLE characters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    card       TEXT NOT NULL,              -- a whole V3 card as JSON, unknown fields kept
    avatar     TEXT,                       -- content hash in files/
    sample     TEXT,                       -- id of the shipped sample it came from
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    trash_id   INTEGER REFERENCES trash(id) ON DELETE CASCADE
);

CREATE TABLE personas (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    avatar      TEXT,
    is_default  INTEGER NOT NULL DEFAULT 0,
    created_at  TEXT NOT NULL,
    trash_id    INTEGER REFERENCES trash(id) ON DELETE CASCADE
);

CREATE TABLE chats (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    title         TEXT NOT NULL,
    kind          TEXT NOT NULL DEFAULT 'single',
    mode          TEXT NOT NULL DEFAULT 'roleplay',
    persona_id    INTEGER REFERENCES personas(id) ON DELETE SET NULL,
    settings      TEXT NOT NULL DEFAULT '{}',
    branch_chat   INTEGER,                 -- where a branch comes from
    branch_message INTEGER,
    sample        TEXT,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    trash_id      INTEGER REFERENCES trash(id) ON DELETE CASCADE
);

CREATE TABLE chat_members (
    chat_id      INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    character_id INTEGER NOT NULL REFERENCES characters(id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    PRIMARY KEY (chat_id, character_id)
) WITHOUT ROWID;

CREATE TABLE messages (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id      INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,         -- order in the chat; gaps are allowed
    role         TEXT NOT NULL,            -- user, assistant, system
    name         TEXT NOT NULL,
    character_id INTEGER REFERENCES characters(id) ON DELETE SET NULL,
    persona_id   INTEGER REFERENCES personas(id) ON DELETE SET NULL,
    created_at   TEXT NOT NULL,
    hidden       INTEGER NOT NULL DEFAULT 0,
    active_swipe INTEGER NOT NULL DEFAULT 0,  -- position of the swipe that stands
    extra        TEXT NOT NULL DEFAULT '{}',
    trash_id     INTEGER REFERENCES trash(id) ON DELETE CASCADE
);
CREATE INDEX messages_by_chat ON messages(chat_id, position) WHERE trash_id IS NULL;
CREATE INDEX messages_by_trash ON messages(trash_id) WHERE trash_id IS NOT NULL;

CREATE TABLE swipes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id  INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    text        TEXT NOT NULL,
    state       TEXT NOT NULL,             -- done, streaming, stopped, interrupted, failed
    tokens      INTEGER,
    model       TEXT NOT NULL DEFAULT '',
    reasoning   TEXT NOT NULL DEFAULT '',
    error       TEXT NOT NULL DEFAULT '',
    generation  TEXT NOT NULL DEFAULT '{}',
    created_at  TEXT NOT NULL,
    finished_at TEXT,
    UNIQUE (message_id, position)
);
CREATE INDEX swipes_uncounted ON swipes(id) WHERE tokens IS NULL;
CREATE INDEX swipes_unfinished ON swipes(state) WHERE state = 'streaming';

CREATE TABLE memory_chunks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id     INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    text        TEXT NOT NULL,
    text_hash   BLOB NOT NULL,             -- key into vectors
    speakers    TEXT NOT NULL DEFAULT '[]',
    tokens      INTEGER NOT NULL,
    first_time  TEXT NOT NULL,
    last_time   TEXT NOT NULL,
    frozen      INTEGER NOT NULL DEFAULT 0,
    pinned      INTEGER NOT NULL DEFAULT 0,
    enabled     INTEGER NOT NULL DEFAULT 1,
    edited      INTEGER NOT NULL DEFAULT 0,
    origin      TEXT NOT NULL DEFAULT 'native',  -- native, imported, note
    error       TEXT NOT NULL DEFAULT '',
    created_at  TEXT NOT NULL
);
CREATE INDEX memory_chunks_by_chat ON memory_chunks(chat_id, text_hash);
-- Asked for before each reply; few chunks are pinned.
CREATE INDEX memory_chunks_pinned ON memory_chunks(chat_id) WHERE pinned = 1;
-- Few of many thousands are; their messages are compared each time the list is read.
CREATE INDEX memory_chunks_kept ON memory_chunks(chat_id) WHERE frozen OR edited OR pinned OR NOT enabled;

-- A source keeps its message's id even when the message is gone: a frozen chunk outlives its source.
CREATE TABLE chunk_sources (
    chunk_id    INTEGER NOT NULL REFERENCES memory_chunks(id) ON DELETE CASCADE,
    message_id  INTEGER NOT NULL,
    source_hash BLOB NOT NULL,             -- hash of the speaker and text that were read
    piece       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chunk_id, message_id)
) WITHOUT ROWID;
CREATE INDEX chunk_sources_by_message ON chunk_sources(message_id);

-- Which memories were sent for which reply; the receipt tells the rest.
CREATE TABLE chunk_recalls (
    chunk_id INTEGER NOT NULL,
    swipe_id INTEGER NOT NULL REFERENCES swipes(id) ON DELETE CASCADE,
    PRIMARY KEY (chunk_id, swipe_id)
) WITHOUT ROWID;
CREATE INDEX chunk_recalls_by_swipe ON chunk_recalls(swipe_id);

-- Memories in the trash, whole: no search meets them there, and they come back exactly.
CREATE TABLE forgotten_chunks (
    id       INTEGER PRIMARY KEY,
    trash_id INTEGER NOT NULL REFERENCES trash(id) ON DELETE CASCADE,
    chat_id  INTEGER NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
    body     TEXT NOT NULL                 -- JSON: row, words, sources, revisions, recalls
);
CREATE INDEX forgotten_chunks_by_trash ON forgotten_chunks(trash_id);
CREATE INDEX forgotten_chunks_by_chat ON forgotten_chunks(chat_id);

-- What a person forgot is not made again while the message stays as it is; a rebuild clears this.
CREATE TABLE forgotten_sources (
    message_id  INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
    source_hash BLOB NOT NULL,
    piece       INTEGER NOT NULL,
    PRIMARY KEY (message_id, source_hash, piece)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE chunk_words USING fts5(chat, words, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE chunk_terms USING fts5vocab(chunk_words, 'col');

CREATE TABLE spaces (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL
);

CREATE TABLE vectors (
    space_id  INTEGER NOT NULL REFERENCES spaces(id) ON DELETE CASCADE,
    text_hash BLOB NOT NULL,
    vector    BLOB NOT NULL                -- float32, little endian, unit length
);
CREATE UNIQUE INDEX vectors_by_hash ON vectors(space_id, text_hash);

-- Prompts repeat themselves from turn to turn: every text of a receipt is kept once, by its hash.
CREATE TABLE receipt_texts (
    hash BLOB PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE receipts (
    swipe_id   INTEGER PRIMARY KEY REFERENCES swipes(id) ON DELETE CASCADE,
    body       BLOB NOT NULL,              -- zlib-compressed JSON that names texts by hash
    created_at TEXT NOT NULL
);

CREATE TABLE revisions (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL,                 -- swipe, chunk, character
    item_id INTEGER NOT NULL,
    before  TEXT NOT NULL,
    actor   TEXT NOT NULL,                 -- person, automatic, import
    at      TEXT NOT NULL
);
CREATE INDEX revisions_by_item ON revisions(kind, item_id);

CREATE TRIGGER chunk_deleted AFTER DELETE ON memory_chunks BEGIN
    DELETE FROM revisions WHERE kind = 'chunk' AND item_id = OLD.id;
    DELETE FROM chunk_recalls WHERE chunk_id = OLD.id;
END;

-- Messages whose chunks may be out of step. Written by triggers in the transaction that changes a message,
-- so that nothing is forgotten whenever memdesk ends; `change` tells a newer change from the one handled.
CREATE TABLE stale_messages (
    message_id INTEGER PRIMARY KEY,
    chat_id    INTEGER NOT NULL,
    change     INTEGER NOT NULL
);

CREATE TRIGGER swipe_added AFTER INSERT ON swipes BEGIN
    INSERT OR REPLACE INTO stale_messages
    SELECT id, chat_id, random() FROM messages WHERE id = NEW.message_id;
END;

CREATE TRIGGER swipe_changed AFTER UPDATE OF text, state ON swipes BEGIN
    INSERT OR REPLACE INTO stale_messages
    SELECT id, chat_id, random() FROM messages WHERE id = NEW.message_id;
END;

CREATE TRIGGER message_changed AFTER UPDATE OF active_swipe, trash_id, name, hidden ON messages BEGIN
    INSERT OR REPLACE INTO stale_messages VALUES (NEW.id, NEW.chat_id, random());
END;

CREATE TRIGGER message_deleted AFTER DELETE ON messages BEGIN
    INSERT OR REPLACE INTO stale_messages VALUES (OLD.id, OLD.chat_id, random());
END;
