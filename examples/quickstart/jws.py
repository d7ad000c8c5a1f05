"""JSON Web Tokens signed with RS256, by way of the openssl command: sign, take apart, verify.

In: PEM files and claims.  Out: compact tokens, or their claims.  Standard library and /usr/bin/openssl only.
Never trusts the header's own word on algorithm or key: the caller names the key, and RS256 is the only algorithm.
"""
from __future__ import annotations

import base64
import binascii
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_TOKEN_BYTES = 16 * 1024


class NotAToken(ValueError):
    """The text is not a JWT in compact form."""


@dataclass(frozen=True)
class Token:
    header: dict[str, Any]
    claims: dict[str, Any]
    signed: bytes  # what the signature covers
    signature: bytes


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64url(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as why:
        raise NotAToken(str(why)) from None


def sign(key: Path, claims: dict[str, Any], header: dict[str, Any] | None = None) -> str:
    """A compact token over the claims, signed with the RSA private key in the PEM file."""
    parts = [{"alg": "RS256", "typ": "JWT"} | (header or {}), claims]
    signed = ".".join(b64url(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    made = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed.encode(), capture_output=True, check=True)
    return f"{signed}.{b64url(made.stdout)}"


def parse(text: str) -> Token:
    """Takes a compact token apart; checks its form, not its signature."""
    if len(text) > MOST_TOKEN_BYTES or not re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", text, re.ASCII):
        raise NotAToken("expected three base64url parts joined by dots")
    header, claims, signature = text.split(".")
    return Token(_object(header), _object(claims), f"{header}.{claims}".encode(), unb64url(signature))


def _object(part: str) -> dict[str, Any]:
    try:
        value = json.loads(unb64url(part))
    except (ValueError, RecursionError):
        raise NotAToken("a part is not base64url of JSON") from None
    if not isinstance(value, dict):
        raise NotAToken("a part is not a JSON object")
    return value


def verified(token: Token, public_key: Path) -> bool:
    """Whether the token was signed by the owner of the public key, with RS256."""
    if token.header.get("alg") != "RS256":
        return False
    reader, writer = os.pipe()  # openssl wants the signature as a file; 256 bytes always fit into a pipe
    try:
        os.write(writer, token.signature[:4096])
        os.close(writer)
        done = subprocess.run(["openssl", "dgst", "-sha256", "-verify", public_key, "-signature", f"/dev/fd/{reader}"],
                              input=token.signed, capture_output=True, pass_fds=[reader])
    finally:
        os.close(reader)
    return done.returncode == 0
