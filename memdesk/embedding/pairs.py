"""Sentence pairs that show how an embedding model scores what belongs together, in English and in Chinese.

Each pair is a line of talk and an earlier line that it is about; all other lines are unrelated to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

PAIRS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "en": (
        ("Where did you hide the key to the cellar?", "I put the brass key under the third flowerpot."),
        ("What happened to your brother?", "My brother drowned when the ferry went down."),
        ("Are you afraid of the dark?", "As a child I could not sleep without a burning candle."),
        ("Which colour was her dress that night?", "She wore green silk to the ball."),
        ("How much do we owe the blacksmith?", "The smith wants forty silver pieces for the swords."),
        ("Do you remember our first kiss?", "He pressed his lips to hers beneath the old oak."),
        ("Why do you hate the king?", "The crown's soldiers burned my village to the ground."),
        ("What is the name of your cat?", "The tabby on my windowsill answers to Biscuit."),
        ("Can we cross the mountains before winter?", "Snow closes the pass in November."),
        ("Who taught you to play the violin?", "My grandmother gave me music lessons on Sundays."),
        ("Is the ship ready to sail?", "The crew has loaded the cargo and raised the anchor."),
        ("You promised to stop drinking.", "I swear I will never touch wine again."),
    ),
    "zh": (
        ("地窖的钥匙你藏在哪里了？", "我把铜钥匙压在第三个花盆下面。"),
        ("你哥哥后来怎么样了？", "渡船沉没的时候，我哥哥淹死了。"),
        ("你怕黑吗？", "小时候不点蜡烛我就睡不着。"),
        ("那天晚上她穿什么颜色的裙子？", "她穿着绿色的绸裙去参加舞会。"),
        ("我们欠铁匠多少钱？", "打那几把剑，铁匠要四十枚银币。"),
        ("还记得我们的初吻吗？", "在老橡树下，他吻了她的唇。"),
        ("你为什么恨国王？", "王室的士兵把我的村子烧成了灰。"),
        ("你的猫叫什么名字？", "趴在窗台上的那只花猫叫饼干。"),
        ("入冬前我们翻得过那座山吗？", "一到十一月，大雪就会封住山口。"),
        ("谁教你拉小提琴的？", "每个星期天，奶奶都给我上音乐课。"),
        ("船可以出发了吗？", "水手们装好了货，已经起锚了。"),
        ("你答应过我要戒酒的。", "我发誓再也不碰一滴酒。"),
    ),
}

BELOW: Final = 0.90
"""Share of unrelated lines that shall lie below a similarity of `AT`: what the bundled model has there."""
AT: Final = 0.25

ABOVE: Final = 0.8
"""Lowest share of unrelated lines that must score below the right one. Chance has 0.5."""


@dataclass(frozen=True, slots=True)
class LanguageCheck:
    """How a model did in one language: mean cosines of related and unrelated lines.

    `above` is the share of unrelated lines that scored below the right one, over all questions.
    """

    language: str
    related: float
    unrelated: float
    above: float

    @property
    def ok(self) -> bool:
        """Whether what belongs together scores above what does not."""
        return self.related > self.unrelated and self.above >= ABOVE


@dataclass(frozen=True, slots=True)
class Calibration:
    """The two cosines of an embedding space that make similarity 0 and 1."""

    background: float
    certain: float

    def apply(self, cosines: NDArray[np.float32], background: float | None = None) -> NDArray[np.float32]:
        """Map cosines to 0..1: (cosine - background) / (certain - background), clipped.

        `background` is what a query has in common with texts that were not chosen for it, if known. It is
        believed within a range around the measured one, as with the bundled model.
        """
        width = self.certain - self.background
        low, high = self.background - 0.45 * width, self.background + 0.79 * width
        base = self.background if background is None else min(max(background, low), high)
        scaled = (np.asarray(cosines, np.float32) - base) / max(self.certain - base, 1e-6)
        similarities: NDArray[np.float32] = np.clip(scaled, 0.0, 1.0).astype(np.float32)
        return similarities


def check_language(
    language: str, queries: NDArray[np.float32], passages: NDArray[np.float32]
) -> LanguageCheck:
    """Compare unit vectors [pairs, dimension] of the questions and lines of a language."""
    cosines = queries @ passages.T
    right = np.diag(cosines)
    others = cosines[~np.eye(len(cosines), dtype=bool)]
    above = float(np.mean((cosines < right[:, None])[~np.eye(len(cosines), dtype=bool)]))
    return LanguageCheck(language, float(right.mean()), float(others.mean()), above)


def calibration(cosines: Mapping[str, NDArray[np.float32]]) -> Calibration:
    """Return the calibration of a space from the cosines [pairs, pairs] of each language that works in it.

    Similarity 0 is the median of unrelated lines. Similarity 1 is set so that `BELOW` of them lie below the
    usual threshold `AT`, and no lower than what half of the related lines have.
    """
    unrelated, related = [], []
    for matrix in cosines.values():
        middle = np.median(matrix[~np.eye(len(matrix), dtype=bool)])
        # Languages have medians of their own; what a chat's lines have in common is measured again there.
        unrelated.append(matrix[~np.eye(len(matrix), dtype=bool)] - middle)
        related.append(np.diag(matrix) - middle)
    medians = [np.median(matrix[~np.eye(len(matrix), dtype=bool)]) for matrix in cosines.values()]
    background = float(np.mean(medians))
    threshold = float(np.quantile(np.concatenate(unrelated), BELOW))
    width = max(threshold / AT, float(np.median(np.concatenate(related))), 0.02)
    return Calibration(background, background + width)
