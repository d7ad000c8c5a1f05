"""The running library: the library's release, its features, how it was built."""

from __future__ import annotations

from . import _abi
from ._call import JsonText
from ._load import library


def library_version() -> str:
    """ "0.3.0"."""
    return (library().version() or b"").decode()


def features() -> frozenset[str]:
    """Returns the library's features: its components "pure", "core", "plan" and "kubernetes", and "yaml", "http2", "cron"."""
    bits = library().features()
    prefix = "FEATURE_"
    known = {name[len(prefix) :].lower(): bit for name, bit in vars(_abi).items() if name.startswith(prefix)}
    return frozenset(name for name, bit in known.items() if bits & bit)


def build_info() -> JsonText:
    """Compiler and dependency versions, for bug reports."""
    return JsonText((library().build_info() or b"").decode())
