"""Pictures and cards that the tests make themselves."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any


def chunk(kind: bytes, body: bytes = b"", *, checksum: int | None = None, length: int | None = None) -> bytes:
    right = zlib.crc32(kind + body)
    return (
        struct.pack(">I", len(body) if length is None else length)
        + kind
        + body
        + struct.pack(">I", right if checksum is None else checksum)
    )


def picture(*extra: bytes, width: int = 2, height: int = 3) -> bytes:
    """Return a small RGB PNG with `extra` chunks before its end, made without any library."""
    rows = b"".join(b"\0" + bytes([10, 200, 30]) * width for _ in range(height))
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            chunk(b"IDAT", zlib.compress(rows)),
            *extra,
            chunk(b"IEND"),
        ]
    )


def packed(card: Any) -> bytes:
    return base64.b64encode(json.dumps(card, ensure_ascii=False).encode())


def text(keyword: str, value: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + value)


def ztext(keyword: str, value: bytes) -> bytes:
    return chunk(b"zTXt", keyword.encode("latin-1") + b"\0\0" + zlib.compress(value, 9))


def itext(keyword: str, value: bytes, *, compressed: bool) -> bytes:
    body = zlib.compress(value, 9) if compressed else value
    head = keyword.encode("latin-1") + b"\0" + bytes([compressed, 0]) + b"en\0translated\0"
    return chunk(b"iTXt", head + body)


def v1(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Mira",
        "description": "A lighthouse keeper.",
        "personality": "patient",
        "scenario": "A storm is coming.",
        "first_mes": "*She looks up.* You came.",
        "mes_example": "<START>\n{{user}}: Hi\n{{char}}: Hello.",
        **fields,
    }


def v2(**fields: Any) -> dict[str, Any]:
    data = {
        **v1(),
        "creator_notes": "Made for a test.",
        "system_prompt": "Stay in character.",
        "post_history_instructions": "Be brief.",
        "alternate_greetings": ["Hello?", "Who is there?"],
        "tags": ["sea", "storm"],
        "creator": "tester",
        "character_version": "1.2",
        "extensions": {"talkativeness": "0.5", "depth_prompt": {"prompt": "", "depth": "", "role": "system"}},
        "character_book": {"name": "Sea", "entries": [{"keys": ["lamp"], "content": "Brass.", "odd": [1]}]},
        **fields,
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def v3(**fields: Any) -> dict[str, Any]:
    card = v2(
        **{
            "nickname": "Mi",
            "group_only_greetings": [],
            "source": ["https://example.org/mira"],
            "creation_date": 1_700_000_000,
            "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
            **fields,
        }
    )
    return {**card, "spec": "chara_card_v3", "spec_version": "3.0"}


def as_json(card: Any) -> bytes:
    return json.dumps(card, ensure_ascii=False).encode()
