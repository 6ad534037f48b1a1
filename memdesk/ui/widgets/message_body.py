"""The text of one message: rich, selectable, without scroll bars, and shut off from the world.

    body = MessageBody(); body.setText(text); body.height_for(width) -> int
    body.beginStreaming(); body.appendDelta(text); body.endStreaming(text)
    body.folded, body.hidden_characters, body.showAll()     texts above RICH_LIMIT start folded
    body.setMarks(read_query("dragon"))                     marks its words, also in what comes later
    signals: linkActivated(str)  an http(s) address, nothing is opened;  heightChanged()
    body.pictures = source                                  gives pictures that the person allowed, see there
It loads nothing: images, style sheets and links that a text may name are refused whatever their scheme.
"""

from __future__ import annotations

import math
import time
from typing import Protocol

from PySide6.QtCore import QMimeData, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextDocumentFragment,
    QTextImageFormat,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QTextEdit, QWidget

from memdesk.chats.finding import Query, in_utf16, spans
from memdesk.ui import roleplay_text
from memdesk.ui.local_pictures import SCHEME, asked_for
from memdesk.ui.theme import current_theme

RENDER_MS = 150
"""The longest that streamed text may wait for its styles, see TRAPS 3; more when a rendering takes long."""
CHEAP_MS = 4.0
"""A rendering that takes less than this is done at once when a mark comes in."""
MOST_MARKS = 200
"""Words that are marked in one message."""
SLICE = 20_000
"""Characters of a long text that are laid out at a time."""


PICTURE_WIDTH, PICTURE_HEIGHT = 280, 360
"""The most room that a picture takes: so wide is the narrowest page."""


LINE = "\N{LINE SEPARATOR}"


class PictureSource(Protocol):
    """Who knows which local pictures may be shown."""

    def picture(self, address: str) -> QImage | None:
        """Return a picture that may be shown and is here."""

    def ask(self, address: str) -> None:
        """Ask the person whether a picture may be shown."""


