"""The macros, each with what it gives now in the chat that is open."""

from __future__ import annotations

import html

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtGui import Qt as TextQt
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from memdesk.chats.text import clean, one_line
from memdesk.prompt.macros.catalogue import CATALOGUE
from memdesk.ui.dialogs.pieces import Field, Notice, TextBox, column, fit, plain_label, push_button, row
from memdesk.ui.errors import explain
from memdesk.ui.session import Session

translate = QCoreApplication.translate

SHOWN = 120
"""Characters of a value that a row shows; all of it is in its tooltip, up to `TIP`."""

TIP = 1000


def macro_words(code: str) -> str:
    """Return what a macro is about."""
    return {
        "user": translate("Macros", "Your name: that of the persona you play."),
        "char": translate("Macros", "The character who replies; <BOT> and <CHAR> mean the same."),
        "group": translate("Macros", "All characters of a group; the character where there is only one."),
        "char_if_not_group": translate("Macros", "The character, or in a group all of them."),
        "persona": translate("Macros", "The description of your persona."),
        "description": translate("Macros", "The description on the character's card."),
        "personality": translate("Macros", "The personality on the card."),
        "scenario": translate("Macros", "The scenario of the chat, or that on the card."),
        "examples": translate("Macros", "The example messages on the card."),
        "version": translate("Macros", "The version that the card says it is."),
        "summary": translate("Macros", "The summaries of this chat that are switched on."),
        "original": translate(
            "Macros", "In a card's own prompts: the preset's prompt that it stands in for."
        ),
        "input": translate("Macros", "What you are writing."),
        "last": translate("Macros", "The last message."),
        "last_user": translate("Macros", "Your last message."),
        "last_char": translate("Macros", "The last message of a character."),
        "last_id": translate("Macros", "The number of the last message."),
        "idle": translate("Macros", "How long you were silent before your last message."),
        "time": translate("Macros", "The time on this computer."),
        "date": translate("Macros", "The date on this computer."),
        "weekday": translate("Macros", "The day of the week."),
        "format": translate("Macros", "Date and time, written as you like."),
        "utc": translate("Macros", "The time at an offset from UTC."),
        "difference": translate("Macros", "How far two times are apart."),
        "random": translate("Macros", "One of several, chosen anew for each prompt."),
        "pick": translate("Macros", "One of several, always the same in this chat and at this place."),
        "roll": translate("Macros", "The sum of dice."),
        "set": translate("Macros", "Sets a variable of this chat, and is nothing itself."),
        "get": translate("Macros", "The value of a variable of this chat."),
        "add": translate("Macros", "Adds a number to a variable, or puts a text behind it."),
        "step": translate("Macros", "Counts a variable up or down by 1, and is its new value."),
        "global": translate(
            "Macros", "Variables of all chats: “global” stands before “var” in every one of these macros."
        ),
        "newline": translate("Macros", "A line break."),
        "trim": translate("Macros", "Takes away itself and the line breaks around it."),
        "nothing": translate("Macros", "Nothing; for notes to yourself."),
    }[code]


class MacrosDialog(QDialog):
    """A table of macros, and a line to try any of them."""

    def __init__(self, session: Session, chat_id: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat_id = chat_id
        self.setWindowTitle(self.tr("Macros"))
        words = plain_label(
            self.tr(
                "Macros work in cards, personas, presets and the author's note. Upper and lower case are the "
                "same; what is no macro stays as it is written. Variables change when a reply has come."
            ),
            "soft",
        )
        self._table = QTableWidget(len(CATALOGUE), 3, self)
        self._table.setAccessibleName(self.tr("Macros"))
        self._table.setHorizontalHeaderLabels([self.tr("Macro"), self.tr("What it is"), self.tr("Now")])
        self._table.verticalHeader().hide()
        self._table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setWordWrap(False)
        head = self._table.horizontalHeader()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        head.resizeSection(1, 330)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        # Tab leaves the table; the arrows walk in it.
        self._table.setTabKeyNavigation(False)
        self._table.setShowGrid(False)
        for place, (macro, code) in enumerate(CATALOGUE):
            self._put(place, 0, macro)
            self._put(place, 1, macro_words(code))
            self._put(place, 2, "")
        self._table.itemActivated.connect(lambda item: self._copy(item.row()))
        self._table.setToolTip(self.tr("Double-click or press Enter to copy a macro."))
        self._try = TextBox(2)
        self._try.textChanged.connect(self._ask)
        self._field = Field(self.tr("Try it"), self._try)
        self._field.set_hint(self.tr("Write a text with macros; what the model would read appears below."))
        self._result = plain_label("", parent=self)
        self._result.setAccessibleName(self.tr("What the model would read"))
        self._problem = Notice("wait")
        close = push_button(self.tr("Close"), parent=self)
        close.clicked.connect(self.accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = column(words, self._table, self._field, self._result, self._problem, parent=self)
        layout.setStretch(1, 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        fit(self, 960, 660)
        self._ask()

    def _put(self, place: int, column_: int, text: str) -> None:
        item = QTableWidgetItem(one_line(text, SHOWN))
        tip = text[:TIP]
        # A tooltip must not take what people write for a page.
        item.setToolTip(html.escape(tip) if TextQt.mightBeRichText(tip) else tip)
        item.setFlags(Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled)
        self._table.setItem(place, column_, item)

    def _ask(self) -> None:
        if self._chat_id is None:
            self._problem.say(self.tr("Open a chat to see what macros give in it."))
            return
        chat_id, conversation = self._chat_id, self._session.workspace.conversation
        texts = [macro for macro, _ in CATALOGUE] + [clean(self._try.text())]
        self._session.background.read(
            lambda: conversation.expand(chat_id, texts),
            self._show,
            failed=lambda error: self._problem.say(explain(error)),
            owner=self,
        )

    def _show(self, values: list[str]) -> None:
        self._problem.say("")
        for place, value in enumerate(values[:-1]):
            macro = CATALOGUE[place][0]
            self._put(place, 2, "" if value == macro else value)
        self._result.setText(values[-1][:TIP])

    def _copy(self, place: int) -> None:
        QGuiApplication.clipboard().setText(CATALOGUE[place][0])
