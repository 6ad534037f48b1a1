"""A look at a preset from a file before it is kept: what comes in, and what memdesk has no place for."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QDialog, QWidget

from memdesk.formats.sillytavern_preset import FoundPreset, LeftOut
from memdesk.ui.bidi import isolated
from memdesk.ui.dialogs.pieces import Notice, column, fit, plain_label, push_button, row, scrolled
from memdesk.ui.sentences import said

translate = QCoreApplication.translate


def left_out_words(item: LeftOut) -> str:
    """Return what of a file has no place in a preset of ours, in the language of the window."""
    sentences = {
        "text": translate("LeftOut", "“{name}” is not used: memdesk has words of its own for this."),
        "role": translate(
            "LeftOut", "“{name}” becomes part of the system’s text above the chat; its role ({role}) is lost."
        ),
        "order": translate("LeftOut", "The order of the character’s fields: memdesk has one of its own."),
        "marker_off": translate(
            "LeftOut", "“{name}” was switched off in the file; memdesk sends it all the same."
        ),
        "value": translate("LeftOut", "{name}: {value} is out of range and is not used."),
        "context": translate("LeftOut", "The context size ({value} tokens) belongs to the connection."),
        "too_many": translate("LeftOut", "Only the first {count} prompts were taken."),
        "cut": translate("LeftOut", "“{name}” was longer than {count} characters and was cut."),
        "scripts": translate("LeftOut", "{count} scripts (regular expressions) do not run in memdesk."),
        "other": translate("LeftOut", "{count} settings of the program or the service: {names}."),
    }
    return sentences[item.code].format(**item.values)


class PresetImportDialog(QDialog):
    """Shows what a file would bring, and asks."""

    wanted = Signal()

    def __init__(self, found: FoundPreset, file: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Import preset"))
        preset = found.preset
        page = QWidget(self)
        layout = column(parent=page, spacing=10)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.addWidget(plain_label(preset.name, "title"))
        layout.addWidget(plain_label(self.tr("from %1").replace("%1", isolated(file)), "soft"))
        on = sum(prompt.enabled for prompt in preset.prompts)
        counts = self.tr("{0} further prompts, {1} of them on; main prompt of {2} characters.")
        number = self.locale().toString
        layout.addWidget(
            plain_label(
                counts.format(number(len(preset.prompts)), number(on), number(len(preset.main_prompt)))
            )
        )
        for warning in found.warnings:
            layout.addWidget(Notice("wait", said(warning)))
        if found.left_out:
            layout.addWidget(plain_label(self.tr("What does not come along:"), "strong"))
            for item in found.left_out:
                layout.addWidget(Notice("info", left_out_words(item)))
        else:
            layout.addWidget(Notice("ok", self.tr("Everything in the file comes along.")))
        layout.addStretch(1)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        keep = push_button(self.tr("Keep preset"), "primary", self)
        keep.setDefault(True)
        keep.clicked.connect(self._keep)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(keep)
        buttons.setContentsMargins(16, 12, 16, 12)
        whole = column(parent=self, spacing=0)
        whole.addWidget(scrolled(page, self.tr("What is in the file")), 1)
        whole.addLayout(buttons)
        fit(self, 520, 460)

    def _keep(self) -> None:
        self.accept()
        self.wanted.emit()
