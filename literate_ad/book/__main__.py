# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/08-book.md#src-book-main-imports
"""Starts the toolchain, even where a slip in an article has broken the engine.

``python -m literate_ad.book`` imports the package first. ``python literate_ad/book`` does not:
it lets the toolchain run, and mend, whatever state the engine is in.
"""

import sys
from pathlib import Path
from types import ModuleType

if not __package__:
    # Run by path: Python looks for modules in this folder first, where our markdown.py hides the
    # library of that name. Take the folder out, and stand in for the package above it.
    here = Path(__file__).resolve().parent
    sys.path[:] = [each for each in sys.path if Path(each).resolve() != here]
    stand_in = ModuleType("literate_ad")
    stand_in.__path__ = [str(here.parent)]
    sys.modules["literate_ad"] = stand_in

if __name__ == "__main__":
    from literate_ad.book.cli import main

    sys.exit(main())
