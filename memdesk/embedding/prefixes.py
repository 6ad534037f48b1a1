"""How texts are introduced to embedding models: many were trained to tell questions from passages by it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Prefixes(NamedTuple):
    """What stands before a text to search with, and before a text to be found; `name` is the profile's."""

    name: str
    query: str
    passage: str


_TASK: Final = "Instruct: Given a line of a story, find earlier lines that belong to it\nQuery: "
_SEARCH: Final = "Represent this sentence for searching relevant passages: "

NONE: Final = Prefixes("none", "", "")
PROFILES: Final[dict[str, Prefixes]] = {
    item.name: item
    for item in (
        NONE,
        Prefixes("e5", "query: ", "passage: "),
        Prefixes("nomic", "search_query: ", "search_document: "),
        Prefixes("arctic2", "query: ", ""),
        Prefixes("search", _SEARCH, ""),
        Prefixes("bge-zh", "为这个句子生成表示以用于检索相关文章：", ""),
        Prefixes("gemma", "task: search result | query: ", "title: none | text: "),
        Prefixes("instruct", _TASK, ""),
    )
}
"""The profiles by name, from the models' own descriptions."""


def prefixes_for(model: str) -> Prefixes:
    """Return the prefixes that a model of this name was trained with; none for unknown ones."""
    name = model.casefold().replace("_", "-")
    if "instruct" in name or "qwen3-embedding" in name or "e5-mistral" in name:
        profile = "instruct"
    elif "e5" in name.replace("/", "-").split("-") or "-e5-" in name:
        profile = "e5"
    elif "nomic-embed" in name:
        profile = "nomic"
    elif "arctic-embed" in name:
        profile = "arctic2" if any(sign in name for sign in ("v2", "embed2", "2.0")) else "search"
    elif "embeddinggemma" in name or "embedding-gemma" in name:
        profile = "gemma"
    elif "bge-" in name and "-zh" in name:
        profile = "bge-zh"
    elif "mxbai-embed" in name or ("bge-" in name and "-en" in name):
        profile = "search"
    else:
        profile = "none"
    return PROFILES[profile]


def chosen_prefixes(choice: str, model: str, query: str = "", passage: str = "") -> Prefixes:
    """Return the prefixes of a choice: "auto" (by the model's name), "custom" (both texts), or a profile."""
    if choice == "custom":
        return Prefixes("custom", query, passage)
    return PROFILES.get(choice) or prefixes_for(model)
