"""Where the live page is, as somebody can type it on this machine or another."""

import ipaddress
import socket


def page_url(address: str, port: int) -> str:
    """The page's URL; one that is served at every address of this machine is known by the machine's name."""
    if is_everywhere(address):
        return f"http://{socket.gethostname()}:{port}, or at any address of this machine"
    is_ipv6 = address != "localhost" and ipaddress.ip_address(address).version == 6
    return f"http://{f'[{address}]' if is_ipv6 else address}:{port}"


def is_everywhere(address: str) -> bool:
    return address != "localhost" and ipaddress.ip_address(address).is_unspecified
