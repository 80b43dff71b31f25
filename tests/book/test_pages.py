"""What the tools make of pages besides Markdown: experiments, and the frame around the text."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from small_book import make_book, write

from literate_book.publish.mkdocs_plugin import with_labels, without_links_line
from literate_book.render.notebooks import experiment_page
from literate_book.source.errors import BookError

LINKS = '<p>Previous: <a href="a.html">A</a>. Next: <a href="b.html">B</a></p>'


def test_the_line_of_links_is_left_to_readers_of_the_markdown() -> None:
    assert without_links_line(f"<p>One.</p>\n{LINKS}\n") == "<p>One.</p>\n"


@pytest.mark.parametrize("html", [f"{LINKS}\n<p>One.</p>", "<p>Next: a verb</p><pre>x</pre>"])
def test_other_lines_stay(html: str) -> None:
    assert without_links_line(html) == html


def test_search_and_navigation_have_names() -> None:
    header = (
        '<label class="md-header__button md-icon" for="__drawer"><svg></svg></label>'
        '<div class="md-search" role="dialog"></div>'
    )
    soup = BeautifulSoup(with_labels(header), "html.parser")
    assert soup.select_one("[role=dialog][aria-label=Search]")
    assert soup.select_one("label .heard")
    assert soup.get_text() == "Navigation"


EXPERIMENT = """\
# ---
# jupyter: {}
# ---

# %% [markdown]
# # Small
#
# With *text*.

# %%
x = 1
print(x)

# %%
assert x == 1
print("```")
print("all checks passed")
"""
PAGE = """\
# Small

With *text*.


```python
x = 1
print(x)
```

```text {.output}
1
```

````python
assert x == 1
print("```")
print("all checks passed")
````

````text {.output}
```
all checks passed
````
"""


def experiment(tmp_path: Path, text: str) -> str:
    """The page of an experiment."""
    root = make_book(tmp_path, page="# T\n")
    write(root, "docs/en/experiments/small.py", text)
    return experiment_page(root, "docs/en/experiments/small.py", text)


def test_an_experiment_becomes_text_cells_and_what_they_print(tmp_path: Path) -> None:
    assert experiment(tmp_path, EXPERIMENT) == PAGE


def test_an_experiment_that_fails_is_refused_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"small\.py:15:1: this failed:\n(?s:.*)AssertionError"):
        experiment(tmp_path, EXPERIMENT.replace("assert x == 1", "assert x == 2"))
