#!/usr/bin/env python3
"""wheel_test.py WHEEL, run by an interpreter that has it installed and no library elsewhere: its tag, its size, what is in
it, the licenses of its parts, and a decision by the library inside."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import gputide

MANIFEST = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  triggers: [{type: values, metadata: {threshold: "5"}}]
"""

wheel = Path(sys.argv[1])
size_mib = wheel.stat().st_size / 2**20
archive = zipfile.ZipFile(wheel)
names = archive.namelist()
print(f"{wheel.name}: {size_mib:.2f} MiB, {len(names)} files")
assert "-py3-none-" in wheel.name and not wheel.name.endswith("-any.whl"), "the tag"
assert size_mib <= 8, "the size"
assert {"gputide/libgputide-full.so.1", "gputide/py.typed", "gputide/__init__.py"} <= set(names), names
assert all(name.startswith(("gputide/", "gputide-")) for name in names), names
assert not [name for name in names if "conformance" in name], "what only tests run is inside"
inside = Path(gputide.__file__).with_name("libgputide-full.so.1")
assert Path(gputide.library_path()) == inside, gputide.library_path()
sections = subprocess.run(["readelf", "--wide", "--sections", inside], capture_output=True, text=True, check=True).stdout
assert ".symtab" not in sections and ".debug_info" not in sections, "the library is not stripped"


def metadata(name):
    return archive.read(f"gputide-{gputide.__version__}.dist-info/{name}").decode()


said = metadata("METADATA")
for line in ["License-Expression: Apache-2.0", "License-File: LICENSE", "Author: ", "Keywords: ", "Project-URL: Homepage, https://"]:
    assert re.search(f"^{line}", said, re.MULTILINE), f"METADATA lacks {line}"
assert not re.findall(r"\]\((?!https://|#)[^)]*\)", said), "a link of the description leads nowhere on the package index"
assert "Apache License" in metadata("licenses/LICENSE")
parts = {component["name"]: component["version"] for component in json.loads(metadata("sboms/sbom.cdx.json"))["components"]}
expected = {"simdjson"}
if "libcurl" not in subprocess.run(["readelf", "--dynamic", inside], capture_output=True, text=True, check=True).stdout:
    expected |= {"curl", "nghttp2", "openssl", "zlib", "libyaml", "abseil", "libstdc++"}
assert parts.keys() == expected and all(parts.values()), parts
notices = metadata("licenses/THIRD_PARTY_NOTICES")
assert all(f"\n{name} {version}\n" in notices for name, version in parts.items()), "a part has no notice"
assert notices.count("Copyright") >= len(parts) and "was not on the machine" not in notices, "a notice has no text"

with gputide.Policy(MANIFEST) as policy, policy.new_state() as state:
    decision = state.decide(current=3, samples=[42.5], now=1_795_255_200_000)
assert (decision.current, decision.desired) == (3, 6), decision
