#!/usr/bin/env python3
"""jar_test.py POM TARGET: what `mvn package` made has what Maven's central repository asks for, the licenses of what is inside, a
stripped library, and nothing that only tests run."""

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

POM = {"m": "http://maven.apache.org/POM/4.0.0"}

pom, target = ElementTree.parse(sys.argv[1]).getroot(), Path(sys.argv[2])
for path in ["name", "description", "url", "licenses/license/url", "developers/developer/name", "scm/connection", "scm/url"]:
    assert pom.findtext("/".join(f"m:{part}" for part in path.split("/")), namespaces=POM), f"pom.xml has no {path}"
name = f"{pom.findtext('m:artifactId', namespaces=POM)}-{pom.findtext('m:version', namespaces=POM)}"


def entries(suffix):
    return zipfile.ZipFile(target / f"{name}{suffix}.jar")


for suffix in ["", "-sources", "-javadoc"]:
    found = [entry for entry in entries(suffix).namelist() if "conformance" in entry]
    assert not found, f"{name}{suffix}.jar has what only tests run: {found}"
assert "io/gputide/Policy.java" in entries("-sources").namelist()
assert any(entry.endswith("io/gputide/Policy.html") for entry in entries("-javadoc").namelist())
jar = entries("")
assert b"Apache License" in jar.read("META-INF/LICENSE")
bills = [entry for entry in jar.namelist() if entry.endswith("sbom.cdx.json")]
for bill in bills:
    parts = json.loads(jar.read(bill))["components"]
    notices = jar.read(bill.replace("sbom.cdx.json", "THIRD_PARTY_NOTICES")).decode()
    assert parts and all(f"\n{item['name']} {item['version']}\n" in notices for item in parts), parts
libraries = [entry for entry in jar.namelist() if ".so" in entry]
assert bills and len(libraries) == 2 * len(bills), f"shim and library for each machine: {libraries}"
with tempfile.TemporaryDirectory() as folder:
    for library in libraries:
        command = ["readelf", "--wide", "--sections", jar.extract(library, folder)]
        sections = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert ".symtab" not in sections and ".debug_info" not in sections, f"{library} is not stripped"
print(f"{name}.jar: {(target / f'{name}.jar').stat().st_size} bytes")
