"""What runs: the library's release, its features, how it was built."""

from __future__ import annotations

from . import _abi
from ._call import JsonText
from ._load import library


def library_version() -> str:
    """ "0.2.0"."""
    return (library().version() or b"").decode()


def features() -> frozenset[str]:
    """Of "yaml" (manifests may be YAML) and "http2", those that the library was built with."""
    bits = library().features()
    known = {"yaml": _abi.FEATURE_YAML, "http2": _abi.FEATURE_HTTP2}
    return frozenset(name for name, bit in known.items() if bits & bit)


def build_info() -> JsonText:
    """Compiler and dependency versions, for bug reports."""
    return JsonText((library().build_info() or b"").decode())
