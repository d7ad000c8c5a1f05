#!/usr/bin/env python3
"""gputide.h keeps what tests/abi/frozen.json promised, a change of it is seen, and what is appended is not one."""

import copy
import json
import unittest

import frozen

TEXT = frozen.HEADER.read_text(encoding="utf-8")
TABLE = frozen.HEADER.with_name("gputide_table.h").read_text(encoding="utf-8")
FROZEN = json.loads(frozen.FROZEN.read_text(encoding="utf-8"))
NOW = frozen.promised(TEXT, TABLE)


def changed(text=TEXT, table=TABLE):
    """What is said of a header that differs from today's, against today's."""
    return frozen.changes(NOW, frozen.promised(text, table))


def replaced(text, old, new):
    if text.count(old) < 1:
        raise AssertionError(f"{old!r} is not in the header")
    return text.replace(old, new, 1)


class Frozen(unittest.TestCase):
    def test_what_was_promised_is_kept(self):
        self.assertEqual(frozen.changes(FROZEN, NOW), [])

    def test_what_was_promised_is_not_little(self):
        counts = {kind: len(things) for kind, things in FROZEN.items()}
        self.assertGreaterEqual(counts["functions"], 127)
        self.assertGreaterEqual(counts["structs"], 18)
        self.assertGreaterEqual(counts["constants"], 150)

    def test_each_change_is_seen(self):
        ways = {
            "a constant's number": ("GPUTIDE_FLOOR_OBSERVE = 5", "GPUTIDE_FLOOR_OBSERVE = 11", "GPUTIDE_FLOOR_OBSERVE"),
            "a constant that is gone": ("    GPUTIDE_FLOOR_WITHIN_REACTIVE = 2,", "", "GPUTIDE_FLOOR_WITHIN_REACTIVE"),
            "a constant's name": ("GPUTIDE_USAGE_OOM", "GPUTIDE_USAGE_OUT_OF_MEMORY", "GPUTIDE_USAGE_OOM"),
            "a member amid others": ("    uint32_t warnings;", "    uint32_t hints;\n    uint32_t warnings;", "warnings"),
            "a member's type": ("    double floor_load;", "    int64_t floor_load;", "floor_load"),
            "a member's name": ("    int64_t nodes_to_add;", "    int64_t added;", "nodes_to_add"),
            "an array's length": ("char name[328];", "char name[256];", "name was"),
            "a struct whose size nobody says": ("    int64_t since_ms; /*", "    int64_t since_ms;\n    int64_t weight; /*", "gputide_condition"),
            "an argument": ("gputide_forecast* forecast, int64_t now_ms, double load", "gputide_forecast* forecast, double load",
                            "gputide_forecast_step"),
            "an argument's type": ("const gputide_usage_sample* samples", "gputide_usage_sample* samples", "gputide_rightsize_add"),
            "a result": ("GPUTIDE_API int32_t gputide_abi_version", "GPUTIDE_API int64_t gputide_abi_version", "gputide_abi_version"),
            "an alias": ("typedef int32_t gputide_status;", "typedef uint32_t gputide_status;", "gputide_status"),
        }
        for way, (old, new, said) in ways.items():
            with self.subTest(way):
                self.assertIn(said, "\n".join(changed(replaced(TEXT, old, new))))

    def test_a_table_in_another_order_is_seen(self):
        names = list(NOW["table"])
        table = replaced(TABLE, f"(*{names[3]})(", "(*swapped)(")
        table = replaced(replaced(table, f"(*{names[4]})(", f"(*{names[3]})("), "(*swapped)(", f"(*{names[4]})(")
        self.assertEqual(len(changed(table=table)), 2)

    def test_a_member_in_the_padding_of_an_old_struct_is_seen(self):
        padded = replaced(TEXT, "    int32_t reserved;\n} gputide_runtime_options;", "} gputide_runtime_options;")
        was = frozen.promised(padded, TABLE)
        self.assertIn("reserved lies within the old size", "\n".join(frozen.changes(was, NOW)))

    def test_what_is_appended_is_no_change(self):
        longer = replaced(TEXT, "    GPUTIDE_FLOOR_AT_ZERO = 10 ", "    GPUTIDE_FLOOR_AT_ZERO = 10,\n    GPUTIDE_FLOOR_LATE = 11 ")
        longer = replaced(longer, "    int64_t pods_left;", "    int64_t pods_left;\n    int64_t pods_moved;\n")
        longer = replaced(longer, "    int64_t memory_bytes; /* in use on this GPU */",
                          "    int64_t memory_bytes;\n    int64_t power_mw;")
        longer = replaced(longer, "#ifdef __cplusplus\n}", "/* Since 0.3. */\nGPUTIDE_API int32_t gputide_cluster_open(double size);\n"
                          "#ifdef __cplusplus\n}")
        table = TABLE[:TABLE.rindex("}")] + "    int32_t (*cluster_open)(double);\n" + TABLE[TABLE.rindex("}"):]
        self.assertEqual(changed(longer, table), [])
        self.assertEqual(len(frozen.promised(longer, table)["table"]), len(NOW["table"]) + 1)

    def test_what_is_written_is_read_back(self):
        self.assertEqual(json.loads(frozen.written(NOW)), NOW)
        self.assertEqual(frozen.written(copy.deepcopy(FROZEN)), frozen.FROZEN.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
