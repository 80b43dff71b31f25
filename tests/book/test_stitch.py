"""Putting edits of the package back: to the byte, or not at all."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_book import (
    CONFIG,
    FOLDER,
    block,
    edit,
    make_book,
    outcome,
    places,
    read,
    snapshot,
    write,
)

from literate_book.source.articles import read_book
from literate_book.source.errors import BookErrors
from literate_book.weave.assemble import Assembly, assemble
from literate_book.weave.stitch import stitch
from literate_book.weave.tangle import check, tangle
from literate_book.weave.where import NotFound, where

CORE = "literate_ad/core.py"
INDENTED = """\
??? question "g"

    ~~~python {#src-g file="literate_ad/core.py"}
    def g():

        return 2
    ~~~
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Two articles, one module, in step. The second block of ``a.md`` is indented."""
    first = (
        "# A\n\n" + block("f", "def f():\n    return 1\n") + "\nProse.  \n\n" + INDENTED + "\nEnd"
    )
    make_book(tmp_path, a=first, b=block("x", "X = 1\n"))
    tangle(tmp_path)
    return tmp_path


def refused(root: Path) -> BookErrors:
    """The complaints of a stitch that must write nothing."""
    before = snapshot(root)
    with pytest.raises(BookErrors) as caught:
        stitch(root)
    assert snapshot(root) == before
    return caught.value


def test_without_an_edit_nothing_happens(book: Path) -> None:
    before = snapshot(book)
    assert stitch(book) == ["no module was edited by hand"]
    assert snapshot(book) == before


def test_edits_go_back_into_their_blocks(book: Path) -> None:
    text = read(book, f"{FOLDER}/a.md")
    edit(book, CORE, "return 1\n", "return 1  # one\n")
    edit(book, CORE, "def g():\n\n    return 2\n", "def g():\n\n\n    x = 2\n    return x\n")
    assert stitch(book) == [
        f"{CORE}:4 -> {FOLDER}/a.md:4 #src-f",
        f"{CORE}:9 -> {FOLDER}/a.md:13 #src-g",
    ]
    text = text.replace("return 1\n", "return 1  # one\n")
    text = text.replace("\n\n        return 2\n", "\n\n\n        x = 2\n        return x\n")
    assert read(book, f"{FOLDER}/a.md") == text
    assert check(book) == ""
    assert tangle(book) == ["2 articles, 3 blocks, 1 module: already in step"]


def test_changes_of_other_blocks_in_the_articles_are_left_alone(book: Path) -> None:
    edit(book, CORE, "return 1", "return 7")
    edit(book, f"{FOLDER}/b.md", "X = 1", "X = 2")
    said = stitch(book)
    assert said[1] == 'the package still differs from the articles: run "make book"'
    assert "return 7" in read(book, f"{FOLDER}/a.md")
    assert tangle(book)[0] == f"wrote {CORE}"
    assert "return 7" in read(book, CORE)
    assert "X = 2" in read(book, CORE)


def test_both_sides_changed_names_both_places(book: Path) -> None:
    edit(book, CORE, "return 1", "return 7")
    edit(book, f"{FOLDER}/a.md", "return 1", "return 8")
    errors = refused(book)
    assert places(errors) == [("a.md", 3, 1)]
    assert f"#src-f was changed here and at {CORE}:4" in str(errors)


def test_without_a_lock_the_side_that_changed_is_unknown(book: Path) -> None:
    (book / "book.lock").unlink()
    edit(book, CORE, "return 1", "return 7")
    assert f"#src-f is not in book.lock and differs at {CORE}:4" in str(refused(book))


def test_a_block_edited_here_and_deleted_there(book: Path) -> None:
    edit(book, CORE, "X = 1", "X = 7")
    write(book, f"{FOLDER}/b.md", "# B\n")
    errors = refused(book)
    assert places(errors) == [("core.py", 15, 1)]
    assert f"deleted from {FOLDER}/b.md" in str(errors)


@pytest.mark.parametrize(
    ("old", "new", "line", "col", "what"),
    [
        ("    return 1", "    return = 1", 5, 12, "does not parse"),
        ("    return 2", "    return = 2", 11, 12, "does not parse"),
        ("X = 1", "f = 1", 15, 1, f"f is defined here and at {FOLDER}/a.md:4"),
        ("X = 1\n", "", 14, 1, "this block is empty"),
        ("X = 1", "X = '''\n```\n'''", 16, 1, "would end its fence"),
        ("X = 1", "X = '''\n  ```python\n'''", 16, 3, "would end its fence"),
        ("X = 1", "X = '\t'", 15, 6, "a tab"),
        (
            "# --- docs/en/articles/b.md#src-x",
            "# --- docs/en/articles/b.md#src-y",
            14,
            1,
            "no article",
        ),
    ],
)
def test_an_edit_that_cannot_go_back_is_refused_at_its_line_in_the_module(
    book: Path, old: str, new: str, line: int, col: int, what: str
) -> None:
    edit(book, CORE, old, new)
    errors = refused(book)
    assert places(errors)[0] == ("core.py", line, col)
    assert what in str(errors)


def test_an_edit_that_upsets_another_block_is_refused_at_that_block(book: Path) -> None:
    edit(book, CORE, "    return 1\n", "    return 1\n\n\nX = 0\n")
    errors = refused(book)
    assert places(errors) == [("b.md", 2, 1)]
    assert f"X is defined here and at {FOLDER}/a.md:8 (#src-f)" in str(errors)


def test_ticks_that_end_no_fence_go_back(book: Path) -> None:
    edit(book, CORE, "X = 1", "X = '''\n    ```\n~~~\n'''")
    edit(book, CORE, "return 2", "return '''\n```\n'''")
    stitch(book)
    assert check(book) == ""


NAMES = [f"n{n}" for n in range(12)]
CODE = [
    "{0} = 1\n",
    "def {0}(x):\n    return x\n",
    "# about\n@decorate\nclass {0}:\n    '''Text.\n\n    ```python\n    ```\n    '''\n",
    "import os\n\n{0} = '''a\n\n  b'''\n",
    "for i in ():\n    print('é', {0!r})\n",
    "if {0}:\n\n    def {0}():\n        pass\n",
]
PROSE = [
    "# A heading\n",
    "Prose with `code` and trailing blanks.   \n",
    "\n\n",
    "```python\n>>> 1\n1\n```\n",
    "````markdown\n```python {#src-shown\n```\n````\n",
    "~~~text\n```\n~~~\n",
    "1. an item\n\n    ```text {.output}\n    1\n    ```\n",
]


@st.composite
def books(draw: st.DrawFn) -> dict[str, str]:
    """The articles of a book that assembles: any order, any fence, any indent."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    texts = dict.fromkeys(["a", "b", "c"], "")
    homes: dict[str, str] = {}
    for name in names:
        file = draw(st.sampled_from(["core.py", "sub/util.py"]))
        before = [other for other, home in homes.items() if home == file]
        attrs = (
            {"after": f"#src-{draw(st.sampled_from(before))}"}
            if before and draw(st.booleans())
            else {}
        )
        if not attrs and draw(st.booleans()):
            attrs = {"place": "top"}
        text = block(name, draw(st.sampled_from(CODE)).format(name), file, **attrs)
        homes[name] = file
        if draw(st.booleans()):
            text = "".join(
                f"    {line}" if line.strip() else line for line in text.splitlines(True)
            )
        lines = text.splitlines(True)
        ticks = draw(st.sampled_from(["```", "`````", "~~~"]))
        lines[0], lines[-1] = (lines[n].replace("```", ticks) for n in (0, -1))
        article = draw(st.sampled_from(sorted(texts)))
        texts[article] += draw(st.sampled_from(PROSE)) + "".join(lines)
    return {key: text + draw(st.sampled_from(["", "The end"])) for key, text in texts.items()}


def assembled(root: Path) -> Assembly:
    """What the articles on the disk say."""
    return assemble(read_book(root), CONFIG)


@settings(max_examples=30, deadline=None)
@given(books())
def test_assemble_then_stitch_gives_the_articles_back_to_the_byte(texts: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make_book(Path(folder), **texts)
        tangle(root)
        before = snapshot(root)
        assert stitch(root) == ["no module was edited by hand"]
        assert snapshot(root) == before
        assert check(root) == ""


EXTRA = ["\n", "# a comment\n", "    \n", "if 1:\n    pass\n", "z_{0} = '''\n\n   text\n'''\n"]


def code_lines(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.split("\n") if line.strip()]


@settings(max_examples=30, deadline=None)
@given(books(), st.data())
def test_edits_then_stitch_then_assemble_gives_the_module(
    texts: dict[str, str], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make_book(Path(folder), **texts)
        tangle(root)
        for each in sorted(assembled(root).placements, key=lambda each: -each.first_line):
            extra = data.draw(st.sampled_from(EXTRA)).format(each.fence.id[4:])
            lines = read(root, each.file).splitlines(True)
            place = data.draw(st.sampled_from([each.first_line - 1, each.last_line]))
            write(root, each.file, "".join([*lines[:place], extra, *lines[place:]]))
        edited = {file: code_lines(read(root, file)) for file in assembled(root).files}
        stitch(root)
        assert {file: code_lines(text) for file, text in assembled(root).files.items()} == edited
        tangle(root)
        assert check(root) == ""


@settings(max_examples=60, deadline=None)
@given(books(), st.data())
def test_no_damage_to_any_file_raises_anything_but_complaints(
    texts: dict[str, str], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make_book(Path(folder), **texts)
        tangle(root)
        files = sorted(path for path in root.rglob("*") if path.is_file())
        for _ in range(data.draw(st.integers(1, 3))):
            path = data.draw(st.sampled_from(files))
            content = path.read_bytes()
            start = data.draw(st.integers(0, len(content)))
            end = data.draw(st.sampled_from([start, start + 1, start + 9, len(content)]))
            new = data.draw(
                st.sampled_from([b"", b"```", b"\n", b"#", b" ", b"\r", b"\xff", b"]", b"{"])
            )
            path.write_bytes(content[:start] + new + content[end:])
        before = snapshot(root)
        for run in (check, tangle, stitch):
            _, errors = outcome(run, root)
            if errors:
                assert snapshot(root) == before
                assert all(each.line >= 1 and each.col >= 1 for each in errors)
            before = snapshot(root)
        with suppress(NotFound):
            outcome(where, root, "n1")
