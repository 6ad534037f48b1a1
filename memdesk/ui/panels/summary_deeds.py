"""What a person does to summaries from the window: the acts behind keys, buttons and menus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from memdesk.ui.icons import icon
from memdesk.ui.models.summaries import Entry, Summaries
from memdesk.ui.panels.summary_work import SummaryWork
from memdesk.ui.summary_words import shown_title

if TYPE_CHECKING:
    from memdesk.memory.summaries.request import Answer
    from memdesk.memory.summaries.templates import Template
    from memdesk.ui.session import Session


class SummaryDeeds(QObject):
    """Does things to the summaries of a chat; every one can be taken back with Ctrl+Z."""

    jumpRequested = Signal(int)
    deleted = Signal(object)
    """The `Undo` of summaries that were put into the trash"""
    editRequested = Signal(int)
    """An entry that is to be edited where it stands"""

    def __init__(self, session: Session, work: SummaryWork, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._work = work
        self._window = window
        self._shown = Summaries(0)
        work.combined.connect(self._combined)

    def set_shown(self, shown: Summaries) -> None:
        """Take note of what there is."""
        self._shown = shown

    def do(self, deed: str, ids: Sequence[int]) -> None:
        """Do something to entries: one of the names below.

        `up`, `down`, `edit`, `freeze`, `switch`, `on`, `off`, `delete`, `reject`, `approve`, `review`,
        `versions`, `jump`, `copy`, `again`, `combine`. What can be on or off is turned on for all, and off
        when it is on for all.
        """
        entries = [entry for entry in self._shown.entries if entry.id in set(ids)]
        if not entries:
            return
        one = entries[0]
        alone: dict[str, Callable[[], None]] = {
            "up": lambda: self._move(one.id, -1),
            "down": lambda: self._move(one.id, 1),
            "edit": lambda: self.editRequested.emit(one.id),
            "review": lambda: self._review(one),
            "versions": lambda: self._versions(one),
            "jump": lambda: self._jump(one),
            "again": lambda: self._again(one),
        }
        if deed in alone:
            alone[deed]()
        elif deed == "combine":
            self._combine(entries)
        elif deed == "copy":
            QGuiApplication.clipboard().setText("\n\n".join(entry.summary.text for entry in entries))
        else:
            self._change(deed, entries)

    def _change(self, deed: str, entries: Sequence[Entry]) -> None:
        ids = [entry.id for entry in entries]
        acts, act = self._session.workspace.summaries, self._session.act
        if deed == "freeze":
            value = not all(entry.summary.frozen for entry in entries)
            act(lambda: acts.freeze(ids, value=value))
        elif deed in ("switch", "on", "off"):
            value = deed == "on" or (deed == "switch" and not all(entry.summary.enabled for entry in entries))
            act(lambda: acts.enable(ids, value=value))
        elif deed in ("delete", "reject"):
            act(lambda: acts.delete(ids), self.deleted.emit, removes=True)
        elif deed == "approve":
            act(lambda: acts.approve(ids[0]))

    def _jump(self, entry: Entry) -> None:
        if entry.place.first_id is not None:
            self.jumpRequested.emit(entry.place.first_id)

    def _move(self, entry_id: int, step: int) -> None:
        order = [entry.id for entry in self._shown.entries]
        place = order.index(entry_id)
        if 0 <= place + step < len(order):
            order.insert(place + step, order.pop(place))
            self.order(order)

    def order(self, ids: Sequence[int]) -> None:
        """Put the entries into an order."""
        acts, chat_id, wanted = self._session.workspace.summaries, self._shown.chat_id, list(ids)
        # What the window has read is in this order from now on: the next step must not start from the old.
        by_id = {entry.id: entry for entry in self._shown.entries}
        entries = tuple(by_id[item] for item in wanted if item in by_id)
        self._shown = replace(self._shown, entries=entries)
        self._session.act(lambda: acts.order(chat_id, wanted))

    def switch_all(self) -> None:
        """Turn all off when any is on, else all on."""
        any_on = any(entry.summary.enabled for entry in self._shown.entries)
        self.do("off" if any_on else "on", [entry.id for entry in self._shown.entries])

    def save(self, entry_id: int, title: str, text: str) -> None:
        """Store what was edited."""
        acts = self._session.workspace.summaries
        self._session.act(lambda: acts.edit(entry_id, title, text))

    def _again(self, entry: Entry) -> None:
        """Let the model write anew what an entry covers; the old entry stays beside the new one."""
        if entry.place.first is not None and entry.place.last is not None:
            self._work.generate(self._shown.chat_id, 0, [(entry.place.first, entry.place.last)])

    # ── dialogs ──────────────────────────────────────────────────────────────────────────────────────

    def write(self) -> None:
        """Ask for a summary written by hand."""
        # Imported where it opens: the first window does not wait for it.
        from memdesk.ui.dialogs.summary_editor import SummaryEditor  # noqa: PLC0415 — see above

        acts, chat_id = self._session.workspace.summaries, self._shown.chat_id
        if not chat_id:
            return
        dialog = SummaryEditor(self.tr("Write a summary"), messages=self._shown.messages, parent=self._window)
        dialog.saved.connect(
            lambda title, text, first, last: self._session.act(
                lambda: acts.write(chat_id, title, text, first, last)[1]
            )
        )
        self._open(dialog)

    def _combine(self, entries: Sequence[Entry]) -> None:
        if len(entries) < 2:
            return
        text = "\n\n".join(entry.summary.text for entry in entries)
        self._open_combine(self._shown.chat_id, [entry.id for entry in entries], "", text)

    def _combined(self, chat_id: int, ids: list[int], answer: Answer) -> None:
        if chat_id == self._shown.chat_id:
            self._open_combine(chat_id, ids, answer.title, answer.text)

    def _open_combine(self, chat_id: int, ids: list[int], title: str, text: str) -> None:
        from memdesk.ui.dialogs.summary_editor import SummaryEditor  # noqa: PLC0415 — see above

        acts = self._session.workspace.summaries
        dialog = SummaryEditor(
            self.tr("Combine {0} summaries").format(self._window.locale().toString(len(ids))),
            title=title,
            text=text,
            hint=self.tr("It stands in the place of the first. The others stay, turned off."),
            model=self.tr("Let the model write it"),
            parent=self._window,
        )
        dialog.saved.connect(
            lambda name, body, _first, _last: self._session.act(
                lambda: acts.combine(chat_id, ids, name, body)[1]
            )
        )
        dialog.modelRequested.connect(lambda: self._work.combine(chat_id, ids))
        self._open(dialog)

    def _review(self, entry: Entry) -> None:
        from memdesk.ui.dialogs.summary_editor import SummaryEditor  # noqa: PLC0415 — see above

        acts, entry_id = self._session.workspace.summaries, entry.id

        def show(before: str) -> None:
            dialog = SummaryEditor(
                self.tr("Approve a summary"),
                title=shown_title(entry.summary.title),
                text=entry.summary.text,
                before=before or entry.summary.text,
                compared=self.tr("Changes from the summaries that it takes in")
                if before
                else self.tr("Changes from what the model wrote"),
                save=self.tr("Approve"),
                parent=self._window,
            )
            dialog.saved.connect(
                lambda title, text, _first, _last: self._session.act(
                    lambda: acts.approve(entry_id, title, text)
                )
            )
            self._open(dialog)

        self._session.background.read(lambda: acts.taken_text(entry_id), show, owner=self)

    def _versions(self, entry: Entry) -> None:
        from memdesk.ui.dialogs.summary_versions import SummaryVersions  # noqa: PLC0415 — see above

        acts, entry_id = self._session.workspace.summaries, entry.id

        def show(versions: object) -> None:
            dialog = SummaryVersions(entry.summary, versions, self._window)  # type: ignore[arg-type]
            dialog.restored.connect(
                lambda version: self._session.act(lambda: acts.restore_version(entry_id, version))
            )
            self._open(dialog)

        self._session.background.read(lambda: acts.versions(entry_id), show, owner=self)

    def open_generate(self) -> None:
        """Ask which messages a model is to summarise."""
        from memdesk.ui.dialogs.summary_generate import GenerateDialog  # noqa: PLC0415 — see above

        shown = self._shown
        if not shown.chat_id:
            return
        after = max((entry.place.last or 0 for entry in shown.entries), default=0)
        dialog = GenerateDialog(shown.messages, shown.settings.last, after, self._window)
        dialog.chosen.connect(lambda newest, ranges: self._work.generate(shown.chat_id, newest, ranges))
        self._open(dialog)

    def open_backfill(self) -> None:
        """Show what a backfill would summarise, and begin it when that is wanted."""
        from memdesk.ui.dialogs.backfill import BackfillDialog  # noqa: PLC0415 — see above

        room, chat_id = self._session.workspace.summary_room, self._shown.chat_id
        if not chat_id:
            return

        def show(plan: object) -> None:
            dialog = BackfillDialog(plan, self._window)  # type: ignore[arg-type]
            dialog.accepted.connect(lambda: self._work.backfill(chat_id))
            self._open(dialog)

        self._session.background.read(lambda: room.summarising.estimate(chat_id), show, owner=self)

    def open_settings(self) -> None:
        """Show how summaries work in this chat, to be changed."""
        from memdesk.ui.dialogs.summary_settings import SummarySettingsDialog  # noqa: PLC0415 — see above

        workspace, chat_id = self._session.workspace, self._shown.chat_id
        if not chat_id:
            return
        acts, templates = workspace.summaries, workspace.summary_room.templates
        connections = [(item.id, item.name) for item in workspace.settings.connections]

        def show(settings: object) -> None:
            dialog = SummarySettingsDialog(
                settings,  # type: ignore[arg-type]
                connections,
                [(item.id, item.name) for item in templates.all()],
                templates.chosen().id,
                self._window,
            )
            dialog.chosen.connect(
                lambda values: self._session.act(lambda: acts.set_settings(chat_id, **values))
            )
            dialog.templateChosen.connect(lambda item: self._session.act(lambda: templates.choose(item)))
            dialog.templatesRequested.connect(self.open_templates)
            self._open(dialog)

        self._session.background.read(lambda: acts.settings(chat_id), show, owner=self)

    def open_templates(self) -> None:
        """Show the templates that summaries are written by, to be chosen and changed."""
        from memdesk.ui.dialogs.summary_templates import SummaryTemplatesDialog  # noqa: PLC0415 — see above

        templates = self._session.workspace.summary_room.templates
        dialog = SummaryTemplatesDialog(templates.all(), templates.chosen().id, self._window)

        def again(select: str = "") -> Callable[[object], None]:
            return lambda _undo: dialog.show_templates(templates.all(), templates.chosen().id, select)

        def add(name: str, text: str) -> None:
            made: list[str] = []

            def run() -> object:
                item, undo = templates.add(name, text)
                made.append(item)
                return undo

            self._session.act(run, lambda _undo: again(made[0])(None), failed=dialog.show_error)  # type: ignore[arg-type]

        def save(template: Template) -> None:
            self._session.act(
                lambda: templates.edit(template.id, template.name, template.text),
                again(template.id),
                failed=dialog.show_error,
            )

        dialog.added.connect(add)
        dialog.saved.connect(save)
        dialog.deleted.connect(lambda item: self._session.act(lambda: templates.delete(item), again()))
        dialog.chosen.connect(lambda item: self._session.act(lambda: templates.choose(item), again(item)))
        self._session.undone.connect(dialog.heard_undo)
        dialog.undone.connect(lambda: again(dialog.selected())(None))
        self._open(dialog)

    @staticmethod
    def _open(dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # ── the menu ─────────────────────────────────────────────────────────────────────────────────────

    def menu(self, entry: Entry, place: QPoint) -> None:
        """Offer everything that can be done to one summary."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        summary = entry.summary

        def add(deed: str, icon_name: str, words: str, *, enabled: bool = True) -> None:
            action = menu.addAction(icon(icon_name), words, lambda: self.do(deed, [entry.id]))
            action.setEnabled(enabled)

        if summary.proposed:
            add("approve", "check", self.tr("Approve"))
            add("review", "edit", self.tr("Compare and edit…"))
            menu.addSeparator()
        order = [item.id for item in self._shown.entries]
        add("edit", "edit", self.tr("Edit"))
        add("up", "chevron-up", self.tr("Move up"), enabled=order[:1] != [entry.id])
        add("down", "chevron-down", self.tr("Move down"), enabled=order[-1:] != [entry.id])
        add(
            "freeze",
            "sun" if summary.frozen else "snow",
            self.tr("Unfreeze") if summary.frozen else self.tr("Freeze"),
        )
        add(
            "switch",
            "eye-off" if summary.enabled else "eye",
            self.tr("Turn off") if summary.enabled else self.tr("Turn on"),
        )
        menu.addSeparator()
        there = entry.place.first is not None
        add("jump", "jump", self.tr("Go to its messages"), enabled=there)
        add("again", "regenerate", self.tr("Write anew from its messages"), enabled=there)
        add("versions", "undo", self.tr("Earlier versions…"))
        add("copy", "copy", self.tr("Copy text"))
        menu.addSeparator()
        add("delete", "trash", self.tr("Delete"))
        menu.popup(place)
