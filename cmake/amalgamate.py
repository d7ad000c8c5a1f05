#!/usr/bin/env python3
"""Writes the pure library as sources without a dependency: gputide_pure.cpp, gputide.h, plan.h and source.h, with their licenses.

    amalgamate.py [--simdjson FOLDER] OUT

FOLDER is simdjson's source; without it Debian's, of the version in cmake/debian.cmake.  The same tree always gives the same bytes.  Macros of
the result: GPUTIDE_YAML reads YAML, too, and needs libyaml (yaml.h); GPUTIDE_NO_THREADS is for a C++ library without threads;
GPUTIDE_SALT=NUMBER makes the ids of decisions, which are random, the same in each run.

Every file of the library becomes part of one translation unit, with the namespaces inside anonymous ones.  So the compiler drops what
no C function reaches, and what is only declared here, such as an HTTP client, is never needed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = {folder.name: folder for group in ("pure", "net", "core") for folder in (ROOT / "src" / group).iterdir() if folder.is_dir()}
MODULES |= {name: ROOT / "src" / name for name in ("capi", "kubernetes")}
HEADERS = ("gputide.h", "plan.h", "source.h")

# Whole modules in the order of the data flow; of the others the files that decisions reach: settings and their checks.
SOURCES = [
    "base", "text", "manifest", "wire", "formats", "forecast", "decide", "rightsize", "nodes", "jobs", "replay",
    "http/message.cpp", "http/wait.cpp",
    "auth/aws/open.cpp", "auth/azure/services.cpp", "auth/azure/workload_identity.cpp", "auth/machine/surroundings.cpp", "auth/open.cpp",
    "auth/tenant.cpp",
    "kube/endpoint.cpp", "kube/objects.cpp",
    "source/access/open.cpp", "source/access/settings.cpp", "source/azure", "source/azure_monitor", "source/cron/cron.cpp",
    "source/cron/schedule.cpp", "source/dcgm", "source/external/external.cpp", "source/external/messages.cpp",
    "source/external/settings.cpp", "source/grpc", "source/gpu/amd/adapter.cpp", "source/gpu/gpus.cpp",
    "source/gpu/judge.cpp", "source/gpu/nvml.cpp", "source/gpu/pods.cpp",
    "source/description.cpp", "source/known_metrics.cpp", "source/kubernetes", "source/log_analytics",
    "source/metrics_api", "source/presets.cpp", "source/prometheus", "source/query_shape.cpp",
    "source/registry.cpp", "source/target.cpp", "source/values",
    "pipeline",
    "capi/entry.cpp", "capi/text.cpp", "capi/names.cpp", "capi/options.cpp", "capi/observation.cpp", "capi/decision.cpp",
    "capi/policy.cpp", "capi/decide.cpp", "capi/forecast.cpp", "capi/replay.cpp", "capi/nodes.cpp", "capi/rightsize.cpp", "capi/flavor.cpp",
]  # fmt: skip

DEFINED = {"GPUTIDE_PURE_ONLY": True, "GPUTIDE_HAS_PLAN": True, "GPUTIDE_CRON": True, "GPUTIDE_HAS_CORE": False, "GPUTIDE_HAS_FULL": False}
# No thread, no I/O, no locale.
STANDARD = set(
    "algorithm array atomic bit cerrno charconv chrono cmath compare concepts cstddef cstdint cstdlib cstring deque exception functional"
    " initializer_list iterator limits map memory mutex new numeric optional set span string string_view system_error tuple"
    " type_traits unordered_map unordered_set utility variant vector".split()
)

PREAMBLE = """\
// gputide {version}: decisions, forecasts, replays, node plans and GPU needs as one file without a dependency.  Made by
// cmake/amalgamate.py of the gputide repository; change the sources there.
//   g++ -std=c++20 -O2 -ffp-contract=off -c gputide_pure.cpp
// -ffp-contract=off: a fused multiply-add would change the last bit of a ratio, and with it a decision.
// gputide is under the license of the file LICENSE.  It contains simdjson, Copyright 2018-2022 The simdjson authors, Apache License 2.0;
// THIRD_PARTY_NOTICES has the licenses of simdjson's parts.
#if defined(__FAST_MATH__)
#error "gputide needs the arithmetic of IEEE 754: compile gputide_pure.cpp without -ffast-math"
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#error "compile gputide_pure.cpp with -O1 or higher: at -O0 g++ keeps what is never called, and that is not all here"
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunneeded-internal-declaration"
#pragma clang diagnostic ignored "-Wundefined-internal"
#pragma clang diagnostic ignored "-Wunused-member-function"
#pragma clang diagnostic ignored "-Wunused-const-variable"
#pragma clang diagnostic ignored "-W#pragma-messages"
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wdeprecated-literal-operator"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#endif
// simdjson as in the library: the kernels haswell and fallback (on aarch64 arm64 and fallback), without development checks.
#define SIMDJSON_IMPLEMENTATION_WESTMERE 0
#define SIMDJSON_IMPLEMENTATION_ICELAKE 0
#define SIMDJSON_DEVELOPMENT_CHECKS 0
{includes}
#if defined(__wasi__) && !defined(GPUTIDE_NO_THREADS)
#define GPUTIDE_NO_THREADS 1
#endif
#ifdef GPUTIDE_NO_THREADS
#define GPUTIDE_THREAD_LOCAL
#else
#define GPUTIDE_THREAD_LOCAL thread_local
#include <mutex>
#endif

