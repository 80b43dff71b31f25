"""Every page in the dark: its contrasts."""

from pathlib import Path

import pytest
from browser import LOOKED_AT, WRITTEN, Reader
from visits import OPEN, Visitor, ask, contrasts, generated

pytestmark = LOOKED_AT


def unreadable(reader: Reader, site: Path, addresses: list[str]) -> list[str]:
    """What cannot be read well, page by page."""
    visitor = Visitor(reader, site, color_scheme="dark", viewport={"width": 1280, "height": 800})
    found = []
    for address in addresses:
        visitor.open(address)
        ask(visitor.page, OPEN)
        found += [f"{address}: {each}" for each in contrasts(visitor.page)]
    return found


@pytest.mark.parametrize("address", [*WRITTEN, "404.html"])
def test_a_page_in_the_dark(address: str, reader: Reader, site: Path) -> None:
    found = unreadable(reader, site, [address])
    assert not found, "\n".join(found)


def test_generated_pages_in_the_dark(reader: Reader, site: Path, addresses: list[str]) -> None:
    found = unreadable(reader, site, generated(site, addresses))
    assert not found, "\n".join(found)
