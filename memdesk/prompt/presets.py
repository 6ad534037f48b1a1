"""Presets: the prompts, the sampling and the habits of a request, under a name of their own."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memdesk.chats.model import Role
from memdesk.llm.profile import ConnectionProfile
from memdesk.prompt.injections import DEFAULT_DEPTH, MAX_DEPTH, Injection
from memdesk.prompt.names import NamesChoice
from memdesk.prompt.parts import Placement, Where

MAX_TEXT: Final = 200_000
"""Longest text of a preset, in characters: far beyond what people write, short of what blocks a window."""

MAX_PROMPTS: Final = 300

SAMPLING: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "seed",
)
"""Values that a preset may set; what is None is left to the connection, and then to the server."""

Text = Annotated[str, Field(max_length=MAX_TEXT)]


class FurtherPrompt(BaseModel):
    """One more text of a preset, with a place of its own; kept while switched off."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field("", max_length=200)
    text: Text = ""
    enabled: bool = True
    where: Where = "after_prompt"
    depth: int = Field(DEFAULT_DEPTH, ge=0, le=MAX_DEPTH)
    role: Role = "system"


class Preset(BaseModel):
    """What is said to every character, and how the model is asked.

    Texts may hold macros. A blank main prompt means that none is sent. The formats say how a card's fields
    are introduced; a blank one leaves its field out.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    name: str = Field(min_length=1, max_length=200)
    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=-1, le=1_000_000)
    min_p: float | None = Field(default=None, ge=0, le=1)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    repetition_penalty: float | None = Field(default=None, gt=0, le=5)
    seed: int | None = Field(default=None, ge=-1, le=2**63 - 1)
    reply_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    stop: list[Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        default_factory=list, max_length=64
    )
    names: NamesChoice = "groups"
    main_prompt: Text = ""
    post_history: Text = ""
    personality_format: Text = "{{char}}'s personality: {{personality}}"
    scenario_format: Text = "Scenario: {{scenario}}"
    persona_format: Text = "{{user}}: {{persona}}"
    examples_format: Text = "Examples of how {{char}} writes:\n{{mesExamples}}"
    prompts: list[FurtherPrompt] = Field(default_factory=list, max_length=MAX_PROMPTS)

    def applied(self, profile: ConnectionProfile) -> ConnectionProfile:
        """Return a connection with this preset's values in place of its own, where they are set."""
        changed: dict[str, Any] = {name: getattr(self, name) for name in SAMPLING}
        # A reply as long as the context leaves no room: the budget then says what does not fit.
        if self.reply_tokens is not None:
            changed["reply_tokens"] = min(self.reply_tokens, profile.context_tokens - 1)
        if self.stop:
            changed["stop"] = list(self.stop)
        return profile.model_copy(update={key: value for key, value in changed.items() if value is not None})

    def main_for(self, group: str = "") -> str:
        """Return the main prompt; in a group the built-in ones give way to the one for groups."""
        built_in = self.main_prompt in {preset.main_prompt for preset in BUILT_IN.values()}
        return group if group and built_in else self.main_prompt

    @property
    def chinese(self) -> bool:
        """Whether what memdesk says of itself beside this preset is said in Chinese, as its own words are."""
        return CHINESE.main_prompt == self.main_prompt or CHINESE.scenario_format == self.scenario_format

    def injections(self) -> list[Injection]:
        """Return the further prompts that are switched on, in their order."""
        return [
            Injection(
                "instructions",
                prompt.name or "Further prompt",
                prompt.text,
                Placement(prompt.where, prompt.depth, prompt.role),
            )
            for prompt in self.prompts
            if prompt.enabled
        ]


MAIN_PROMPT: Final = (
    "Write {{char}}'s next reply in an ongoing roleplay between {{char}} and {{user}}. Stay in character, "
    "keep to what has happened, and never write or decide for {{user}}. Put actions in *asterisks* and "
    "speech in quotation marks. Answer in the language the chat is in."
)
"""The built-in main prompt; a card's own stands in its place."""

ENGLISH: Final = Preset(name="Default", main_prompt=MAIN_PROMPT)
CHINESE: Final = Preset(
    name="默认",
    main_prompt=(
        "请写出{{char}}在与{{user}}的角色扮演中的下一条回复。保持{{char}}的性格与口吻，遵循已经发生的情节，"
        "不要替{{user}}说话、行动或做决定。动作写在*星号*之间，对话用引号括起。使用聊天所用的语言回复。"
    ),
    personality_format="{{char}}的性格：{{personality}}",
    scenario_format="情景：{{scenario}}",
    persona_format="{{user}}：{{persona}}",
    examples_format="{{char}}的说话示例：\n{{mesExamples}}",
)

BUILT_IN: Final = {"default": ENGLISH, "default-zh": CHINESE}
"""The presets that are always there, by id."""


def built_in_for(language: str) -> str:
    """Return the id of the built-in preset for a language, given as the name of a locale."""
    return "default-zh" if language.lower().startswith("zh") else "default"


def read_preset(stored: object) -> Preset:
    """Read a preset; values that cannot be used are left out, each by itself.

    Raises ValueError for what is no preset at all.
    """
    if not isinstance(stored, dict):
        raise ValueError("A preset is a table of values.")  # noqa: TRY004 — one error for every bad file
    values = dict(stored)
    while True:
        try:
            return Preset.model_validate(values)
        except ValidationError as error:
            place = error.errors()[0]["loc"]
            if not place or place[0] not in values or place[0] == "name":
                raise ValueError(error.errors()[0]["msg"]) from None
            del values[place[0]]
