"""What a backfill will summarise and cost, before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QListWidget, QWidget

from memdesk.chats.text import one_line
from memdesk.ui.dialogs.pieces import Notice, column, fit, plain_label, push_button, row
from memdesk.ui.reasons import model_name

if TYPE_CHECKING:
    from memdesk.memory.summaries.automatic import Plan

SHOWN = 200
"""Batches that are listed."""


class BackfillDialog(QDialog):
    """Lists the batches; accepting it begins."""

    def __init__(self, plan: Plan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Backfill"))
        number = self.locale().toString
        count = len(plan.batches)
        connection = model_name(plan.connection)
        words = (
            self.tr("1 summary will be written, one request to “{0}”.").format(connection)
            if count == 1
            else self.tr("{0} summaries will be written one after the other, by “{1}”.").format(
                number(count), connection
            )
        )
        cost = self.tr("About {0} tokens to read and {1} to write, estimated.").format(
            number(plan.read), number(plan.written)
        )
        hint = self.tr("You can go on meanwhile, stop at any time, and go on later: what is written stays.")
        listed = QListWidget(self)
        listed.setAccessibleName(self.tr("Messages that come next"))
        listed.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        listed.setTextElideMode(Qt.TextElideMode.ElideRight)
        for batch in plan.batches[:SHOWN]:
            beginning = one_line(f"{batch.messages[0].name}: {batch.messages[0].text}", 80)
            listed.addItem(
                self.tr("#{0}–#{1} · {2} messages · {3}").format(
                    number(batch.first), number(batch.last), number(len(batch.messages)), beginning
                )
            )
        if count > SHOWN:
            listed.addItem(self.tr("and {0} more").format(number(count - SHOWN)))
        trouble = Notice("bad")
        listed.setWordWrap(False)
        if not plan.can_write:
            trouble.say(
                self.tr("The demo voice cannot summarise. Choose a connection with a language model.")
            )
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        begin = push_button(self.tr("Begin"), "primary", self)
        begin.setEnabled(bool(count) and plan.can_write)
        begin.setDefault(True)
        begin.clicked.connect(self.accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(begin)
        if count:
            parts: list[QWidget] = [
                plain_label(words, "strong"),
                plain_label(cost, "soft"),
                listed,
                plain_label(hint, "small"),
                trouble,
            ]
        else:
            listed.hide()
            parts = [plain_label(self.tr("Everything is already summarised."), "strong")]
        layout = column(*parts, parent=self, spacing=8)
        if not count:
            layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        fit(self, 480, 420 if count else 120)
