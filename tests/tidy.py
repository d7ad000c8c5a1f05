#!/usr/bin/env python3
"""Runs clang-tidy over the library, the examples and the benchmarks.

    tests/tidy.py [REGEX]      REGEX: of the units that are looked at, for example src/CMakeFiles/gputide_decide

Neighboring files are read together, as CMake's units have them, which takes a quarter of the time: most of it goes into the headers.
clang's analyser looks into the files that a unit includes where the unit is called UnifiedSource, so they get that name here
(llvm clang/include/clang/StaticAnalyzer/Core/PathSensitive/AnalysisManager.h, isInCodeFile).  Exit status 0: nothing was found.
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/tidy"
UNIFIED = BUILD / "unified"
FOLDERS = "src|examples|bench"


def main() -> int:
    subprocess.run(["cmake", "--preset", "clang", "-B", BUILD, "-Wno-dev", "-DGPUTIDE_UNITS=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "gputided_pages"], check=True, stdout=subprocess.DEVNULL)
    commands = [unified(load) for load in json.loads((BUILD / "compile_commands.json").read_text())]
    UNIFIED.mkdir(exist_ok=True)
    (UNIFIED / "compile_commands.json").write_text(json.dumps(commands))
    wanted = f"^{ROOT}/(build/tidy/)?" + (sys.argv[1] if len(sys.argv) > 1 else f"({FOLDERS})/")
    if not any(re.match(wanted, command["file"]) for command in commands):
        print(f"tidy.py: no unit matches {wanted}", file=sys.stderr)
        return 2
    # A unit includes *.cpp files, which is what it is for.
    ran = subprocess.run(["run-clang-tidy", "-quiet", "-j", str(os.cpu_count()), "-p", UNIFIED, "-checks=-bugprone-suspicious-include", wanted],
                         cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    (BUILD / "tidy.log").write_text(ran.stdout)
    found = sorted({line for line in ran.stdout.splitlines() if re.search(r"(warning|error):", line)})
    print("\n".join(found or ran.stdout.splitlines()[-20:] if ran.returncode else found))
    return ran.returncode


def unified(command: dict[str, str]) -> dict[str, str]:
    unit = pathlib.Path(command["file"])
    if not unit.name.startswith("unity_"):
        return command
    source = unit.with_name(unit.name.replace("unity_", "UnifiedSource_"))
    source.write_text(unit.read_text())
    return {**command, "file": str(source), "command": command["command"].replace(str(unit), str(source))}


if __name__ == "__main__":
    sys.exit(main())
