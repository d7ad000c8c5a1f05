"""scikit-build-core's build, after the raw layer was written: bindings/generator makes it of the headers; an sdist has it."""

import subprocess
import sys
from pathlib import Path

from scikit_build_core.build import *  # noqa: F403

TREE = Path(__file__).resolve().parents[2]
if (TREE / "bindings" / "generator").is_dir():
    subprocess.run([sys.executable, "-m", "bindings.generator", "python"], cwd=TREE, check=True, stdout=subprocess.DEVNULL)
