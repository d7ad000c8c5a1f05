#!/usr/bin/env python3
"""Runs the scenarios on one control plane, and then looks for secrets in everything that was captured.

    run_tests.py GPUTIDED PROGRAMS [--full] [--rivals FOLDER] [TEST...]      FOLDER: of KEDA's module; its own tests alone
    for example run_tests.py build/release/gputided ~/.cache/gputide/cluster/v1.37.2-... lead_test.Leading
"""
from __future__ import annotations

import contextlib
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
import keda_test  # noqa: E402
from control_plane import HPA_SYNC_S, ControlPlane  # noqa: E402
from gauges import Gauges  # noqa: E402
from keda import Keda  # noqa: E402

SUITES = ["scaling_test", "lead_test", "trouble_test", "rivals_test", "nodes_test", "pods_test", "jobs_test",
          "doctor_test", "access_test", "install_test", "handover_test", "restore_test", "documents_test", "many_test"]
RIVALS = ["keda_test", "keda_many_test"]


def main() -> int:
    arguments = [entry for entry in sys.argv[1:] if entry != "--full"]
    case.IS_QUICK = "--full" not in sys.argv
    source = None
    if "--rivals" in arguments[:-1]:
        at = arguments.index("--rivals")
        source = pathlib.Path(arguments[at + 1])
        del arguments[at:at + 2]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    harness.PROGRAM = arguments[0]
    sync_s = HPA_SYNC_S if source is None or case.IS_QUICK else keda_test.WHOLE.sync_s
    began = time.monotonic()
    try:
        with contextlib.ExitStack() as parts:
            plane = parts.enter_context(ControlPlane(pathlib.Path(arguments[1]), sync_s))
            case.World.plane, case.World.gauges = plane, parts.enter_context(Gauges())
            case.World.prepare(source)
            if source is not None:
                keda_test.make_namespace()
                examples = pathlib.Path(harness.PROGRAM).parent / "examples"
                case.World.external_scaler = str(examples / "external_scaler/gputide_external_scaler")
                case.World.keda = parts.enter_context(Keda(plane, source, [keda_test.RIVAL]))
            print(f"control plane ready after {time.monotonic() - began:.1f} s", file=sys.stderr)
            names = arguments[2:] or (RIVALS if source else [*SUITES, "secrets_test"])
            suites = unittest.defaultTestLoader.loadTestsFromNames(names)
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
