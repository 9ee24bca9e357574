"""The programs that may ask the server: those of this machine, and others by the token."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers

TOKEN = "token"
COOKIE = "puzzlelab-token"
FORWARDERS = ("forwarded", "via", "x-forwarded", "x-real-ip")
"""The beginnings of the names of headers that another server adds to a request which it passes on."""
PROBE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737): a socket that is bound for it knows which of its own it would use."""


def is_from_here(client: str, headers: Headers) -> bool:
    """Tell whether a program of this machine sent a request itself, to a name that means this machine everywhere.

    The page of another site may have pointed another name at this server, and a forwarder passes on what others ask.
    """
    is_forwarded = any(name.startswith(FORWARDERS) for name in headers)
    return is_loopback(client) and is_local_name(host_name(headers.get("host", ""))) and not is_forwarded


def has_token(token: str, given: list[str]) -> bool:
    """Tell whether the token is among those of a request."""
    return any(hmac.compare_digest(each.encode(), token.encode()) for each in given)


def tokens_in_address(query: str) -> list[str]:
    """Return the tokens in the query of an address."""
    return [value for name, value in parse_qsl(query) if name == TOKEN]


def tokens_in_cookies(headers: Headers) -> list[str]:
    """Return the tokens in the cookies of a request; whatever else they hold is passed over, readable or not."""
    pairs = (cookie.strip().partition("=") for line in headers.getlist("cookie") for cookie in line.split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


def without_token(path: str, query: str) -> str:
    """Return the address of a request without the token."""
    rest = urlencode([(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != TOKEN])
    return "/" + path.lstrip("/") + (f"?{rest}" if rest else "")


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    text = host.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


def is_local_name(name: str) -> bool:
    """Tell whether a name means the machine itself, wherever it is looked up."""
    return name.lower() == "localhost" or is_loopback(name)


def is_loopback(ip: str) -> bool:
    """Tell whether an address is one of this machine alone; also an IPv4 address that is written as IPv6."""
    try:
        address = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def network_address() -> str | None:
    """Return the address of this machine in its network, or None if it is in none; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(PROBE)
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if is_loopback(address) else address
