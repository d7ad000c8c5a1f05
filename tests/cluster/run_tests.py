#!/usr/bin/env python3
"""Runs the scenarios on one control plane, and then looks for secrets in everything that was captured.

    run_tests.py GPUTIDED PROGRAMS [--full] [TEST...]
    for example run_tests.py build/release/examples/gputided/gputided ~/.cache/gputide/cluster/v1.36.3 lead_test.Leading
"""
from __future__ import annotations

import os
import pathlib
import shutil
import sys
import time
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gputided")]

import case  # noqa: E402
import harness  # noqa: E402
from control_plane import ControlPlane  # noqa: E402
from gauges import Gauges  # noqa: E402

SUITES = ["scaling_test", "lead_test", "trouble_test", "rivals_test", "nodes_test", "doctor_test",
          "install_test", "handover_test"]


def main() -> int:
    arguments = [one for one in sys.argv[1:] if one != "--full"]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    case.IS_QUICK = "--full" not in sys.argv
    harness.PROGRAM = arguments[0]
    began = time.monotonic()
    try:
        with ControlPlane(pathlib.Path(arguments[1])) as plane, Gauges() as gauges:
            case.World.plane, case.World.gauges = plane, gauges
            case.World.prepare()
            print(f"control plane ready after {time.monotonic() - began:.1f} s", file=sys.stderr)
            suites = unittest.defaultTestLoader.loadTestsFromNames(arguments[2:] or [*SUITES, "secrets_test"])
            passed = unittest.TextTestRunner(verbosity=2).run(suites).wasSuccessful()
        for test, what, value in case.figures:
            print(f"{test}: {what}: {value}")
        return 0 if passed else 1
    finally:
        if "KEEP" in os.environ:
            print(f"kept: {harness.WORK}", file=sys.stderr)
        else:
            shutil.rmtree(harness.WORK, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
