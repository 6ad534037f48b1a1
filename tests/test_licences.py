"""The licences of everything memdesk is built on can be read in it."""

from __future__ import annotations

from memdesk.licences import built_on


def test_every_library_is_named_with_its_licence() -> None:
    parts = {part.name.lower().replace("_", "-"): part for part in built_on()}
    assert list(parts)[:2] == ["memdesk", "multilingual-e5-small"]
    assert "GNU AFFERO GENERAL PUBLIC LICENSE" in parts["memdesk"].text
    for name in ("chromadb", "numpy", "onnxruntime", "openai", "pyside6-essentials", "pydantic"):
        assert parts[name].version
        assert parts[name].licence or parts[name].text, name
    # Tools of developers are no part of it.
    assert "pytest" not in parts
    assert "mypy" not in parts
    assert sum(bool(part.text) for part in parts.values()) > len(parts) * 0.8
