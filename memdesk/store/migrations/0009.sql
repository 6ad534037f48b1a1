-- A memory that was merged may hold several pieces of one message.
CREATE TABLE chunk_pieces (
    chunk_id    INTEGER NOT NULL REFERENCES memory_chunks(id) ON DELETE CASCADE,
    message_id  INTEGER NOT NULL,
    piece       INTEGER NOT NULL DEFAULT 0,
    source_hash BLOB NOT NULL,             -- what was said (16 bytes), then how it was cut
    PRIMARY KEY (chunk_id, message_id, piece)
) WITHOUT ROWID;
INSERT INTO chunk_pieces (chunk_id, message_id, piece, source_hash)
SELECT chunk_id, message_id, piece, source_hash FROM chunk_sources;
DROP TABLE chunk_sources;
ALTER TABLE chunk_pieces RENAME TO chunk_sources;
CREATE INDEX chunk_sources_by_message ON chunk_sources(message_id);
