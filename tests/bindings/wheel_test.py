#!/usr/bin/env python3
"""wheel_test.py WHEEL, run by an interpreter that has it installed and no library elsewhere: its tag, its size, what is in
it, and a decision by the library inside."""

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
names = zipfile.ZipFile(wheel).namelist()
print(f"{wheel.name}: {size_mib:.2f} MiB, {len(names)} files")
assert "-py3-none-" in wheel.name and not wheel.name.endswith("-any.whl"), "the tag"
assert size_mib <= 8, "the size"
assert {"gputide/libgputide.so.1", "gputide/py.typed", "gputide/__init__.py"} <= set(names), names
assert all(name.startswith(("gputide/", "gputide-")) for name in names), names
inside = Path(gputide.__file__).with_name("libgputide.so.1")
assert Path(gputide.library_path()) == inside, gputide.library_path()
with gputide.Policy(MANIFEST) as policy, policy.new_state() as state:
    decision = state.decide(current=3, samples=[42.5], now=1_795_255_200_000)
assert (decision.current, decision.desired) == (3, 6), decision
