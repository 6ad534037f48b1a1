"""Changes of settings for all chats that a person can take back."""

from __future__ import annotations

from typing import Any

from memdesk.work.undo import Undo
from memdesk.workspace import Workspace


def change_for_all(workspace: Workspace, label: str, **values: Any) -> Undo | None:  # noqa: ANN401 — as in `Settings`
    """Store settings that hold in every chat; None when nothing changes.

    Taking it back leaves alone what else has changed since. Raises `StoreError` when it cannot be stored.
    """
    before = {name: getattr(workspace.settings, name) for name in values}
    if before == values:
        return None
    workspace.change_settings(workspace.settings.model_copy(update=values))
    return Undo(label, lambda: change_for_all(workspace, label, **before))
