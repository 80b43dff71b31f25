"""Every page in a wide window, in the light: its room, its type, and all that axe knows."""

from pathlib import Path

import pytest
from browser import LOOKED_AT, WRITTEN, Reader
from visits import Visitor, generated

pytestmark = LOOKED_AT
WINDOW = {"width": 1280, "height": 800}
WIDTHS = (1440, 1220, 1024, 768)


@pytest.mark.parametrize("address", [*WRITTEN, "404.html"])
def test_a_page_in_a_wide_window(address: str, reader: Reader, site: Path) -> None:
    visitor = Visitor(reader, site, color_scheme="light", viewport=WINDOW)
    found = visitor.inspect(address, WIDTHS, colours=True)
    assert not found, "\n".join(found)


def test_generated_pages_in_a_wide_window(reader: Reader, site: Path, addresses: list[str]) -> None:
    visitor = Visitor(reader, site, color_scheme="light", viewport=WINDOW)
    sample = generated(site, addresses)
    assert len(sample) >= 6
    found = [each for address in sample for each in visitor.inspect(address, WIDTHS, colours=True)]
    assert not found, "\n".join(found)
