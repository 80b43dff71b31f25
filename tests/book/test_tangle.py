"""Writing the package: all or nothing, no hand edit overwritten, no block lost unasked."""

import os
import shutil
from pathlib import Path

import pytest
from small_book import CONFIG, FOLDER, block, edit, make_book, places, read, snapshot, write

from literate_book import __main__ as cli
from literate_book.source.errors import BookErrors
from literate_book.weave.assemble import header
from literate_book.weave.package import write_all
from literate_book.weave.tangle import check, tangle

CORE = "literate_ad/core.py"
HEADER = header(CONFIG)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of two articles and two modules, in step. Line 12 of the core is ``return 1``."""
    first = block("top", '"""Core."""\n\nimport os\n') + block(
        "f", "def f():\n    os\n    return 1\n"
    )
    second = block("g", "def g():\n    return 2\n") + block("x", "X = 1\n", "sub/util.py")
    make_book(tmp_path, a=first, b=second)
    tangle(tmp_path)
    return tmp_path


def refused(root: Path, *drop: str) -> BookErrors:
    """The complaints of a run that must write nothing."""
    before = snapshot(root)
    with pytest.raises(BookErrors) as caught:
        tangle(root, drop=drop)
    assert snapshot(root) == before
    return caught.value


def test_a_run_says_what_it_wrote_and_the_next_has_nothing_to_do(book: Path) -> None:
    shutil.rmtree(book / "literate_ad")
    (book / "book.lock").unlink()
    assert tangle(book) == [
        f"wrote {CORE}",
        "wrote literate_ad/sub/util.py",
        "2 articles, 4 blocks, 2 modules: now in step",
    ]
    times = {path: path.stat().st_mtime_ns for path in book.rglob("*")}
    assert tangle(book) == ["2 articles, 4 blocks, 2 modules: already in step"]
    assert {path: path.stat().st_mtime_ns for path in book.rglob("*")} == times
    assert check(book) == ""


def test_an_edit_of_an_article_goes_into_its_module_alone(book: Path) -> None:
    edit(book, f"{FOLDER}/b.md", "return 2", "return 3")
    report = check(book)
    assert f'{FOLDER}/b.md:1:1: #src-g has changed since {CORE} was made: run "make book"' in report
    assert "-    return 2\n+    return 3\n" in report
    assert "book.lock" not in report
    assert tangle(book)[0] == f"wrote {CORE}"
    assert "return 3" in read(book, CORE)
    assert check(book) == ""


def test_blocks_that_parse_alone_and_not_together_are_refused(tmp_path: Path) -> None:
    late = block("late", "from __future__ import annotations\n")
    make_book(tmp_path, a=block("f", "def f():\n    return 1\n") + late)
    [error] = refused(tmp_path).errors
    assert (error.article, error.line) == (f"{FOLDER}/a.md", 6)
    assert "core.py does not compile" in str(error)
    assert "#src-late" in str(error)


def test_a_missing_module_is_drift_and_is_written_again(book: Path) -> None:
    (book / CORE).unlink()
    assert f'{CORE}:1:1: missing: run "make book"' in check(book)
    tangle(book)
    assert check(book) == ""


def test_a_hand_edit_is_kept_unless_it_is_discarded(book: Path) -> None:
    edit(book, CORE, "return 1", "return 7")
    errors = refused(book)
    assert places(errors) == [("core.py", 12, 1)]
    assert f"edited by hand in #src-f ({FOLDER}/a.md:6)" in str(errors)
    assert "python -m literate_book stitch" in str(errors)
    report = check(book)
    assert report.startswith(f"{CORE}:12:1: edited by hand")
    assert "-    return 7\n+    return 1\n" in report
    assert tangle(book, discard=True)[:2] == [f"dropped the edit at {CORE}:12", f"wrote {CORE}"]
    assert check(book) == ""


def test_an_edit_made_on_both_sides_alike_is_no_edit(book: Path) -> None:
    edit(book, CORE, "return 1", "return 7")
    edit(book, f"{FOLDER}/a.md", "return 1", "return 7")
    assert tangle(book) == ["2 articles, 4 blocks, 2 modules: now in step"]
    assert check(book) == ""


STRUCTURE = [
    ('"""Core."""', "X = 1", 0, "edited by hand in #src-top"),
    (f"{HEADER}\n", f"{HEADER}import re\n", 2, "code outside of the blocks"),
    (HEADER, "", 1, "not an assembled file"),
    ("a.md#src-f\n", "a.md#src-new\n", 9, "no article has #src-new"),
    ("a.md#src-f\n", "b.md#src-g\n", 15, "#src-g stands here twice"),
    ("a.md#src-f\n", "b.md#src-x\n", 9, "belongs to literate_ad/sub/util.py"),
    (f"\n\n# --- {FOLDER}/b.md#src-g\n", "\n\n", 16, f"#src-g ({FOLDER}/b.md:1) is missing"),
    ("return 2\n", "return 2", 17, "breaks off here"),
]


@pytest.mark.parametrize(("old", "new", "line", "what"), STRUCTURE)
def test_a_module_that_blocks_cannot_explain(
    book: Path, old: str, new: str, line: int, what: str
) -> None:
    edit(book, CORE, old, new)
    errors = refused(book)
    assert what in str(errors)
    assert ("core.py", line or 4, 1) in places(errors)
    assert what in check(book)
    tangle(book, discard=True)
    assert check(book) == ""


def test_blocks_moved_by_hand_are_told(book: Path) -> None:
    text = read(book, CORE)
    head, f, g = text.split("\n\n\n")
    write(book, CORE, "\n\n\n".join([head, g.rstrip("\n"), f + "\n"]))
    errors = refused(book)
    assert places(errors) == [("core.py", 14, 1)]
    assert "#src-f was moved" in str(errors)


def test_blocks_moved_in_the_articles_are_moved(book: Path) -> None:
    edit(
        book, f"{FOLDER}/a.md", "```python {#src-f file=", '```python {#src-f after="#src-g" file='
    )
    tangle(book)
    assert read(book, CORE).index("def g") < read(book, CORE).index("def f")


def test_a_file_cut_anywhere_is_told_as_half_written_or_edited(book: Path) -> None:
    text = read(book, CORE)
    for length in range(len(text)):
        write(book, CORE, text[:length])
        assert any(word in str(refused(book)) for word in ("breaks off", "missing", "edited"))
    write(book, CORE, text)
    assert check(book) == ""


def test_a_stray_temporary_file_is_told(book: Path) -> None:
    for file in (f"{CORE}.unfinished", f"{FOLDER}/a.md.unfinished", "book.lock.unfinished"):
        write(book, file, "half")
        assert places(refused(book)) == [(Path(file).name, 1, 1)]
        with pytest.raises(BookErrors, match="interrupted"):
            check(book)
        (book / file).unlink()


def test_a_deleted_block_goes_only_when_it_is_named(book: Path) -> None:
    edit(book, f"{FOLDER}/b.md", block("g", "def g():\n    return 2\n"), "")
    errors = refused(book)
    assert places(errors) == [("core.py", 15, 1)]
    assert f"put it back into {FOLDER}/b.md" in str(errors)
    assert "tangle --drop src-g" in check(book)
    refused(book, "src-other")
    tangle(book, drop=["#src-g"])
    assert "def g" not in read(book, CORE)
    assert check(book) == ""


def test_dropping_what_no_module_loses_is_refused(book: Path) -> None:
    errors = refused(book, "src-g", "#src-gone")
    assert places(errors) == [("book.lock", 1, 1), ("book.lock", 1, 1)]
    assert "no module is about to lose #src-gone: take --drop src-gone back" in str(errors)


def test_a_module_without_blocks_is_removed_if_it_is_ours(book: Path) -> None:
    write(book, "literate_ad/own.py", "written = 'by hand'\n")
    edit(book, f"{FOLDER}/b.md", "literate_ad/sub/util.py", CORE)
    assert "literate_ad/sub/util.py:1:1: out of step" in check(book)
    assert "removed literate_ad/sub/util.py, which has no block any more" in tangle(book)
    assert not (book / "literate_ad/sub/util.py").exists()
    assert (book / "literate_ad/own.py").exists()


def test_a_deleted_block_that_was_edited_by_hand_is_told(book: Path) -> None:
    edit(book, f"{FOLDER}/b.md", block("g", "def g():\n    return 2\n"), "")
    edit(book, CORE, "return 2", "return 5")
    assert "#src-g, which is in no article any more" in str(refused(book, "src-g"))


def test_without_a_lock_agreement_is_enough_and_drift_is_refused(book: Path) -> None:
    (book / "book.lock").unlink()
    assert check(book).startswith('book.lock:1:1: out of step: run "make book"')
    tangle(book)
    (book / "book.lock").unlink()
    edit(book, f"{FOLDER}/a.md", "return 1", "return 7")
    assert places(refused(book)) == [("core.py", 12, 1)]


def test_a_lock_from_another_branch_accuses_no_module_that_is_in_step(book: Path) -> None:
    edit(book, "book.lock", "  src-f ", "  src-z ")
    edit(book, "book.lock", "  src-g ", "  src-f ")
    edit(book, "book.lock", "  src-z ", "  src-g ")
    assert check(book).startswith('book.lock:1:1: out of step: run "make book"')
    assert tangle(book) == ["2 articles, 4 blocks, 2 modules: now in step"]


def test_a_broken_lock_is_told(book: Path) -> None:
    edit(book, "book.lock", "  src-f ", "<<<<<<< src-f ")
    assert places(refused(book)) == [("book.lock", 6, 1)]


@pytest.mark.parametrize(
    ("bad", "col"), [(b"\xff\n", 1), (b"x = '\t'\n", 6), (b"x = 1\r\n", 6), (b"\xef\xbb\xbf\n", 1)]
)
def test_a_module_that_is_not_clean_text_is_told(book: Path, bad: bytes, col: int) -> None:
    (book / CORE).write_bytes((book / CORE).read_bytes() + bad)
    assert places(refused(book)) == [("core.py", 18, col)]


def test_a_folder_in_the_place_of_a_module_is_told(book: Path) -> None:
    (book / "literate_ad/odd.py").mkdir()
    assert str(refused(book)) == "literate_ad/odd.py:1:1: cannot be read: Is a directory"


def test_nothing_is_written_when_one_file_cannot_be(book: Path) -> None:
    edit(book, f"{FOLDER}/a.md", "return 1", "return 7")
    edit(book, f"{FOLDER}/b.md", "sub/util.py", "taken/x.py")
    write(book, "literate_ad/taken", "a file where a folder should be")
    assert places(refused(book)) == [("x.py", 1, 1)]


def test_a_failure_while_replacing_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    with pytest.raises(BookErrors, match="b:1:1: cannot be written"):
        write_all(tmp_path, {"a": "1", "b": "2"})
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_the_commands_exit_with_1_where_the_book_is_refused(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = cli.main([*arguments, "--root", str(book)])
        return status, *capsys.readouterr()

    assert run("tangle") == (0, "2 articles, 4 blocks, 2 modules: already in step\n", "")
    assert run("check") == (0, "the package is what the articles say\n", "")
    assert run("where", "f")[:2] == (
        0,
        f"{CORE}:10 literate_ad.core.f\n    {FOLDER}/a.md:7 #src-f\n",
    )
    assert run("where", "nothing") == (1, "", "no block defines nothing\n")
    edit(book, CORE, "return 1", "return 7")
    status, told, _ = run("check")
    assert (status, told.splitlines()[1]) == (1, f"--- {CORE} (as it is)")
    assert run("tangle")[2].endswith("1 error; nothing was written\n")
    assert run("stitch") == (0, f"{CORE}:10 -> {FOLDER}/a.md:7 #src-f\n", "")
    edit(book, f"{FOLDER}/a.md", "{#src-f", "{#src-f {")
    for command in (["tangle"], ["check"], ["stitch"], ["where", "f"]):
        status, told, error = run(*command)
        assert (status, told) == (1, "")
        assert error.startswith(f"{FOLDER}/a.md:6:11: malformed braces")
    write(book, "mkdocs.yml", "nav: [")
    assert run("check")[0] == 1


def test_audit_is_a_command_too(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "--root", str(book)]) == 0
    assert capsys.readouterr().out.startswith("everything in the articles is assembled")
    edit(book, f"{FOLDER}/a.md", "{#src-f", "{#src-f {")
    assert cli.main(["audit", "--root", str(book)]) == 1
    assert capsys.readouterr().err.startswith(f"{FOLDER}/a.md:6:11: malformed braces")


def test_outside_of_a_book_the_root_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "--root", str(tmp_path)]) == 1
    assert "give --root" in capsys.readouterr().err


def test_a_root_that_does_not_exist_is_told(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--root", str(book / "missing")]) == 1
    assert capsys.readouterr().err.startswith("pyproject.toml:1:1: there is no folder")