// Without exceptions a lack of memory ends the process.
#if defined(__cpp_exceptions)
#define GPUTIDE_TRY try
#define GPUTIDE_CATCH(declaration) catch (declaration)
#define GPUTIDE_CATCH_ALL catch (...)
#define GPUTIDE_THROW(value) throw value
#define GPUTIDE_THROW_AGAIN throw
#else
#define GPUTIDE_TRY if constexpr (true)
#define GPUTIDE_CATCH(declaration) else if (declaration = gputide_detail::never_caught(); false)
#define GPUTIDE_CATCH_ALL else
#define GPUTIDE_THROW(value) std::abort()
#define GPUTIDE_THROW_AGAIN std::abort()
#endif
namespace {{ namespace gputide_detail {{
#if !defined(__cpp_exceptions)
struct any_exception {{
    template <class T>
    operator const T&() const {{
        std::abort();
    }}
}};
[[maybe_unused]] any_exception never_caught() {{ return {{}}; }}
#endif
#ifdef GPUTIDE_NO_THREADS
struct mutex {{
    void lock() noexcept {{}}
    void unlock() noexcept {{}}
}};
template <class Mutex>
struct lock_guard {{
    explicit lock_guard(Mutex&) noexcept {{}}
    ~lock_guard() {{}}
}};
#else
using std::lock_guard;
using std::mutex;
#endif
}} }}  // namespace gputide_detail
"""


class Failure(Exception):
    """A source that cannot become part of the file."""


def files_of(entry: str) -> list[Path]:
    module, _, rest = entry.partition("/")
    path = MODULES[module] / rest if rest else MODULES[module]
    return [path] if path.suffix == ".cpp" else sorted(path.rglob("*.cpp"))


class Amalgamation:
    def __init__(self) -> None:
        self.included: set[Path] = set()
        self.standard: set[str] = set()
        self.parts: list[str] = []

    def add(self, path: Path) -> None:
        """Adds a file after the headers that it includes."""
        if path in self.included:
            return
        self.included.add(path)
        lines = self._without_conditionals(path)
        kept: list[str] = []
        for line in lines:
            found = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
            if found is None:
                kept.append(line)
            elif found[1] == '"':
                self._project_header(path, found[2])
            elif found[2] in STANDARD:
                self.standard.add(found[2])
            elif found[2] not in ("simdjson.h", "string.h") and found[2] not in self.conditional:
                raise Failure(f"{path.relative_to(ROOT)}: <{found[2]}> is not a header of the pure library")
            elif found[2] in self.conditional:
                kept.append(line)
        text = self._rewritten("\n".join(kept), path)
        if path.name == "yaml_reader.cpp":
            text = "#ifdef GPUTIDE_YAML\n" + text + "\n#endif"
        self.parts.append(f"// {path.relative_to(ROOT)}\n{text}\n")

    conditional = ("emmintrin.h", "yaml.h")  # inside a condition of the compiler

    def _project_header(self, path: Path, name: str) -> None:
        module, _, rest = name.partition("/")
        if module == "gputide":
            if rest not in HEADERS:
                raise Failure(f"{path.relative_to(ROOT)}: {name} is not a header of the pure library")
            return
        self.add(MODULES[module] / rest)

    def _without_conditionals(self, path: Path) -> list[str]:
        """Resolves the conditions on macros of DEFINED; other conditions stay."""
        out: list[str] = []
        stack: list[bool | None] = []  # None: a condition that stays
        for line in path.read_text(encoding="utf-8").splitlines():
            directive = re.match(r"\s*#\s*(ifdef|ifndef|if|else|elif|endif|pragma once)\b\s*(\w*)", line)
            kind = directive[1] if directive else ""
            if kind == "pragma once":
                continue
            if kind in ("ifdef", "ifndef") and directive and directive[2] in DEFINED:
                stack.append(DEFINED[directive[2]] == (kind == "ifdef"))
                continue
            if kind in ("if", "ifdef", "ifndef"):
                stack.append(None)
            elif kind == "endif" and stack.pop() is not None:
                continue
            elif kind == "else" and stack[-1] is not None:
                stack[-1] = not stack[-1]
                continue
            if False not in stack:
                out.append(line)
        if stack:
            raise Failure(f"{path}: a condition is not closed")
        return out

    def _rewritten(self, text: str, path: Path) -> str:
        # Declarations alone have no comment at their end.
        text = re.sub(r"^namespace (gputide[\w:]*) \{([^{}]*)\}$", r"namespace { namespace \1 {\2}}", text, flags=re.M)
        text, opened = re.subn(r"^namespace (gputide[\w:]*) \{$", r"namespace { namespace \1 {", text, flags=re.M)
        text, closed = re.subn(r"^\}  // namespace (gputide[\w:]*)$", r"}}  // namespace \1", text, flags=re.M)
        if opened != closed:
            raise Failure(f"{path.relative_to(ROOT)}: each namespace must end with: }}  // namespace gputide::NAME")
        text = re.sub(r"\btry \{", "GPUTIDE_TRY {", text)
        text = re.sub(r"\bcatch \(\.\.\.\)", "GPUTIDE_CATCH_ALL", text)
        text = re.sub(r"\bcatch \(([^)]*&)\)", r"GPUTIDE_CATCH(\1 caught)", text)
        text = re.sub(r"\bcatch \(([^)]*)\)", r"GPUTIDE_CATCH(\1)", text)
        text = re.sub(r"\bthrow;", "GPUTIDE_THROW_AGAIN;", text)
        text = re.sub(r"\bthrow ([^;]+);", r"GPUTIDE_THROW(\1);", text)
        text = re.sub(r"\bthread_local\b", "GPUTIDE_THREAD_LOCAL", text)
        text = re.sub(r"\bstd::(mutex|lock_guard)\b", r"gputide_detail::\1", text)
        return text.strip("\n")

    def text(self, simdjson: Path) -> str:
        version = ".".join(
            re.search(rf"GPUTIDE_VERSION_{part} (\d+)", (ROOT / "include/gputide/gputide.h").read_text())[1]  # type: ignore[index]
            for part in ("MAJOR", "MINOR", "PATCH")
        )
        standard = sorted((self.standard | {"cstdlib"}) - {"mutex"})
        includes = '#include "plan.h"\n#include "source.h"\n\n' + "".join(f"#include <{name}>\n" for name in standard)
        library = "".join(_single(simdjson / "singleheader" / name) for name in ("simdjson.h", "simdjson.cpp"))
        # Another name, as a host may have a simdjson of its own.
        renamed = "#define simdjson gputide_simdjson\n" + library
        return PREAMBLE.format(version=version, includes=includes) + renamed + "\n".join(self.parts)


def _single(path: Path) -> str:
    """A file of simdjson's own amalgamation, without the time at which it was made; it does not read the environment.

    Nothing calls parse_many: the second instance of the parser that it needs is left out, as in cmake/debian.cmake.
    """
    text = path.read_text(encoding="utf-8").replace('#include "simdjson.h"\n', "")
    text = re.sub(r'getenv\("SIMDJSON_FORCE_IMPLEMENTATION"\)', "nullptr", text)
    text = text.replace("stage2::tape_builder::parse_document<true>(*this, _doc)", "UNSUPPORTED_ARCHITECTURE")
    return re.sub(r"^/\* auto-generated on .*? \*/\n", "", text)


def debian_simdjson() -> Path:
    """The folder of Debian's source, in the version that the build has."""
    found = re.search(r"^set\(version (.*)\)$", (ROOT / "cmake/debian.cmake").read_text(encoding="utf-8"), re.M)
    assert found is not None
    command = [ROOT / "cmake/debian_source.sh", f"simdjson={found[1]}"]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


def main() -> int:
    parser = argparse.ArgumentParser(prog="amalgamate.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simdjson", type=Path, help="the folder of simdjson's source; without it Debian's")
    parser.add_argument("out", type=Path, help="the folder to write to")
    options = parser.parse_args()
    simdjson = options.simdjson or debian_simdjson()
    try:
        made = Amalgamation()
        for entry in SOURCES:
            for path in files_of(entry):
                made.add(path)
        text = made.text(simdjson)
    except Failure as problem:
        print(f"amalgamate.py: {problem}", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "gputide_pure.cpp").write_text(text, encoding="utf-8")
    for name in HEADERS:
        (options.out / name).write_text((ROOT / "include/gputide" / name).read_text(encoding="utf-8"), encoding="utf-8")
    (options.out / "LICENSE").write_text((ROOT / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8")
    notices = simdjson / "debian/copyright"
    if notices.is_file():
        (options.out / "THIRD_PARTY_NOTICES").write_text(notices.read_text(encoding="utf-8"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
