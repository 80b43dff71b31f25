"""Turns the formulas of an article into MathML, so that a page needs no script to show them."""

import re
from collections.abc import Callable
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from math_core import LatexError, LatexToMathML

CONVERTER = LatexToMathML(fancy_error=False)


def to_mathml(latex: str, display: bool) -> str:
    """The one place that depends on the library for LaTeX; ``ValueError`` says what is wrong."""
    try:
        return CONVERTER.convert_with_local_state(latex.strip(), displaystyle=display)
    except LatexError as problem:
        raise ValueError(str(problem).partition(": ")[2]) from None


# A long formula scrolls on a phone, so the keyboard must reach it.
FRAME = '<span class="formula" tabindex="0" role="group" aria-label="Formula">'

# Before escapes (180), so that backslashes reach LaTeX; after code spans (190), so that they stay.
PRIORITY = 185
FORMULA = r"""(?<![\\$]) (?:
    \$\$ (?P<display> .+? ) \$\$
  | \$ (?![\s$]) (?P<inline> (?: [^$\\] | \\. )+? ) (?<!\s) \$ (?![\d$])
)"""


class Formula(InlineProcessor):
    r"""``$...$`` within a line and ``$$...$$`` on lines of its own; ``\$`` is a dollar sign."""

    def __init__(self, md: Markdown, complain: Callable[[str, str], Exception]) -> None:
        super().__init__(f"(?x){FORMULA}", md)
        self.complain = complain

    def handleMatch(  # type: ignore[override]  # noqa: N802  (Python-Markdown's name)
        self, m: re.Match[str], data: str
    ) -> tuple[Element | str, int, int]:
        """Put the formula where it was written."""
        latex, display = m["display"] or m["inline"], m["display"] is not None
        try:
            mathml = to_mathml(latex, display)
        except ValueError as problem:
            raise self.complain(m[0], f"this formula cannot be shown: {problem}") from None
        if display:
            mathml = f"{FRAME}{mathml}</span>"
        return self.md.htmlStash.store(mathml), m.start(), m.end()


def add_formulas(md: Markdown, complain: Callable[[str, str], Exception]) -> None:
    """Let ``md`` read formulas; ``complain(text, message)`` makes the error for a bad one."""
    md.ESCAPED_CHARS = [*md.ESCAPED_CHARS, "$"]
    md.inlinePatterns.register(Formula(md, complain), "formula", PRIORITY)
