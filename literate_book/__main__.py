"""``python -m literate_book``: the commands of weave, and those of publish."""

import sys

from literate_book.publish.commands import add_commands
from literate_book.weave.cli import main

if __name__ == "__main__":
    sys.exit(main(more=add_commands))
