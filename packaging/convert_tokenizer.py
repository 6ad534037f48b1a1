#!/usr/bin/env python3
"""Write resources/model/tokenizer.model from the model's own tokenizer.json.

usage: convert_tokenizer.py TOKENIZER_JSON OUT

Both hold the same 250,002 pieces with their scores and the same table of compatibility characters; the
`tokenizers` package reads the JSON in one to two seconds and stops every other Python thread meanwhile, while
SentencePiece reads the binary form faster and lets the window live on. The ids are the same but for white
space at the end of a text, and for words like “<s>” in it, which are text here and never special.
Needs sentencepiece and protobuf. The output is the same for the same input, to the byte.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

from sentencepiece import sentencepiece_model_pb2 as model_format

UNIGRAM = 1
SPECIAL = {"<s>", "<pad>", "</s>", "<mask>"}
UNKNOWN = "<unk>"


def convert(source: Path, target: Path) -> None:
    """Write the SentencePiece form of a tokenizer.json of the XLM-R family."""
    tokenizer = json.loads(source.read_text("utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    kinds = model_format.ModelProto.SentencePiece
    model = model_format.ModelProto()
    places = {}
    for number, (text, score) in enumerate(vocabulary):
        piece = model.pieces.add(piece=text, score=score)
        piece.type = kinds.UNKNOWN if text == UNKNOWN else kinds.CONTROL if text in SPECIAL else kinds.NORMAL
        places[text] = number
    trainer = model.trainer_spec
    trainer.model_type = UNIGRAM
    trainer.vocab_size = len(vocabulary)
    trainer.bos_id, trainer.pad_id = places["<s>"], places["<pad>"]
    trainer.eos_id, trainer.unk_id = places["</s>"], places[UNKNOWN]
    trainer.bos_piece, trainer.pad_piece, trainer.eos_piece, trainer.unk_piece = (
        "<s>",
        "<pad>",
        "</s>",
        UNKNOWN,
    )
    normalizer = model.normalizer_spec
    normalizer.name = "nmt_nfkc"
    table = tokenizer["normalizer"]["normalizers"][0]["precompiled_charsmap"]
    normalizer.precompiled_charsmap = base64.b64decode(table)
    target.write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
    print(sys.argv[2], Path(sys.argv[2]).stat().st_size, "bytes")
