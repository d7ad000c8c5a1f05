#!/usr/bin/env python3
"""Tests that the output of bindings/generator is checked in, that it is what the C compiler sees in the headers, and that an
unknown change of a header stops it."""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "gputide"
sys.path.insert(0, str(ROOT))

from bindings.generator.__main__ import BINDINGS, is_checked_in, outputs  # noqa: E402
from bindings.generator.abi import describe  # noqa: E402
from bindings.generator.header import HeaderError, read  # noqa: E402
from bindings.generator.names import HEADERS  # noqa: E402

ABI = json.loads((BINDINGS / "abi.json").read_text(encoding="utf-8"))
TEXTS = {name: (INCLUDE / name).read_text(encoding="utf-8") for name in HEADERS}


def replaced(old, new):
    """Returns the headers with a text replaced in the first that has it."""
    for name, text in TEXTS.items():
        if old in text:
            return {**TEXTS, name: text.replace(old, new, 1)}
    raise AssertionError(f"{old!r} is not in the headers")


def compiler_says(abi):
    """Returns what the compiler finds wrong with the numbers and signatures of an abi.json; "" where all of them hold."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "layout.c"
        source.write_text(assertions(abi), encoding="utf-8")
        command = [
            os.environ.get("CC", "cc"),
            "-std=c11",
            "-Wall",
            "-Werror",
            "-fsyntax-only",
            f"-I{ROOT / 'include'}",
            str(source),
        ]
        return subprocess.run(command, capture_output=True, text=True).stderr


def assertions(abi):
    lines = ['#include "gputide/gputide_table.h"']

    def same(expression, value):
        lines.append(f'_Static_assert(({expression}) == {value}, "{expression}");')

    for macro in abi["macros"]:
        lines.append(f'_Static_assert(({macro["name"]}) == {literal(macro["value"])}, "{macro["name"]}");')
    for enum in abi["enums"]:
        for member in enum["members"]:
            same(member["name"], member["value"])
    for struct in abi["structs"]:
        same(f"sizeof({struct['name']})", struct["size_bytes"])
        same(f"_Alignof({struct['name']})", struct["alignment_bytes"])
        for member in struct["members"]:
            same(f"offsetof({struct['name']}, {member['name']})", member["offset_bytes"])
            same(f"sizeof((({struct['name']}*)0)->{member['name']})", member["size_bytes"])
    for table in abi["tables"]:
        same(f"sizeof({table['name']}_table)", 8 + 8 * len(table["functions"]))
        for place, name in enumerate(table["functions"]):
            same(f"offsetof({table['name']}_table, {name})", 8 + 8 * place)
    for number, function in enumerate(abi["functions"]):
        parameters = ", ".join(parameter["type"] for parameter in function["parameters"]) or "void"
        lines.append(f"{function['result']} (*const call_{number})({parameters}) = {function['name']};")
    return "\n".join(lines) + "\n"


def function(abi, name):
    return next(entry for entry in abi["functions"] if entry["name"] == name)


def literal(value):
    return "INT64_MIN" if value == -(2**63) else f"{value}LL"


class Generator(unittest.TestCase):
    def test_what_is_checked_in_is_what_the_header_gives(self):
        for path, text in outputs(INCLUDE).items():
            if not is_checked_in(path):
                continue
            with self.subTest(path):
                checked_in = (BINDINGS / path).read_text(encoding="utf-8")
                self.assertTrue(checked_in == text, f"bindings/{path} is old: run python3 -m bindings.generator")

    def test_the_compiler_agrees_about_every_number_and_signature(self):
        self.assertEqual(compiler_says(ABI), "")

    def test_the_compiler_would_see_a_wrong_offset_and_a_wrong_signature(self):
        moved = copy.deepcopy(ABI)
        moved["structs"][-1]["members"][-1]["offset_bytes"] += 8
        self.assertIn("static assertion failed", compiler_says(moved))
        retyped = copy.deepcopy(ABI)
        function(retyped, "gputide_decide")["result"] = "uint64_t"
        self.assertIn("gputide_decide", compiler_says(retyped))

    def test_every_function_of_the_headers_is_there(self):
        functions = set(re.findall(r"^GPUTIDE_API .*?(gputide_\w+)\(", "".join(TEXTS.values()), re.MULTILINE))
        self.assertEqual({entry["name"] for entry in ABI["functions"]}, functions)
        in_tables = [f"gputide_{name}" for table in ABI["tables"] for name in table["functions"]]
        self.assertEqual({*in_tables, "gputide_abi_version"}, functions)
        self.assertEqual(len(in_tables), len(set(in_tables)))

    def test_the_full_flavor_has_what_the_others_have(self):
        for function in ABI["functions"]:
            self.assertIn("full", function["flavors"], function["name"])
        pure = {entry["name"] for entry in ABI["functions"] if "pure" in entry["flavors"]}
        self.assertLessEqual({"gputide_decide", "gputide_manifest_check", "gputide_nodes_plan", "gputide_quantity"}, pure)
        fetching = {"gputide_scaler_open", "gputide_series_fetch", "gputide_runtime_new", "gputide_cluster_list"}
        self.assertEqual(pure & fetching, set())

    def test_each_function_has_its_section_and_its_release(self):
        for function in ABI["functions"]:
            with self.subTest(function["name"]):
                self.assertIn(function["section"], {section["number"] for section in ABI["sections"]})
                self.assertRegex(function["since"], r"^\d+\.\d+$")

    def test_a_new_member_shows_in_every_language(self):
        longer = replaced("    int64_t since_ms; /*", "    int64_t weight_milli;\n    int64_t since_ms; /*")
        condition = next(struct for struct in describe(read(longer))["structs"] if struct["name"] == "gputide_condition")
        self.assertEqual([member["name"] for member in condition["members"]], ["truth", "reason", "weight_milli", "since_ms"])
        self.assertEqual(condition["size_bytes"], 24)

    def test_what_the_comments_say_of_pointers(self):
        def of(name, parameter):
            return next(entry for entry in function(ABI, name)["parameters"] if entry["name"] == parameter)

        self.assertEqual(function(ABI, "gputide_cancel_free")["parameters"][0]["access"], "freed")
        for name, parameter, nullable in [
            ("gputide_decide", "report", True),  # a line of its own
            ("gputide_decide", "observation", False),
            ("gputide_doctor", "observation", True),  # "NULL: the manifest's minimum"
            ("gputide_log_next", "level", True),  # prose
            ("gputide_log_next", "line", False),
            ("gputide_series_read", "scaler", True),  # "NULL: the first one's"
            ("gputide_cluster_attach", "settings", True),  # "NULL or empty"
            ("gputide_cluster_doctor", "settings", True),  # "as for gputide_cluster_attach"
            ("gputide_policy_metric_count", "policy", True),  # "0 for NULL"
            ("gputide_runtime_new", "options", True),  # "NULL" of the conventions
            ("gputide_set_log", "sink", True),  # prose
            ("gputide_source_request", "json", False),
            ("gputide_nodes_plan", "err", True),
        ]:
            with self.subTest(name, parameter=parameter):
                self.assertEqual(of(name, parameter)["nullable"], nullable)
        self.assertEqual(of("gputide_state_record", "decision")["direction"], "inout")
        self.assertEqual(of("gputide_decide", "out")["direction"], "out")
        self.assertEqual(of("gputide_decide", "report")["free"], "gputide_text_free")
        self.assertEqual(of("gputide_log_open", "out")["free"], "gputide_log_free")
        self.assertEqual(of("gputide_source_parse_all", "headers")["size_in"], "headers_bytes")
        self.assertNotIn("size_in", of("gputide_credential_token", "scope"))
        self.assertEqual(of("gputide_series_add", "times_ms")["count_in"], "count")
        samples = of("gputide_runtime_push", "samples")
        self.assertEqual((samples["count_in"], samples["element_size_in"]), ("count", "sample_size"))
        self.assertEqual(of("gputide_decide", "policy")["access"], "shared")
        self.assertEqual(of("gputide_decide", "state")["access"], "exclusive")
        self.assertEqual(of("gputide_runtime_step", "runtime")["access"], "shared")

    def test_what_the_comments_say_of_results(self):
        self.assertEqual(function(ABI, "gputide_version")["lifetime"], "static")
        name = function(ABI, "gputide_policy_metric_name")
        self.assertEqual((name["lifetime"], name["nullable"]), ("handle", True))
        blocking = {entry["name"] for entry in ABI["functions"] if entry["blocks"]}
        self.assertEqual(blocking & {"gputide_decide", "gputide_runtime_step", "gputide_source_parse"}, set())
        self.assertLessEqual({"gputide_source_fetch", "gputide_runtime_next_event", "gputide_replay_run"}, blocking)
        common = ["OK", "E_INVALID", "E_STATE", "E_TOO_NEW", "E_NO_MEMORY", "E_BUG"]
        statuses = {}
        for entry in ABI["functions"]:
            statuses[entry["name"]] = {name.removeprefix("GPUTIDE_") for name in entry.get("statuses", [])}
        self.assertEqual(statuses["gputide_set_log"], {*common})
        self.assertEqual(statuses["gputide_decide_values"], {*common, "E_LIMIT"})  # "as gputide_decide"
        self.assertNotIn("E_NOT_FOUND", statuses["gputide_source_fetch"])
        self.assertIn("E_THROTTLED", statuses["gputide_credential_token"])  # "_THROTTLED"
        self.assertIn("E_NOT_FOUND", statuses["gputide_series_fetch"])
        self.assertIn("E_PARTIAL", statuses["gputide_series_fetch"])  # "what gputide_source_fetch does"

    def test_every_handle_is_freed_by_a_function_of_the_table(self):
        for handle in ABI["handles"]:
            with self.subTest(handle["name"]):
                free = handle["free"]
                self.assertTrue(any(free.removeprefix("gputide_") in table["functions"] for table in ABI["tables"]), free)

    def test_csharp_has_each_function_handle_struct_and_status(self):
        files = outputs(INCLUDE)
        native, mirrors, numbers = (files[f"csharp/src/{name}.cs"] for name in ("Native", "Abi", "Numbers"))
        methods = set(re.findall(r"internal static \w+ @?(\w+)\(", native))
        functions = {entry["name"].removeprefix("gputide_") for entry in ABI["functions"]}
        self.assertEqual(functions - methods, {"set_log", "set_allocator"})  # they take callbacks
        handles = dict(re.findall(r"public (\w+)Handle\(\) : base\((\w+)\)", native))
        self.assertEqual(len(handles), len(ABI["handles"]))
        self.assertEqual([name for name, blocks in handles.items() if blocks == "true"], ["Runtime"])
        self.assertIn("int state_new(PolicyHandle policy, long created_ms, out StateHandle @out, gputide_error* err)", native)
        decide_values = "int decide_values(PolicyHandle policy, StateHandle state, long now_ms, int current_replicas, double[]"
        self.assertIn(decide_values, native)
        self.assertIn("[FieldOffset(64)] internal fixed byte conditions[256];", mirrors)
        self.assertIn("internal const long NO_VALUE = long.MinValue;", mirrors)
        self.assertIn("public sealed class Throttled : GputideException", numbers)
        self.assertIn("case 15: return new LimitExceeded(members);", numbers)
        self.assertIn("public enum NextAction {", numbers)

    def test_what_a_comment_leaves_out_stops_the_generator(self):
        with self.assertRaisesRegex(HeaderError, "gputide_version does not say how long"):
            describe(read(replaced('/* Returns "0.3.0".  Static.', "/* Returns the version.")))
        with self.assertRaisesRegex(HeaderError, "gputide_quantity names what is not a status: E_LARGE"):
            describe(read(replaced("Returns E_LIMIT for a quantity", "Returns E_LARGE for a quantity")))
        with self.assertRaisesRegex(HeaderError, "gputide_series has no _free"):
            describe(read(replaced("gputide_series_free(", "gputide_series_drop(")))

    def test_an_enum_without_a_name_stops_the_generator(self):
        unnamed = replaced("GPUTIDE_SOURCE_HPA = 1", "GPUTIDE_SOURCE_NEWS = 3, GPUTIDE_SOURCE_HPA = 1")
        with self.assertRaisesRegex(HeaderError, "GPUTIDE_SOURCE_NEWS.*names.py"):
            describe(read(unnamed))

    def test_a_declaration_beyond_its_c_stops_the_generator(self):
        with self.assertRaisesRegex(HeaderError, "unknown declaration"):
            read(replaced("typedef int32_t gputide_action;", "union gputide_any { int32_t a; };"))


if __name__ == "__main__":
    unittest.main()
