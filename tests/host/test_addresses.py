"""Where the live page is, in words that somebody can type."""

import socket

import pytest

from host import addresses
from host.addresses import own_address, page_url


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
    monkeypatch.setattr(addresses, "own_address", lambda: "10.1.2.3")
    assert page_url(address, 8080) == "http://10.1.2.3:8080, and all other addresses of this machine"
    monkeypatch.setattr(addresses, "own_address", lambda: None)
    assert page_url(address, 8080).startswith("http://THIS-MACHINE:8080, ")


def test_a_machine_without_a_network_has_no_address(monkeypatch):
    class Nowhere(socket.socket):
        def connect(self, address):
            raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(addresses.socket, "socket", Nowhere)
    assert own_address() is None
