"""``python -m literate_book``: the commands of :mod:`literate_book.weave.cli`."""

import sys

from literate_book.weave.cli import main

if __name__ == "__main__":
    sys.exit(main())
