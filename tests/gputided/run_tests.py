#!/usr/bin/env python3
"""Runs suites of tests against one gputided, and then looks for secrets in everything that they have captured.

    run_tests.py PROGRAM SUITE...       for example run_tests.py build/dev/gputided usage_test
"""
from __future__ import annotations

import shutil
import sys
import unittest

import harness


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    harness.PROGRAM = sys.argv[1]
    try:
        suites = unittest.defaultTestLoader.loadTestsFromNames([*sys.argv[2:], "secrets_test"])
        return 0 if unittest.TextTestRunner(verbosity=2).run(suites).wasSuccessful() else 1
    finally:
        shutil.rmtree(harness.WORK, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