class MessageBody(QTextBrowser):
    """A QTextBrowser as tall as its text."""

    linkActivated = Signal(str)
    heightChanged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self._shown = 0
        self._streaming = False
        self._dimmed = False
        self._cost = 0.0
        self._height: tuple[int, int] | None = None
        self._settled = (0, 0)  # characters, blocks
        self._marks: Query | None = None
        self._pictures: PictureSource | None = None
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAcceptDrops(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.anchorClicked.connect(self._clicked)
        # Timers are made when they are first needed: most messages never stream and never fold.
        self._later: QTimer | None = None
        self._unfold: QTimer | None = None
        self.refreshFont()

    # -- text ---------------------------------------------------------------------------------------------

    @property
    def written(self) -> str:
        """The text as it was written."""
        return self._source

    @property
    def folded(self) -> bool:
        """Whether only the beginning of a long text is shown."""
        return self._shown < len(self._source) and not self._unfolding

    @property
    def hidden_characters(self) -> int:
        """How many characters are folded away."""
        return max(0, len(self._source) - self._shown)

    def setText(self, text: str) -> None:
        """Show a text from its beginning."""
        if text == self._source and self._shown and not self._streaming:
            return
        self._source = text
        self._render()

    def reset(self) -> None:
        """Forget text and selection."""
        self._source, self._shown = "", 0
        self._streaming = False
        self._cost = 0.0
        self.setTextCursor(QTextCursor(self.document()))

    def refreshFont(self) -> None:
        """Take the theme's font and colours again."""
        self.document().setDefaultFont(current_theme().font("message"))
        self._settled = (0, 0)
        if self._source:
            self._render()

    def _render(self) -> None:
        for timer in (self._later, self._unfold):
            if timer is not None:
                timer.stop()
        started = time.perf_counter()
        if len(self._source) > roleplay_text.RICH_LIMIT:
            self._shown = self._cut(0)
            self.setHtml(roleplay_text.render_plain(self._source[: self._shown], current_theme()))
        else:
            self._shown = len(self._source)
            if self._streaming:
                self._render_tail()
            else:
                self.setHtml(roleplay_text.render(self._source, current_theme()))
                self._put_pictures()
        self._cost = (time.perf_counter() - started) * 1000
        self._show_marks()
        self._changed()

    def _render_tail(self) -> None:
        """Render what may still change its look; the paragraphs before stay as they are."""
        start, end = self._settled[0], roleplay_text.settled(self._source, self._settled[0])
        if end > start:
            self._write(self._source[start:end], streaming=False)
            self._settled = (end, self.document().blockCount())
        self._write(self._source[end:], streaming=True)

    def _write(self, text: str, *, streaming: bool) -> None:
        """Replace all blocks behind the settled ones with this text."""
        document, kept = self.document(), self._settled[1]
        markup = roleplay_text.render(text, current_theme(), streaming=streaming, continued=kept > 0)
        if not kept:
            self.setHtml(markup)
            return
        cursor = QTextCursor(document)
        last = document.findBlockByNumber(kept - 1)
        cursor.setPosition(last.position() + last.length() - 1)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if markup:
            scratch = QTextDocument()
            scratch.setDefaultFont(document.defaultFont())
            scratch.setHtml(markup)
            # The first block of a fragment takes the format of the block it is put into.
            cursor.insertBlock(scratch.firstBlock().blockFormat(), QTextCharFormat())
            cursor.insertFragment(QTextDocumentFragment(scratch))

    def showAll(self) -> None:
        """Show the rest of a folded text, a slice at a time so that the window stays alive."""
        if self._shown < len(self._source):
            if self._unfold is None:
                self._unfold = QTimer(self)
                self._unfold.timeout.connect(self._show_slice)
            self._unfold.start(0)

    def _cut(self, start: int) -> int:
        """Return where the slice ends that begins at `start`: behind a space or line end if there is one."""
        end = min(len(self._source), start + SLICE)
        if end == len(self._source):
            return end
        space = max(self._source.rfind(mark, end - 400, end) for mark in " \n")
        return space + 1 if space > start else end

    def _show_slice(self) -> None:
        end = self._cut(self._shown)
        piece = self._source[self._shown : end]
        self._shown = end
        cursor = self._end_cursor()
        # A paragraph of its own: one that grows would be laid out again as a whole each time.
        cursor.insertBlock()
        cursor.insertText(roleplay_text.clean(piece.removesuffix("\n")))
        if self._shown >= len(self._source) and self._unfold is not None:
            self._unfold.stop()
        self._changed()

    def _end_cursor(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    # -- streaming ----------------------------------------------------------------------------------------

    def beginStreaming(self, text: str = "") -> None:
        """Expect text bit by bit, after `text`."""
        self._streaming = True
        self._settled = (0, 0)
        self._source = text
        self._render()

    def appendDelta(self, delta: str) -> None:
        """Add text at the end.

        Plain words are appended as they are, in the look of what stands before them. A mark makes the text be
        rendered again: at once while that is cheap, else after a while.
        """
        before = self._source[-1:]
        whole = self._shown == len(self._source)
        self._source += delta
        marks = roleplay_text.MARKUP_START
        styled = self._streaming and len(self._source) <= roleplay_text.RICH_LIMIT
        if not styled or (before and before not in marks and marks.isdisjoint(delta)):
            if whole and not self._waiting:
                self._append_plain(delta)
        elif self._cost <= CHEAP_MS:
            self._render()
        elif not self._waiting:
            self._render_later()

    @property
    def _waiting(self) -> bool:
        return self._later is not None and self._later.isActive()

    @property
    def _unfolding(self) -> bool:
        return self._unfold is not None and self._unfold.isActive()

    def _render_later(self) -> None:
        if self._later is None:
            self._later = QTimer(self)
            self._later.setSingleShot(True)
            self._later.timeout.connect(self._render)
        self._later.start(max(RENDER_MS, int(self._cost * 10)))

    def _append_plain(self, delta: str) -> None:
        self._shown = len(self._source)
        self._end_cursor().insertText(roleplay_text.clean(delta))
        self._changed()

    def endStreaming(self, text: str) -> None:
        """Show the finished text."""
        self._streaming = False
        self._source = text
        self._render()

    # -- marks --------------------------------------------------------------------------------------------

    def setMarks(self, query: Query) -> None:
        """Mark what a query finds in the text that is shown; a query without words takes the marks away."""
        wanted = query if query.patterns else None
        if wanted is not self._marks:
            self._marks = wanted
            self._show_marks()

    def marked(self) -> list[str]:
        """Return the marked words."""
        return [selection.cursor.selectedText() for selection in self.extraSelections()]

    def _show_marks(self) -> None:
        selections: list[QTextEdit.ExtraSelection] = []
        if self._marks is not None:
            look = QTextCharFormat()
            look.setBackground(current_theme().color("wait_soft"))
            look.setForeground(current_theme().color("wait"))
            text = self.toPlainText()
            for start, end in in_utf16(text, spans(text, self._marks, MOST_MARKS)):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = QTextCursor(self.document())
                selection.cursor.setPosition(start)
                selection.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                selection.format = look
                selections.append(selection)
        if selections or self.extraSelections():
            self.setExtraSelections(selections)

    def setDimmed(self, dimmed: bool) -> None:
        """Let the text stand back, as one that the model does not see."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._dimmed:
            painter = QPainter(self.viewport())
            veil = current_theme().color("surface")
            veil.setAlphaF(0.5)
            painter.fillRect(event.rect(), veil)
            painter.end()

    # -- size ---------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._height = None
        self.heightChanged.emit()

    def height_for(self, width: int) -> int:
        """Return the height of the text in a column of `width` pixels."""
        if self._height is None or self._height[0] != width:
            document = self.document()
            # Setting the width again lays the whole text out anew, even if it is the same.
            if document.textWidth() != width:
                document.setTextWidth(width)
            height = document.size().height()
            # The first layout of a hidden text edit sends the text back to the edit's own, still tiny width.
            if document.textWidth() != width:
                document.setTextWidth(width)
                height = document.size().height()
            self._height = (width, math.ceil(height))
        return self._height[1]

    # -- pictures -----------------------------------------------------------------------------------------

    @property
    def pictures(self) -> PictureSource | None:
        """Who knows which local pictures may be shown."""
        return self._pictures

    @pictures.setter
    def pictures(self, source: PictureSource) -> None:
        if source is not self._pictures:
            self._pictures = source
            self.showPictures()

    def showPictures(self) -> None:
        """Look again which local pictures may be shown."""
        rich = bool(self._source) and len(self._source) <= roleplay_text.RICH_LIMIT
        if rich and not self._streaming and SCHEME in self.toHtml():
            self._render()

    def _put_pictures(self) -> None:
        """Put pictures in the place of the words that ask for them, where they may be shown."""
        if self._pictures is None or not ("![" in self._source or "<" in self._source):
            return
        places = []
        block = self.document().begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                link = fragment.charFormat().anchorHref()
                address = asked_for(link)
                image = None if address is None else self._pictures.picture(address)
                if image is not None:
                    places.append((fragment.position(), fragment.length(), link, fragment.text(), image))
                fragments += 1
            block = block.next()
        for start, length, link, words, image in reversed(places):
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            self.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(link), image)
            size = image.deviceIndependentSize()
            size.scale(
                min(size.width(), PICTURE_WIDTH),
                min(size.height(), PICTURE_HEIGHT),
                Qt.AspectRatioMode.KeepAspectRatio,
            )
            look = QTextImageFormat()
            look.setName(link)
            look.setWidth(size.width())
            look.setHeight(size.height())
            look.setToolTip(words.strip("[]"))
            plain = QTextCharFormat()
            first = cursor.document().findBlock(start).position() == start
            last = QTextCursor(self.document())
            last.setPosition(start + length)
            ends = last.atBlockEnd()
            cursor.removeSelectedText()
            # A line of its own: words beside it would stand at its foot.
            if not first:
                cursor.insertText(LINE, plain)
            cursor.insertImage(look)
            if not ends:
                cursor.insertText(LINE, plain)

    # -- safety -------------------------------------------------------------------------------------------

    def loadResource(self, _kind: int, _name: QUrl | str) -> None:
        return None

    def _clicked(self, url: QUrl) -> None:
        address = asked_for(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        if address is not None and self._pictures is not None:
            self._pictures.ask(address)
        elif url.scheme() in ("http", "https"):
            self.linkActivated.emit(url.toString())

    # -- manners ------------------------------------------------------------------------------------------

    def createMimeDataFromSelection(self) -> QMimeData:
        # Words without our colours: they are pasted on other grounds.
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText().replace("\ufffc", ""))
        return data

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keep = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)
        selects = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and event.key() in (
            Qt.Key.Key_Left,
            Qt.Key.Key_Right,
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
        )
        if any(event.matches(key) for key in keep) or (selects and self.textCursor().hasSelection()):
            super().keyPressEvent(event)
        else:
            event.ignore()
