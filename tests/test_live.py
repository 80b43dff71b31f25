"""The book served while it is written: pages and checks follow every save."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from browser import LOOKED_AT, chromium
from bs4 import BeautifulSoup
from small_book import edit, make_site_book, read, write

from literate_ad.book.articles import book_root
from literate_ad.book.live import Changes

PAGE = """\
# A small book

```python {#src-small file="literate_ad/small.py"}
x = 1
```

## Sums

```python
>>> 1 + 1
2
>>> 2 + 2
4
```
"""
OTHER = """\
# Another page

```python
>>> 3 + 3
6
```
"""
FIRST, SECOND = "docs/en/index.md", "docs/en/other.md"


class Book:
    """A book on a server of its own."""

    def __init__(self, root: Path, desk: Path) -> None:
        self.root = root
        command = [sys.executable, "-m", "literate_ad.book.site", "--serve", "127.0.0.1:0"]
        environment = {**os.environ, "PYTHONPATH": str(book_root()), "TMPDIR": str(desk)}
        self.server = subprocess.Popen(
            command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert self.server.stdout is not None
        said = next(line for line in self.server.stdout if "http" in line)
        self.home = said.split()[4].rstrip(";")

    def get(self, name: str) -> str:
        """What the server sends."""
        with urlopen(f"{self.home}/{name}") as answer:
            return str(answer.read().decode())

    def state(self, page: str = "index.html", seen: int = 0) -> dict[str, Any]:
        """What is known of a page."""
        found: dict[str, Any] = json.loads(self.get(f"checks.json?page={quote(page)}&seen={seen}"))
        return found

    def states(self, page: str = "index.html") -> Iterator[dict[str, Any]]:
        """All that becomes known, until the checks have ended."""
        state = self.state(page)
        yield state
        while state["state"] == "running":
            state = self.state(page, state["version"])
            yield state

    def verdict(self, page: str = "index.html") -> dict[str, Any]:
        """How the checks of a page have ended."""
        *_, last = self.states(page)
        return last

    def change(self, file: str, old: str, new: str) -> None:
        """Save a file, and come back when the server has taken note."""
        self.write(file, read(self.root, file).replace(old, new))

    def write(self, file: str, text: str) -> None:
        """The same for a whole text; it comes in the place of the old file, as editors do it."""
        write(self.root, f"{file}~", text)
        self.after(lambda: (self.root / f"{file}~").replace(self.root / file))

    def after(self, act: Callable[[], object]) -> None:
        """Do something with a file, and come back when the server has taken note."""
        state = self.state()
        edition = state["edition"]
        act()
        while state["edition"] == edition or state["notice"]:
            state = self.state(seen=state["version"])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps what it makes."""
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, desk: Path) -> Iterator[Book]:
    """One server for all tests: each leaves the book as it was."""
    root = make_site_book(tmp_path_factory.mktemp("book"), {"index.md": PAGE, "other.md": OTHER})
    book = Book(root, desk)
    yield book
    book.server.send_signal(signal.SIGINT)
    assert book.server.wait() == 0
    assert not list(desk.iterdir())


@pytest.fixture
def book(served: Book) -> Iterator[Book]:
    """The book as it was at the start, whatever a test has done to it."""
    yield served
    for file, text in ((FIRST, PAGE), (SECOND, OTHER)):
        if read(served.root, file) != text:
            served.write(file, text)
    assert served.verdict()["state"] == "passed"


def text_of(html: str) -> str:
    """The words of a page."""
    content = BeautifulSoup(html, "html.parser").select_one("article")
    assert content is not None
    return content.get_text(" ", strip=True)


def test_whoever_opens_a_page_has_its_checks_run(book: Book) -> None:
    seen = list(book.states("other.html"))
    assert {each["state"] for each in seen[:-1]} <= {"running"}
    assert {"state": "passed", "done": 1, "of": 1}.items() <= seen[-1].items()


def test_a_save_changes_package_page_and_checks(book: Book) -> None:
    before = book.state()
    book.change(FIRST, "x = 1", "x = 1 + 1")
    assert "x = 1 + 1\n" in read(book.root, "literate_ad/small.py")
    assert "x = 1 + 1" in text_of(book.get(""))
    seen = list(book.states())
    assert seen[-1]["edition"] > before["edition"]
    assert {"state": "passed", "done": 3, "of": 3, "failures": []}.items() <= seen[-1].items()
    done = [each["done"] for each in seen]
    assert done == sorted(done)


def test_a_page_that_was_not_saved_is_made_anew_as_well(book: Book) -> None:
    book.change(FIRST, "# A small book", "# A smaller book")
    book.get("index.html")
    assert "A smaller book" in BeautifulSoup(book.get("other.html"), "html.parser").get_text()


def test_a_wrong_value_fails_with_its_line_and_its_part_of_the_page(book: Book) -> None:
    book.change(FIRST, ">>> 2 + 2\n4", ">>> 2 + 2\n5")
    state = book.verdict()
    assert {"state": "failed", "done": 3, "of": 3, "places": ["#sums"]}.items() <= state.items()
    ((file, line, message),) = state["failures"]
    assert (file, line) == (FIRST, 13)
    assert "the article says `5`, the engine says `4`" in message


