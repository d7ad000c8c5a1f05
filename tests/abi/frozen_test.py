#!/usr/bin/env python3
"""The headers keep what tests/abi/frozen.json promised, a change of it is seen, and what is appended is not one."""

import copy
import json
import unittest

import frozen

TEXTS = frozen.header_texts()
FROZEN = json.loads(frozen.FROZEN.read_text(encoding="utf-8"))
NOW = frozen.promised(TEXTS)


def changed(texts):
    """Returns the changes of headers that differ from today's, against today's."""
    return frozen.changes(NOW, frozen.promised(texts))


def replaced(texts, old, new):
    """Replaces a text in the first header that has it."""
    for name, text in texts.items():
        if old in text:
            return {**texts, name: text.replace(old, new, 1)}
    raise AssertionError(f"{old!r} is not in the headers")


class Frozen(unittest.TestCase):
    def test_what_was_promised_is_kept(self):
        self.assertEqual(frozen.changes(FROZEN, NOW), [])

    def test_what_was_promised_is_not_little(self):
        counts = {kind: len(things) for kind, things in FROZEN.items()}
        self.assertGreaterEqual(counts["functions"], 120)
        self.assertGreaterEqual(counts["structs"], 18)
        self.assertGreaterEqual(counts["constants"], 130)

    def test_each_change_is_seen(self):
        ways = {
            "a constant's number": ("GPUTIDE_FLOOR_OBSERVE = 5", "GPUTIDE_FLOOR_OBSERVE = 11", "GPUTIDE_FLOOR_OBSERVE"),
            "a constant that is gone": ("    GPUTIDE_FLOOR_WITHIN_REACTIVE = 2,", "", "GPUTIDE_FLOOR_WITHIN_REACTIVE"),
            "a constant's name": ("GPUTIDE_USAGE_OOM", "GPUTIDE_USAGE_OUT_OF_MEMORY", "GPUTIDE_USAGE_OOM"),
            "a member amid others": ("    uint32_t warnings;", "    uint32_t hints;\n    uint32_t warnings;", "warnings"),
            "a member's type": ("    double floor_load;", "    int64_t floor_load;", "floor_load"),
            "a member's name": ("    int64_t nodes_to_add;", "    int64_t added;", "nodes_to_add"),
            "an array's length": ("char name[328];", "char name[256];", "name was"),
            "a struct without a size from the caller": ("    int64_t since_ms; /*", "    int64_t since_ms;\n    int64_t weight; /*", "gputide_condition"),
            "an argument": ("gputide_forecast* forecast, int64_t now_ms, double load", "gputide_forecast* forecast, double load",
                            "gputide_forecast_add"),
            "an argument's type": ("const gputide_usage_sample* samples", "gputide_usage_sample* samples", "gputide_rightsize_add"),
            "a result": ("GPUTIDE_API int32_t gputide_abi_version", "GPUTIDE_API int64_t gputide_abi_version", "gputide_abi_version"),
            "an alias": ("typedef int32_t gputide_status;", "typedef uint32_t gputide_status;", "gputide_status"),
        }
        for way, (old, new, said) in ways.items():
            with self.subTest(way):
                self.assertIn(said, "\n".join(changed(replaced(TEXTS, old, new))))

    def test_a_function_amid_others_is_seen_in_its_table(self):
        texts = replaced(TEXTS, "/* Returns a bit set of", "GPUTIDE_API int32_t gputide_amid(void);\n\n/* Returns a bit set of")
        self.assertIn("gputide_api: features was", "\n".join(changed(texts)))

    def test_a_function_that_moves_to_another_header_is_seen(self):
        start = TEXTS["runtime.h"].index("/* Returns a descriptor for poll")
        end = TEXTS["runtime.h"].index("#ifdef __cplusplus\n}")
        moved = {**TEXTS, "runtime.h": TEXTS["runtime.h"][:start] + TEXTS["runtime.h"][end:]}
        moved = replaced(moved, "/* Lets a runtime scale", TEXTS["runtime.h"][start:end] + "/* Lets a runtime scale")
        said = "\n".join(changed(moved))
        self.assertIn("functions: gputide_runtime_wake_fd", said)
        self.assertIn("gputide_api: runtime_wake_fd", said)

    def test_a_member_in_the_padding_of_an_old_struct_is_seen(self):
        padded = replaced(TEXTS, "    int32_t reserved;\n} gputide_runtime_options;", "} gputide_runtime_options;")
        was = frozen.promised(padded)
        self.assertIn("reserved lies within the old size", "\n".join(frozen.changes(was, NOW)))

    def test_what_is_appended_is_no_change(self):
        longer = replaced(TEXTS, "    GPUTIDE_FLOOR_AT_ZERO = 10 ", "    GPUTIDE_FLOOR_AT_ZERO = 10,\n    GPUTIDE_FLOOR_LATE = 11 ")
        longer = replaced(longer, "    int64_t pods_left;", "    int64_t pods_left;\n    int64_t pods_moved;\n")
        longer = replaced(longer, "    int64_t memory_bytes; /* in use on this GPU */",
                          "    int64_t memory_bytes;\n    int64_t power_mw;")
        plan = longer["plan.h"].replace("#ifdef __cplusplus\n}", "/* Since 0.4. */\nGPUTIDE_API int32_t gputide_plan_more(double size);\n"
                                        "#ifdef __cplusplus\n}")
        longer = {**longer, "plan.h": plan}
        self.assertEqual(changed(longer), [])
        table = frozen.promised(longer)["gputide_plan_api"]
        self.assertEqual(table["plan_more"], len(NOW["gputide_plan_api"]))

    def test_what_is_written_is_read_back(self):
        self.assertEqual(json.loads(frozen.written(NOW)), NOW)
        self.assertEqual(frozen.written(copy.deepcopy(FROZEN)), frozen.FROZEN.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
