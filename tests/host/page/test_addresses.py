"""Where the live page is, in words that somebody can type."""

import pytest

from host.page import addresses
from host.page.addresses import page_url


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("localhost", "http://localhost:8080"),
        ("::1", "http://[::1]:8080"),
        ("10.1.2.3", "http://10.1.2.3:8080"),
    ],
)
def test_an_address_is_its_own_url(address, url):
    assert page_url(address, 8080) == url


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_every_address_is_said_as_one_that_can_be_typed(monkeypatch, address):
    monkeypatch.setattr(addresses.socket, "gethostname", lambda: "pit-3")
    assert page_url(address, 8080) == "http://pit-3:8080, or at any address of this machine"