def test_a_check_that_raises_fails_and_the_next_ones_are_run(book: Book) -> None:
    table = "<!-- snapshot: (1 / n for n in (1, 0)) -->\n| n |\n|---|\n| `1.0` |\n\n"
    book.change(FIRST, "## Sums", f"{table}## Sums")
    state = book.verdict()
    assert {"state": "failed", "done": 4, "of": 4}.items() <= state.items()
    ((_, line, message),) = state["failures"]
    assert (line, message) == (7, "this raised ZeroDivisionError: division by zero")


def test_an_article_that_cannot_be_read_says_why_until_it_is_mended(book: Book) -> None:
    book.change(FIRST, "x = 1", "x = <1>")
    for page in ("index.html", "other.html"):
        html = book.get(page)
        assert f"{FIRST}:4:5: this block does not parse" in text_of(html)
        assert "assets/checks.js" in html
    assert book.state()["state"] == "none"
    assert read(book.root, "literate_ad/small.py").endswith("\nx = 1\n")
    book.change(FIRST, "x = <1>", "x = 1")
    assert "does not parse" not in book.get("index.html")


def test_a_page_that_cannot_be_drawn_says_why_and_others_are_shown(book: Book) -> None:
    book.change(SECOND, "# Another page", "# Another page\n\nSince $\\nope<b>$.")
    html = book.get("other.html")
    assert f"{SECOND}:3:7: this formula cannot be shown" in text_of(html)
    assert "<b>" not in html
    assert book.verdict("other.html")["state"] == "none"
    assert "Sums" in text_of(book.get("index.html"))


def test_a_link_that_leads_nowhere_is_told_beside_the_page(book: Book) -> None:
    book.change(SECOND, "# Another page", "# Another page\n\n[There](index.md#x), [or](gone.md).")
    assert "There , or" in text_of(book.get("other.html"))
    state = book.verdict("other.html")
    assert state["state"] == "passed"
    gone, anchor = state["warnings"]
    assert "'gone.md'" in gone
    assert "'index.md#x'" in anchor
    assert book.verdict("index.html")["warnings"] == []


def test_a_package_edited_by_hand_is_told_with_the_command_that_mends_it(book: Book) -> None:
    module = "literate_ad/small.py"
    book.change(module, "x = 1", "x = 7")
    shown = text_of(book.get("index.html"))
    assert f"{module}:4:1: edited by hand" in shown
    assert "stitch" in shown
    book.change(module, "x = 7", "x = 1")
    assert "edited by hand" not in book.get("index.html")


def test_the_order_of_the_book_can_change(book: Book) -> None:
    book.after(lambda: write(book.root, "docs/en/third.md", "# A third page\n"))
    book.change("mkdocs.yml", "  - other.md\n", "  - other.md\n  - third.md\n")
    assert "A third page" in text_of(book.get("third.html"))
    book.change("mkdocs.yml", "  - third.md\n", "")
    assert "docs/en/third.md:1:1: not in the nav" in text_of(book.get("third.html"))
    book.after((book.root / "docs/en/third.md").unlink)
    with pytest.raises(HTTPError):
        book.get("third.html")


def test_what_an_editor_keeps_beside_a_file_is_no_change(tmp_path: Path) -> None:
    of_the_book = Changes(make_site_book(tmp_path, {"index.md": PAGE})).saves
    for name in (".#index.md", "#index.md#", "index.md~", ".index.md.swp", "new.md"):
        write(tmp_path, f"docs/en/{name}", "kept")
    assert [Path(path).name for _, path in next(of_the_book)] == ["new.md"]


HOOK = """\
import time
from pathlib import Path
def on_files(*_, **__):
    while not Path({go!r}).exists():
        time.sleep(0.02)
"""


def test_pages_are_shown_as_they_were_while_all_are_made_anew(book: Book, tmp_path: Path) -> None:
    settings, go = read(book.root, "mkdocs.yml"), tmp_path / "go"
    write(book.root, "hook.py", HOOK.format(go=str(go)))
    state = book.state()
    write(
        book.root,
        "mkdocs.yml",
        settings.replace("Literate AD", "A new name") + "hooks: [hook.py]\n",
    )
    while not state["notice"]:
        state = book.state(seen=state["version"])
    assert "All pages are being made anew" in state["notice"]
    assert "A new name" not in book.get("other.html")
    book.after(go.touch)
    assert "A new name" in book.get("other.html")
    book.write("mkdocs.yml", settings)


def test_settings_that_cannot_be_read_are_told(book: Book) -> None:
    book.change("mkdocs.yml", "  name: material", "  name: immaterial")
    assert "immaterial" in text_of(book.get("index.html"))
    book.change("mkdocs.yml", "  name: immaterial", "  name: material")
    assert "Sums" in text_of(book.get("index.html"))


