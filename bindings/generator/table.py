"""include/gputide/gputide_table.h: one table of functions per component, for hosts that load the library with dlopen."""

from __future__ import annotations

import textwrap

from .names import COMPONENTS, Component

_BEGIN = """\
/* Written by bindings/generator: change the headers that it includes, then run python3 -m bindings.generator.
 *
 * The functions of gputide as tables, for a host that loads the library with dlopen.  It looks up one symbol per component
 * and calls members under the names of the functions without gputide_.  docs/abi.md has an example.
 *   gputide_api              gputide.h, source.h and runtime.h   in every flavor; NULL for what libgputide-pure lacks
 *   gputide_plan_api         plan.h                              in libgputide-full and libgputide-pure
 *   gputide_kubernetes_api   kubernetes.h                        in libgputide-full
 * Append-only: check struct_size before using a member that a later release added. */
#ifndef GPUTIDE_TABLE_H
#define GPUTIDE_TABLE_H

#include "kubernetes.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

"""
_FUNCTIONS = """\
/* Return the table for the ABI that the caller was built for (GPUTIDE_ABI_VERSION).  Static.  NULL with the reason in err
 * (GPUTIDE_E_TOO_NEW) for an ABI that this library does not serve; err may be NULL. */
"""
_END = """
#ifdef __cplusplus
}
#endif

#endif /* GPUTIDE_TABLE_H */
"""


def emit(abi: dict) -> dict[str, str]:
    """Returns each file's text by its path below bindings/."""
    declarations = [
        f"GPUTIDE_API const {each.table}_table* {each.table}(uint32_t abi_version, gputide_error* err);\n" for each in COMPONENTS
    ]
    structs = "".join(_struct(component, abi) for component in COMPONENTS)
    return {"../include/gputide/gputide_table.h": _BEGIN + structs + _FUNCTIONS + "".join(declarations) + _END}


def _struct(component: Component, abi: dict) -> str:
    names = next(table["functions"] for table in abi["tables"] if table["name"] == component.table)
    functions = {function["name"]: function for function in abi["functions"]}
    members = [_member(name, functions[f"gputide_{name}"]) for name in names]
    head = f"typedef struct {component.table}_table {{\n    uint32_t struct_size;\n    int32_t abi_version;\n"
    return f"{head}{''.join(members)}}} {component.table}_table;\n\n"


def _member(name: str, function: dict) -> str:
    start = f"    {function['result']} (*{name})("
    parameters = ", ".join(parameter["type"] for parameter in function["parameters"]) or "void"
    lines = textwrap.wrap(parameters.replace("const ", "const\0") + ");", 120 - len(start), break_long_words=False)
    return start + ("\n" + " " * len(start)).join(lines).replace("\0", " ") + "\n"
