"""Every page in the dark: its contrasts."""

from pathlib import Path

import pytest
from browser import LOOKED_AT, WRITTEN, Reader
from visits import CONTRAST, OPEN, Visitor, ask, generated, violations

pytestmark = LOOKED_AT


def contrasts(reader: Reader, site: Path, addresses: list[str]) -> list[str]:
    """What cannot be read well, page by page."""
    visitor = Visitor(reader, site, color_scheme="dark", viewport={"width": 1280, "height": 800})
    found = []
    for address in addresses:
        visitor.open(address)
        ask(visitor.page, OPEN)
        found += [f"{address}: {each}" for each in violations(visitor.page, CONTRAST)]
    return found


@pytest.mark.parametrize("address", [*WRITTEN, "404.html"])
def test_a_page_in_the_dark(address: str, reader: Reader, site: Path) -> None:
    found = contrasts(reader, site, [address])
    assert not found, "\n".join(found)


def test_generated_pages_in_the_dark(reader: Reader, site: Path, addresses: list[str]) -> None:
    found = contrasts(reader, site, generated(site, addresses))
    assert not found, "\n".join(found)
