"""The embedding sources that can be chosen, as a list of ids and names."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from memdesk.llm.embedder_profile import BUNDLED
from memdesk.settings import Settings
from memdesk.ui.dialogs.pieces import ChoiceBox

translate = QCoreApplication.translate


class SourceBox(ChoiceBox):
    """Chooses an embedding source; one that is gone stays chosen, and says so."""

    def __init__(self, settings: Settings, unset: str = "", parent: QWidget | None = None) -> None:
        """List all tested sources; `unset` is what choosing none means, "" when one must be chosen."""
        super().__init__(parent)
        self.fill(settings, unset)

    def fill(self, settings: Settings, unset: str = "") -> None:
        """Write the list anew; what was chosen stays."""
        chosen = self.value() if self.count() else ""
        self.blockSignals(True)
        self.clear()
        if unset:
            self.addItem(unset, "")
        self.addItem(translate("Embedders", "Bundled model, on this computer"), BUNDLED)
        for profile in settings.embedders:
            if profile.tested:
                self.addItem(" ".join(profile.name.split())[:80], profile.id)
        self.set_value(chosen)
        self.blockSignals(False)

    def set_value(self, name: str) -> None:
        """Choose a source by its id."""
        if name and self.findData(name) < 0:
            self.addItem(translate("Embedders", "A source that is not there any more"), name)
        super().set_value(name)
