#!/usr/bin/env python3
"""Prints a projected service-account token, as the kubelet writes it into a pod for workload identity.

In: the cluster issuer's private key and what the token shall say.  Out: the token on stdout, without a line end, as in the
mounted file.  The pod is that of the quickstart; a real cluster puts its own names here.
"""
from __future__ import annotations

import argparse
import sys
import time
import uuid
from pathlib import Path

import jws

AUDIENCE = "api://AzureADTokenExchange"


def claims(issuer: str, subject: str, audience: str, lifetime_s: int, now_s: int) -> dict[str, object]:
    _, _, namespace, account = subject.split(":")
    return {
        "aud": [audience],
        "exp": now_s + lifetime_s,
        "iat": now_s,
        "iss": issuer,
        "jti": str(uuid.uuid4()),
        "kubernetes.io": {
            "namespace": namespace,
            "pod": {"name": f"{account}-6d8f9c7b5-abcde", "uid": str(uuid.uuid4())},
            "serviceaccount": {"name": account, "uid": str(uuid.uuid4())},
        },
        "nbf": now_s,
        "sub": subject,
    }


def service_account(text: str) -> str:
    if text.split(":")[:2] != ["system", "serviceaccount"] or text.count(":") != 3:
        raise argparse.ArgumentTypeError(f"expected system:serviceaccount:NAMESPACE:NAME, got {text}")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--key", type=Path, required=True, help="PEM file of the cluster issuer's RSA private key")
    parser.add_argument("--issuer", required=True)
    parser.add_argument("--subject", type=service_account, required=True)
    parser.add_argument("--audience", default=AUDIENCE)
    parser.add_argument("--lifetime", type=int, default=3600, help="seconds; negative makes an expired one (default %(default)s)")
    given = parser.parse_args()
    now_s = int(time.time()) - (2 * abs(given.lifetime) if given.lifetime < 0 else 0)
    sys.stdout.write(jws.sign(given.key, claims(given.issuer, given.subject, given.audience, abs(given.lifetime), now_s)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
