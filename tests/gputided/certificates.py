"""A CA, a certificate of it for localhost and one for another host, and one for localhost by a CA that nobody trusts."""
from __future__ import annotations

import pathlib
import subprocess
from dataclasses import dataclass

import harness

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]


@dataclass
class Pair:
    certificate: str
    key: str


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def authority(name: str) -> Pair:
    pair = Pair(str(harness.WORK / f"{name}.crt"), str(harness.WORK / f"{name}.key"))
    if not pathlib.Path(pair.certificate).exists():
        openssl("req", "-x509", *KEY, "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                "-keyout", pair.key, "-out", pair.certificate)
    return pair


def server(by: Pair, name: str, alternative_names: str) -> Pair:
    pair = Pair(str(harness.WORK / f"{name}.crt"), str(harness.WORK / f"{name}.key"))
    if not pathlib.Path(pair.certificate).exists():
        request = str(harness.WORK / f"{name}.csr")
        extensions = harness.write(f"{name}.ext", f"subjectAltName={alternative_names}\nextendedKeyUsage=serverAuth\n")
        openssl("req", *KEY, "-subj", f"/CN={name}", "-keyout", pair.key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", by.certificate, "-CAkey", by.key, "-days", "2",
                "-extfile", extensions, "-out", pair.certificate)
    return pair


def trusted() -> Pair:
    return authority("ca")


def for_localhost() -> Pair:
    return server(trusted(), "localhost", "DNS:localhost,IP:127.0.0.1")


def for_another_host() -> Pair:
    return server(trusted(), "elsewhere", "DNS:elsewhere.invalid")


def by_a_stranger() -> Pair:
    return server(authority("strange-ca"), "strange", "DNS:localhost,IP:127.0.0.1")
