"""The binary tokenizer that ships is what the script makes of the model's own."""

from __future__ import annotations

from pathlib import Path

from convert_tokenizer import convert

from memdesk.assets import asset


def test_the_shipped_file_is_made_by_the_script(tmp_path: Path) -> None:
    made = tmp_path / "tokenizer.model"
    convert(asset("model", "tokenizer.json"), made)
    assert made.read_bytes() == asset("model", "tokenizer.model").read_bytes()
