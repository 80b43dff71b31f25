"""The words of the articles: what is marked, what is left alone, and where."""

import pytest

from literate_book.check.wording import wording_of, words
from literate_book.source.articles import parse_article

# Each text, and the beginnings of the complaints about it.
MARKED = {
    "Of the the graph.\n": ["1:4: There's a lexical illusion"],
    "Of the\nthe graph.\n": ["1:4: There's a lexical illusion"],
    "It is obviously\nso, and of course\nit is.\n": [
        "1:7: `obviously` adds",
        "2:9: `of course` adds",
    ],
    "A `call` is simply made.\n": ["1:13: `simply` adds nothing here"],
    "| a | simply |\n|---|---|\n": ["1:7: `simply` adds"],
}
LEFT_ALONE = [
    "Of the `x` the graph, and of $t$ the rest.\n",
    "This is the tape.\n\nThe tape is read.\n",
    "The graph\n\n```python\nx = 1\n```\n\nthe graph\n",
    "See [there](simply.md#simply) or `simply`, <!-- simply --> or {: .simply}.\n",
    "But a paragraph may begin so. It is a very long way.\n",
    "Then comes the note that the pullback reads.\n",
]


@pytest.mark.parametrize("text", MARKED)
def test_what_is_badly_said_is_marked_at_its_place(text: str) -> None:
    told = [str(error) for error in wording_of(parse_article("page.md", text))]
    assert len(told) == len(MARKED[text]), told
    for said, wanted in zip(told, MARKED[text], strict=True):
        assert said.startswith(f"page.md:{wanted}")


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_code_formulas_and_addresses_are_no_words(text: str) -> None:
    assert wording_of(parse_article("page.md", text)) == []


@pytest.mark.parametrize("text", [*MARKED, *LEFT_ALONE])
def test_every_word_keeps_its_offset(text: str) -> None:
    kept = words(parse_article("page.md", text))
    assert len(kept) == len(text)
    assert all(new in (old, "\N{MIDDLE DOT}", " ") for new, old in zip(kept, text, strict=True))
