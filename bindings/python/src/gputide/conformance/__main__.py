"""python3 -m gputide.conformance: one line in, one line out, until the input ends."""

from __future__ import annotations

import json
import sys
import warnings

import gputide

from . import calls
from .case import Case


def main() -> int:
    warnings.simplefilter("ignore", ResourceWarning)  # "close":"collect" forgets handles on purpose
    _say(
        {
            "door": 1,
            "binding": "python",
            "version": gputide.__version__,
            "abi": gputide.ABI_VERSION,
            "library": gputide.library_path(),
            "calls": sorted(calls.CALLS),
        }
    )
    for line in sys.stdin.buffer:
        _say(Case(json.loads(line)).answer())
    return 0


def _say(answer: object) -> None:
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
