"""Measures how assembling and checking a book grows with its size.

Run ``python benchmarks/book_scale.py``; it prints a row for each size. Every article of the made-up
book has prose, four source blocks, two examples and a formula, about 120 lines; every tenth block
says ``after``. Ten articles share a module.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from literate_book.source.articles import read_book
from literate_book.source.config import load_config
from literate_book.weave.assemble import assemble
from literate_book.weave.tangle import check, tangle

SIZES = [100, 300, 1000]
REPEATS = 15
PROSE = "A sentence about the derivative of a product, with `code` and $x^2$ in it.\n"
EXAMPLE = (
    "```python\n>>> from literate_ad import grad\n>>> grad(lambda x: x * x)(3.0)\n6.0\n```\n\n"
)


def article(number: int) -> str:
    """The text of one article."""
    parts = [f"# Article {number}\n\n"]
    file = f"literate_ad/part{number // 10}.py"
    for block in range(4):
        name = f"f{number}_{block}"
        after = f' after="#src-f{number}_0"' if block == 3 and number % 2 else ""
        code = "".join(f"    y{line} = x * {line} + sum(range({line}))\n" for line in range(8))
        parts += [PROSE * 3, "\n", f'```python {{#src-{name} file="{file}"{after}}}\n']
        parts += [f'def {name}(x):\n    """What it does."""\n{code}    return y7\n```\n\n']
        parts += [EXAMPLE] if block % 2 else [PROSE * 3, "\n", PROSE * 3, "\n"]
    return "".join(parts)


def make_book(root: Path, size: int) -> None:
    """Write the articles and the nav of a book."""
    folder = root / "docs" / "en" / "articles"
    folder.mkdir(parents=True)
    nav = ["docs_dir: docs/en\nnav:\n"]
    for number in range(size):
        (folder / f"{number:04}.md").write_text(article(number))
        nav.append(f"  - articles/{number:04}.md\n")
    (root / "mkdocs.yml").write_text("".join(nav))
    table = '[tool.literate-book]\npackage = "literate_ad"\narticles = "docs/en"\n'
    (root / "pyproject.toml").write_text(table)


def best(run: Callable[[], object]) -> float:
    """The shortest of many runs, which other work on the machine disturbs least, in seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return round(min(times), 4)


def measure(size: int) -> dict[str, float]:
    """Seconds to read and assemble a book of this size, and to check its package."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_book(root, size)
        start = time.perf_counter()
        tangle(root)
        first = time.perf_counter() - start
        blocks = len(assemble(read_book(root), load_config(root)).placements)
        lines = sum(len(each.text.split("\n")) for each in read_book(root))
        return {
            "articles": size,
            "blocks": blocks,
            "lines": lines,
            "tangle_from_nothing_s": round(first, 4),
            "read_and_assemble_s": best(lambda: assemble(read_book(root), load_config(root))),
            "check_s": best(lambda: check(root)),
        }


def main() -> None:
    """Measure all sizes, and print them."""
    for size in SIZES:
        print(measure(size), flush=True)


if __name__ == "__main__":
    sys.exit(main())
