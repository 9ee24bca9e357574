"""Who may use a server that other machines reach: its addresses, and the token that requests from them need."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

TOKEN = "token"
COOKIE = "puzzlelab-token"
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
PROBE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737): a socket that is bound for it knows which of its own it would use."""


@dataclass(frozen=True)
class Access:
    """Which names of the server are accepted, and the token for requests from other machines."""

    names: frozenset[str] = frozenset()
    """Names that a Host header may have beside those of this machine; without any, every name is accepted."""
    any_address: bool = False
    """Whether it may have every IP address: a page of another site cannot get at a server by that."""
    token: str | None = None

    def knows(self, host: str) -> bool:
        """Whether the value of a Host header names this server, so that no other name was pointed at its address."""
        if not self.names:
            return True
        name = host_name(host)
        return name in self.names or name in LOCAL_NAMES or (self.any_address and is_address(name))

    def allows(self, client: str, given: str) -> bool:
        """Whether a request from this address, with this token or none, may pass."""
        if self.token is None or is_loopback(client):
            return True
        return hmac.compare_digest(given.encode(), self.token.encode())


def host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    text = host.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


def is_address(text: str) -> bool:
    """Whether a text is an IP address."""
    try:
        ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True


def is_loopback(ip: str) -> bool:
    """Whether an address is one of this machine alone; also an IPv4 address that is written as IPv6."""
    try:
        address = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def given_token(query: str, cookies: str) -> tuple[str, bool]:
    """The token of a request, and whether it stands in its address."""
    in_query = dict(parse_qsl(query)).get(TOKEN)
    if in_query is not None:
        return in_query, True
    try:
        cookie = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        cookie = None
    return (cookie.value if cookie is not None else ""), False


def without_token(path: str, query: str) -> str:
    """The address of a request without the token."""
    rest = urlencode([(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != TOKEN])
    return "/" + path.lstrip("/") + (f"?{rest}" if rest else "")


def network_address() -> str | None:
    """The address of this machine in its network, or None if it is in none; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(PROBE)
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if is_loopback(address) else address
