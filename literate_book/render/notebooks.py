"""The text of the experiments, on its way to a notebook's page."""

import re
from typing import Any

from nbconvert.preprocessors import Preprocessor
from traitlets import Bool

from literate_book.render.mathematics import FORMULA, to_mathml

# Code comes first: what looks like a formula in it is meant to be read as written.
SPECIAL = re.compile(
    rf"(?P<code>`+).*?(?P=code)|{FORMULA}|\]\((?P<page>[^)\s:#]+)\.md(?P<anchor>\#[^)\s]*)?\)",
    re.DOTALL | re.VERBOSE,
)


class ArticleText(Preprocessor):
    """Formulas become MathML, links to articles lead to their pages; .jupyter asks for this."""

    enabled = Bool(True)

    def preprocess_cell(self, cell: Any, resources: Any, index: int) -> tuple[Any, Any]:
        """Change the text of one cell."""
        if cell.cell_type == "markdown":
            cell.source = SPECIAL.sub(replacement, cell.source)
        return cell, resources


def replacement(match: re.Match[str]) -> str:
    """What a formula or a link becomes; code stays as it is."""
    if match["code"]:
        return match[0]
    if match["page"]:
        return f"]({match['page']}.html{match['anchor'] or ''})"
    try:
        return to_mathml(match["display"] or match["inline"], match["display"] is not None)
    except ValueError as problem:
        raise ValueError(f"the formula {match[0]} cannot be shown: {problem}") from None
