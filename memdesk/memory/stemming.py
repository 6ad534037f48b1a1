"""A light English stemmer: plurals and verb endings, nothing that changes what a word means."""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_DOUBLED = frozenset("bdfgmnprt")
_SHORTEST = 3
"""Letters that must stay before an ending is cut."""

_IRREGULAR = {
    form: base
    for base, forms in {
        "be": "am are is was were been being",
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "child": "children",
        "choose": "chose chosen",
        "come": "came",
        "die": "died dying dies",
        "draw": "drew drawn",
        "drink": "drank drunk",
        "drive": "drove driven",
        "eat": "ate eaten",
        "fall": "fell fallen",
        "feel": "felt",
        "fight": "fought",
        "find": "found",
        "fly": "flew flown",
        "forget": "forgot forgotten",
        "give": "gave given",
        "go": "went gone goes",
        "grow": "grew grown",
        "hear": "heard",
        "hide": "hid hidden",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "leave": "left",
        "lose": "lost",
        "make": "made",
        "man": "men",
        "meet": "met",
        "pay": "paid",
        "ride": "rode ridden",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "sing": "sang sung",
        "sleep": "slept",
        "speak": "spoke spoken",
        "steal": "stole stolen",
        "swim": "swam swum",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "throw": "threw thrown",
        "win": "won",
        "wife": "wives",
        "wolf": "wolves",
        "woman": "women",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the common form of an English word in lower case; words of other scripts stay as they are.

    "keys" and "key", "hiding" and "hide", "stopped" and "stop" meet; the result need not be a word.
    """
    known = _IRREGULAR.get(word)
    if known is not None:
        return _without_e(known)
    if len(word) <= _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    return _without_e(_verb(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _verb(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= _SHORTEST - 1 and not _VOWELS.isdisjoint(root):
            doubled = len(root) > _SHORTEST and root[-1] == root[-2] and root[-1] in _DOUBLED
            return root[:-1] if doubled else root
    return word


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > _SHORTEST and word.endswith("e") else word