def test_a_style_sheet_that_is_saved_is_sent(book: Book) -> None:
    sheet = "docs/en/assets/book.css"
    before = read(book.root, sheet)
    book.write(sheet, f"{before}\n/* more */\n")
    assert book.get("assets/book.css").endswith("/* more */\n")
    book.write(sheet, before)


def alive(pid: int) -> bool:
    """Whether there is such a process; one that has ended may wait to be counted as ended."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not Path("/proc").exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_save_ends_the_checks_that_run_and_all_they_have_started(book: Book) -> None:
    note = book.root / "note"
    sleeper = (
        ">>> import subprocess\n>>> sleeper = subprocess.Popen(['sleep', '1000'])\n"
        f">>> with open({str(note)!r}, 'w') as note:\n"
        "...     print(sleeper.pid, end='', flush=True, file=note)\n"
        ">>> sleeper.wait()\n"
    )
    book.change(FIRST, ">>> 2 + 2\n", f"{sleeper}>>> 2 + 2\n")
    while not note.exists() or not note.read_text():
        time.sleep(0.05)
    assert book.state()["state"] == "running"
    assert alive(int(note.read_text()))
    book.write(FIRST, PAGE)
    assert book.verdict()["state"] == "passed"
    while alive(int(note.read_text())):
        time.sleep(0.05)


def test_checks_that_break_are_told(book: Book) -> None:
    breaking = ">>> import os, sys\n>>> n = sys.stderr.write('lost')\n>>> os._exit(3)\n"
    book.change(FIRST, ">>> 2 + 2\n", f"{breaking}>>> 2 + 2\n")
    assert {"state": "broken", "told": "lost"}.items() <= book.verdict().items()
    book.change(FIRST, ">>> n = sys.stderr.write('lost')\n", "")
    assert book.verdict()["told"] == "the process has ended with status 3"


@pytest.mark.parametrize("query", ["", "page=index.html&seen=abc", "seen=3"])
def test_a_question_that_is_none_is_told_how_to_ask(query: str, book: Book) -> None:
    with pytest.raises(HTTPError) as caught:
        book.get(f"checks.json?{query}")
    assert (caught.value.code, caught.value.read()) == (400, b"ask with page=NAME&seen=NUMBER\n")


def test_what_a_file_is_can_be_asked_without_the_file(book: Book) -> None:
    with urlopen(Request(f"{book.home}/index.html", method="HEAD")) as answer:
        assert int(answer.headers["Content-Length"]) == len(book.get("index.html").encode())
        assert answer.read() == b""


def test_what_is_not_there_is_told_on_a_page_of_the_book(book: Book) -> None:
    for name in ("nothing.html", "../../mkdocs.yml", "%2e%2e/%2e%2e/mkdocs.yml"):
        with pytest.raises(HTTPError) as caught:
            book.get(name)
        assert caught.value.code == 404
        assert b"A small book" in caught.value.read()


def test_only_a_new_content_is_a_change(tmp_path: Path) -> None:
    make_site_book(tmp_path, {"index.md": PAGE})
    changes, page = Changes(tmp_path), tmp_path / FIRST
    assert changes.among([page]) == [page]
    page.touch()
    assert changes.among([page, tmp_path / "gone"]) == []
    edit(tmp_path, FIRST, "x = 1", "x = 2")
    assert changes.among([page]) == [page]
    page.unlink()
    assert changes.among([page]) == [page]


def test_a_book_that_cannot_be_read_is_not_served(tmp_path: Path) -> None:
    make_site_book(tmp_path, {"index.md": PAGE.replace("x = 1", "x = ")})
    command = [sys.executable, "-m", "literate_ad.book.site", "--serve", "127.0.0.1:0"]
    environment = {**os.environ, "PYTHONPATH": str(book_root())}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith(f"{FIRST}:4:5: this block does not parse")
    assert "Traceback" not in run.stderr


@LOOKED_AT
def test_a_browser_shows_the_saved_page_and_its_checks_by_itself(book: Book) -> None:
    complaints: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{book.home}/index.html")
        words = page.locator(".checks [role=status]")
        page.locator(".checks[data-state='passed']").wait_for()
        assert words.inner_text() == "3 checks pass"
        write(book.root, FIRST, PAGE.replace(">>> 2 + 2\n4", ">>> 2 + 2\n<b>5"))
        page.locator(".checks li pre").wait_for()
        page.locator(".checks p", has_text="failed").wait_for()
        assert words.inner_text() == "1 check of 3 failed"
        link = page.locator(".checks li a")
        assert link.inner_text() == f"{FIRST}, line 13"
        assert "`<b>5`" in page.locator(".checks li pre").inner_text()
        link.click()
        assert page.url.endswith("#sums")
        write(book.root, FIRST, PAGE.replace("x = 1", "x = <"))
        page.locator(".refused").wait_for()
        assert page.locator(".checks").is_hidden()
        write(book.root, FIRST, PAGE)
        page.locator(".refused").wait_for(state="detached")
        page.locator(".checks[data-state='passed']").wait_for()
        page.close()
    assert not complaints
