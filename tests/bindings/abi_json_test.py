#!/usr/bin/env python3
"""abi.json is enough to make a binding of: declarations for LuaJIT come of it alone, and decide through the library.

    abi_json_test.py ABI_JSON LIBRARY
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent / "abi_json"
ABI, LIBRARY = (Path(path).resolve() for path in (sys.argv[1:3] if len(sys.argv) > 2 else ("abi.json", "libgputide.so.1")))
DECISION = "3 -> 6, limited by scale_up_limit"
FAILURE = r"E_INVALID.*threshold.*\"many\""


class FromAbiJsonAlone(unittest.TestCase):
    def setUp(self):
        self.assertIsNotNone(shutil.which("luajit"), "luajit is missing: apt-get install luajit")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # The name by which a program asks for it, whatever this build calls the file.
        (self.folder / "libgputide.so.1").symlink_to(LIBRARY)

    def run_in_folder(self, *command):
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "LD_LIBRARY_PATH": str(self.folder), "GPUTIDE_LIBRARY": str(LIBRARY)},
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def write(self, emitter, name):
        """Writes a binding by its emitter, with nothing of this tree in reach but abi.json."""
        shutil.copy(ABI, self.folder / "abi.json")
        text = self.run_in_folder(sys.executable, "-I", str(HERE / emitter), "abi.json")
        (self.folder / name).write_text(text, encoding="utf-8")

    def test_luajit(self):
        self.write("luajit.py", "gputide.lua")
        lines = self.run_in_folder("luajit", str(HERE / "decide.lua")).splitlines()
        self.assertEqual(lines[0], DECISION)
        self.assertEqual(lines[1], "s0-values\tnil")
        self.assertRegex(lines[2], FAILURE)
        self.assertRegex(lines[3], "^false\t.*gputide_policy_open: manifest is missing")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
