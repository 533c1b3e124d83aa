"""Where the live page is, as somebody can type it on this machine or another."""

import ipaddress
import socket

ELSEWHERE = ("192.0.2.1", 9)  # an address that nobody has; nothing is sent there


def page_url(address: str, port: int) -> str:
    """The page's URL; one that is served at every address of this machine has none of its own."""
    if is_everywhere(address):
        return f"http://{own_address() or 'THIS-MACHINE'}:{port}, and all other addresses of this machine"
    is_ipv6 = address != "localhost" and ipaddress.ip_address(address).version == 6
    return f"http://{f'[{address}]' if is_ipv6 else address}:{port}"


def is_everywhere(address: str) -> bool:
    return address != "localhost" and ipaddress.ip_address(address).is_unspecified


def own_address() -> str | None:
    """The address by which this machine goes to the network, if there is one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(ELSEWHERE)
        except OSError:
            return None
        return way.getsockname()[0]
