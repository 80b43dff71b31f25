"""Every page on a phone: its room, its type, and what axe finds but contrasts."""

from pathlib import Path

import pytest
from browser import LOOKED_AT, WRITTEN, Reader
from visits import Visitor, generated

pytestmark = LOOKED_AT
PHONE = {"width": 390, "height": 844}
# A window of 1280 pixels at 400 % has the room of 320 (WCAG 1.4.10).
WIDTHS = (320,)


@pytest.mark.parametrize("address", [*WRITTEN, "404.html"])
def test_a_page_on_a_phone(address: str, reader: Reader, site: Path) -> None:
    visitor = Visitor(reader, site, color_scheme="light", viewport=PHONE)
    found = visitor.inspect(address, WIDTHS, colours=False)
    assert not found, "\n".join(found)


def test_generated_pages_on_a_phone(reader: Reader, site: Path, addresses: list[str]) -> None:
    visitor = Visitor(reader, site, color_scheme="light", viewport=PHONE)
    sample = generated(site, addresses)
    found = [each for address in sample for each in visitor.inspect(address, WIDTHS, colours=False)]
    assert not found, "\n".join(found)
