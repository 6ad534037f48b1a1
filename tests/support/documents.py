"""Documents for the tests, each made by its format's own library, with every sentence that must come out."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

SENTENCES = tuple(
    f"Sentence {number} tells of the lighthouse keeper and lamp {number}." for number in range(40)
)
CHINESE = ("第二天清晨，林晚独自走进了旧书店。", "老板把一本泛黄的日记递给她，说这是她祖母留下的。")


def pdf(path: Path, pages: int = 4, password: str = "") -> list[str]:
    import pymupdf

    document = pymupdf.open()
    for page in range(pages):
        sheet = document.new_page()
        for line in range(10):
            sheet.insert_text((50, 60 + 40 * line), SENTENCES[(page * 10 + line) % 40])
    document.set_toc([[1, "The tower", 1], [2, "The lamp", min(2, pages)]])
    kwargs = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password} if password else {}
    document.save(str(path), **kwargs)
    return list(SENTENCES[: pages * 10])


def scan(path: Path) -> None:
    import pymupdf

    document = pymupdf.open()
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 60), False)
    picture.clear_with(200)
    document.new_page().insert_image(pymupdf.Rect(0, 0, 300, 300), pixmap=picture)
    document.save(str(path))


def word(path: Path) -> list[str]:
    import docx

    document = docx.Document()
    document.add_heading("The tower", 1)
    for sentence in (*SENTENCES, *CHINESE):
        document.add_paragraph(sentence)
    table = document.add_table(rows=3, cols=3)
    cells = []
    for row in range(3):
        for column in range(3):
            cells.append(f"cell r{row}c{column}")
            table.cell(row, column).text = cells[-1]
    section = document.sections[0]
    section.header.paragraphs[0].text = "Header of the saga"
    section.footer.paragraphs[0].text = "Footer of the saga"
    document.save(str(path))
    _add_footnotes(path)
    return [
        *SENTENCES,
        *CHINESE,
        *cells,
        "The tower",
        "Header of the saga",
        "Footer of the saga",
        "A footnote here.",
    ]


def _add_footnotes(path: Path) -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    mime = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    notes = (
        f'<w:footnotes xmlns:w="{space}"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="1"><w:p><w:r><w:t>A footnote here.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["word/footnotes.xml"] = notes.encode()
    relations = members["word/_rels/document.xml.rels"].decode()
    added = f'<Relationship Id="rIdN" Type="{kind}" Target="footnotes.xml"/></Relationships>'
    members["word/_rels/document.xml.rels"] = relations.replace("</Relationships>", added).encode()
    types = members["[Content_Types].xml"].decode()
    override = f'<Override PartName="/word/footnotes.xml" ContentType="{mime}"/></Types>'
    members["[Content_Types].xml"] = types.replace("</Types>", override).encode()
    packed(path, members)


def sheets(path: Path) -> list[str]:
    import openpyxl
    from openpyxl.comments import Comment

    book = openpyxl.Workbook()
    cells = []
    for name in ("People", "Places"):
        sheet = book.create_sheet(name)
        for row in range(1, 31):
            for column in range(1, 5):
                cells.append(f"{name} {row}/{column}")
                sheet.cell(row, column, cells[-1])
    book["People"]["A1"].comment = Comment("A note on the cell", "tester")
    book.save(str(path))
    return [*cells, "A note on the cell"]


def slides(path: Path) -> list[str]:
    import pptx
    from pptx.util import Inches

    show = pptx.Presentation()
    expected = []
    for number in range(5):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Slide title {number}"
        slide.placeholders[1].text = SENTENCES[number]
        slide.notes_slide.notes_text_frame.text = f"Speaker note {number}"
        table = slide.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
        table.cell(1, 1).text = f"table cell {number}"
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, 100, 100).text_frame.text = f"grouped {number}"
        expected += [SENTENCES[number]]
        expected += [f"{what} {number}" for what in ("Slide title", "Speaker note", "table cell", "grouped")]
    show.save(str(path))
    return expected


_ODF = (
    '<?xml version="1.0" encoding="UTF-8"?>{doctype}<office:document-content'
    ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    ' xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0">'
    "{body}</office:document-content>"
)


def odf(path: Path, kind: str, doctype: str = "") -> list[str]:
    rows = "".join(
        f"<table:table-row><table:table-cell><text:p>name {n}</text:p></table:table-cell>"
        f"<table:table-cell><text:p>value {n}</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
        for n in range(10)
    )
    table = f'<table:table table:name="Stock">{rows}</table:table>'
    cells = [f"{what} {number}" for number in range(10) for what in ("name", "value")]
    said = "".join(f"<text:p>{sentence}</text:p>" for sentence in SENTENCES)
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>An ODF note</text:p>"
    if kind == "text":
        body = (
            f'<text:h text:outline-level="1">The tower</text:h>{said}<text:p>With'
            f'<text:s text:c="2"/>a note{note}</text:note-body></text:note> inside.</text:p>{table}'
        )
        expected = [*SENTENCES, *cells, "The tower", "An ODF note", "With  a note inside."]
    elif kind == "spreadsheet":
        body, expected = table, cells
    else:
        body = (
            "<draw:page><draw:frame><draw:text-box><text:p>On the slide</text:p></draw:text-box></draw:frame>"
            "<presentation:notes><draw:frame><draw:text-box><text:p>Said beside it</text:p></draw:text-box>"
            "</draw:frame></presentation:notes></draw:page>"
        )
        expected = ["On the slide", "Said beside it"]
    content = _ODF.format(
        doctype=doctype, body=f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    )
    styles = _ODF.format(doctype="", body="<style:header><text:p>Head of all pages</text:p></style:header>")
    packed(
        path,
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": content.encode(),
            "styles.xml": styles.encode(),
            "META-INF/manifest.xml": b"<manifest/>",
        },
    )
    return [*expected, "Head of all pages"]


def epub(path: Path) -> list[str]:
    said = "".join(f"<p>{sentence}</p>" for sentence in (*SENTENCES, *CHINESE))
    page = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN"'
        ' "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><title>t</title></head><body><h1>The tower</h1>{said}</body></html>"
    )
    book = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id"><metadata'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Saga</dc:title><dc:identifier id="id">x'
        '</dc:identifier></metadata><manifest><item id="one" href="one.xhtml"'
        ' media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>'
    )
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    packed(
        path,
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "book.opf": book.encode(),
            "one.xhtml": page.encode(),
        },
    )
    return [*SENTENCES, *CHINESE, "The tower"]


def fb2(path: Path) -> list[str]:
    said = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">'
        f"<body><section><title><p>The tower</p></title>{said}</section></body></FictionBook>",
        "utf-8",
    )
    return [*SENTENCES, "The tower"]


def html(path: Path) -> list[str]:
    said = "".join(f"<p>{sentence}" for sentence in (*SENTENCES, *CHINESE))
    path.write_text(
        f"<!DOCTYPE html><html><head><title>Title of it</title><style>p {{}}</style>"
        f"<body><h1>The tower</h1>{said}"
        "<script>alert('never')</script><table><tr><th>Name<th>Age<tr><td>Mira<td>31</table>"
        "<pre>def f():\n    return 1</pre><ul><li>one thing<li>another</ul>",
        "utf-8",
    )
    return [*SENTENCES, *CHINESE, "The tower", "Name | Age", "Mira | 31", "def f():\n    return 1", "another"]


def rtf(path: Path) -> list[str]:
    said = "".join(f"{sentence}\\par " for sentence in SENTENCES)
    path.write_text(
        f"{{\\rtf1\\ansi{{\\header Head of pages}}{said}caf\\'e9 \\u26519?{{\\footnote A note below}}\\par}}",
        "ascii",
    )
    return [*SENTENCES, "café 林", "Head of pages", "A note below"]


def packed(path: Path, members: dict[str, bytes]) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    path.write_bytes(data.getvalue())
