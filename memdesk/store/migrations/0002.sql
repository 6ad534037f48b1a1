-- What the gallery shows of a card, read out of it at each writing: cards with lorebooks are large, and the
-- gallery shows a thousand at once. `picture` is the PNG that a character came in, whole.
ALTER TABLE characters ADD COLUMN favourite INTEGER NOT NULL DEFAULT 0;
ALTER TABLE characters ADD COLUMN picture TEXT;
ALTER TABLE characters ADD COLUMN head TEXT NOT NULL DEFAULT '{}';

UPDATE characters SET
    favourite = coalesce(json_extract(card, '$.data.extensions.fav') IN (1, 'true'), 0),
    head = json_object(
        'nickname', coalesce(json_extract(card, '$.data.nickname'), ''),
        'creator', coalesce(json_extract(card, '$.data.creator'), ''),
        'tags', CASE json_type(card, '$.data.tags')
                WHEN 'array' THEN json(json_extract(card, '$.data.tags')) ELSE json('[]') END,
        'line', substr(coalesce(nullif(trim(json_extract(card, '$.data.creator_notes')), ''),
                                json_extract(card, '$.data.description'), ''), 1, 400))
 WHERE json_valid(card);

-- `key` names a persona in files, wherever they travel; `position` is prompt, note_top, note_bottom, depth or
-- none; `extra` keeps what another program's file said beside that.
ALTER TABLE personas ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE personas ADD COLUMN position TEXT NOT NULL DEFAULT 'prompt';
ALTER TABLE personas ADD COLUMN depth INTEGER NOT NULL DEFAULT 2;
ALTER TABLE personas ADD COLUMN role TEXT NOT NULL DEFAULT 'system';
ALTER TABLE personas ADD COLUMN extra TEXT NOT NULL DEFAULT '{}';
UPDATE personas SET key = lower(hex(randomblob(16))) || '.png';
