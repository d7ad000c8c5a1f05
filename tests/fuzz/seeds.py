#!/usr/bin/env python3
"""Writes what the fuzzers begin with: OUT/FUZZER/*, one file per text that the rest of the project already holds.

    tests/fuzz/seeds.py OUT
    tests/fuzz/seeds.py --run PROGRAM    runs PROGRAM once over the corpus alone

The corpus is what nothing else holds, inputs that once failed among them: corpus.json, and corpus/FUZZER/* for long inputs.
corpus.json has for each fuzzer names of inputs: a text, an array of lines, {"json": a document} or {"base64": bytes}.
"""
import base64
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def cases(name):
    return json.loads((ROOT / "tests/cases" / f"{name}.json").read_text())["cases"]


def bodies(name):
    for case in cases(name):
        body = case.get("body")
        if isinstance(body, str):
            yield body.encode()
        elif "body_b64" in case:
            yield base64.b64decode(case["body_b64"])


def manifests():
    for path in (ROOT / "examples/manifests").glob("*.yaml"):
        yield path.read_bytes()
    for path in (ROOT / "docs").rglob("*.md"):
        for block in re.findall(r"```yaml\n(.*?)```", path.read_text(), re.S):
            yield block.encode()
    for case in cases("keda-prometheus"):
        if "metadata" in case:
            yield json.dumps(scaled_object(case["metadata"])).encode()


def scaled_object(metadata):
    trigger = {"type": "prometheus", "metadata": metadata}
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "a"},
            "spec": {"scaleTargetRef": {"name": "a"}, "triggers": [trigger]}}


def formulas():
    """Writes a byte for the profile and two values before the text; its variables are a and b."""
    head = b"\0" + struct.pack("<2d", 1.5, 40)
    for name in ("keda-fallback", "keda-executor"):
        for case in cases(name):
            text = case.get("formula") or (case.get("scalingModifiers") or {}).get("formula")
            if text:
                yield head + re.sub(r"\w+_two|cron_trig|mem", "b", re.sub(r"\w+_one|workload_trig|util|x\b", "a", text)).encode()


def answers_at(location):
    """The input of metrics-api: the location, a line end, an answer."""
    for name in ("prometheus-api", "exposition"):
        for body in bodies(name):
            yield location + b"\n" + body


def clusters():
    for path in (ROOT / "examples/nodes").glob("*.yaml"):
        yield path.read_bytes()
    for case in cases("node-estimate"):
        yield json.dumps(case["input"]).encode()


def peers_answers(name):
    """The bodies of the answers in a file of exchanges, or of single responses."""
    for case in cases(name):
        for exchange in case.get("exchanges") or [case]:
            body = (exchange.get("response") or {}).get("body")
            if body is not None:
                yield (body if isinstance(body, str) else json.dumps(body)).encode()


def keys():
    """Keys and certificates of the assertions, in PEM armour and as they stand in it."""
    assertions = json.loads((ROOT / "tests/cases/azure-token.json").read_text())["jwt_assertions"]
    for member, text in assertions.items():
        if member.endswith("certificate_pem"):
            yield text.encode()
        label = str(assertions.get(member.replace("_der_base64", "_pem_label"), "")).replace(" + ", " ")
        if member.endswith("_der_base64") and label:
            lines = "\n".join(re.findall(".{1,64}", text))
            yield f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n".encode()
    yield base64.b64decode(assertions["pkcs12_base64"])
    yield from keys_hashed_once()


def keys_hashed_once():
    """A small key and its certificate in each of their forms, a password hashed once where there is one: hashing it 2,048 times, as
    is usual, would take nearly all of a fuzzer's time."""
    def openssl(*arguments, text=b""):
        return subprocess.run(["openssl", *arguments], input=text, capture_output=True, check=True).stdout

    with tempfile.NamedTemporaryFile() as file:
        key = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file.name) or file.read()
        certificate = openssl("req", "-x509", "-new", "-key", file.name, "-subj", "/CN=host.example", "-days", "30")
        file.write(certificate)
        file.flush()
        for password in ("password", ""):
            for cipher in ("AES-128-CBC", "PBE-SHA1-3DES"):
                yield openssl("pkcs12", "-export", "-iter", "1", "-in", file.name, "-keypbe", cipher, "-certpbe", cipher,
                              "-passout", f"pass:{password}")
    locked = openssl("pkcs8", "-topk8", "-iter", "1", "-passout", "pass:password", text=key)
    yield from (key, certificate, certificate + key, certificate + locked, locked,
                openssl("pkey", "-outform", "DER", text=key), openssl("x509", "-outform", "DER", text=certificate))


def watches():
    """A byte for the size of the pieces stands before the lines."""
    for piece in (6, 250):
        for body in bodies("k8s-metrics-api"):
            lines = [b'{"type":"ADDED","object":%s}' % body.replace(b"\n", b" "),
                     b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}',
                     b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}']
            yield bytes([piece]) + b"\n".join(lines) + b"\n"
    for case in cases("keda-prometheus"):
        if "metadata" in case:
            yield b"\x06" + json.dumps({"type": "ADDED", "object": scaled_object(case["metadata"])}).encode() + b"\n"


def small_texts():
    for case in cases("k8s-quantity"):
        if isinstance(case.get("in"), str):
            yield case["in"].encode()
    for case in cases("keda-cron"):
        for member in ("start", "end"):
            line = case.get("metadata", {}).get(member)
            if isinstance(line, str):
                yield line.encode()


SEEDS = {
    "azure": lambda: peers_answers("azure-metrics"),
    "certificate": keys,
    "dcgm": lambda: bodies("exposition"),
    "token": lambda: peers_answers("azure-token"),
    "exposition": lambda: bodies("exposition"),
    "formula": formulas,
    "kubernetes": lambda: bodies("k8s-metrics-api"),
    "manifest": manifests,
    "metrics_api": lambda: answers_at(b"data.result.0.value.1"),
    "prometheus": lambda: bodies("prometheus-api"),
    "nodes": clusters,
    "text": small_texts,
    "watch": watches,
}


def document(value):
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def input_of(entry):
    if isinstance(entry, dict):
        return base64.b64decode(entry["base64"]) if "base64" in entry else document(entry["json"])
    return ("\n".join(entry) if isinstance(entry, list) else entry).encode()


def write_corpus(out):
    for fuzzer, inputs in json.loads((HERE / "corpus.json").read_text()).items():
        folder = out / fuzzer
        folder.mkdir(parents=True, exist_ok=True)
        for name, entry in inputs.items():
            (folder / name).write_bytes(input_of(entry))


def run_corpus(program):
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(pathlib.Path(folder))
        return subprocess.run([program, folder, HERE / "corpus"]).returncode


def main(out):
    write_corpus(out)
    for fuzzer, texts in SEEDS.items():
        folder = out / fuzzer
        folder.mkdir(parents=True, exist_ok=True)
        written = 0
        for text in texts():
            (folder / hashlib.sha1(text).hexdigest()).write_bytes(text)
            written += 1
        if not written:
            sys.exit(f"seeds.py: {fuzzer}: no text was found; where has it gone?")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--run":
        sys.exit(run_corpus(sys.argv[2]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
