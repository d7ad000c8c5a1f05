"""Measures what importing the package costs a process: processor time of a whole start, the best of 25 each, in milliseconds
beside `import json`.  Processor time, as the wall's says more about what else the machine does."""

import resource
import subprocess
import sys

EVERYTHING = "import json, gputide; [getattr(gputide, name) for name in gputide.__all__]; gputide.library_path()"


def spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def milliseconds(code: str) -> float:
    best = 1e9
    for _ in range(25):
        before = spent()
        subprocess.run([sys.executable, "-c", code], check=True)
        best = min(best, spent() - before)
    return best * 1000


base = milliseconds("import json")
print(f"{milliseconds('import json, gputide') - base:.1f} {milliseconds(EVERYTHING) - base:.1f}")
