#!/usr/bin/env python3
"""docs/nodes.md says of every field of a pod and a node what a plan does with it; the code leaves the pods that it says are left.

kubernetes_fields_1.37.txt has the fields.  A field that a newer Kubernetes adds belongs there, and then into the table."""
import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "nodes.md"
READER = HERE.parents[1] / "src" / "pure" / "nodes" / "read" / "placement.cpp"
VERDICTS = {"modeled", "left", "ignored", "no effect"}


def known_fields() -> set[tuple[str, str]]:
    lines = (HERE / "kubernetes_fields_1.37.txt").read_text().splitlines()
    return {(line.split()[0], line.split()[1]) for line in lines if not line.startswith("#")}


def described_fields() -> list[tuple[str, str, str, str]]:
    table = PAGE.read_text().split("<!-- fields of pods and nodes -->")[1].split("<!-- end -->")[0]
    out = []
    for row in table.strip().splitlines()[2:]:
        kind, names, verdict, consequence = (cell.strip() for cell in row.strip("|").split("|"))
        out += [(kind, name, verdict, consequence) for name in re.findall(r"`([^`]+)`", names)]
    return out


class Fields(unittest.TestCase):
    def test_every_field_is_described_once(self) -> None:
        described = [(kind, name) for kind, name, _, _ in described_fields()]
        self.assertEqual(sorted(described), sorted(set(described)))
        self.assertEqual(known_fields() - set(described), set(), "fields that docs/nodes.md does not describe")
        self.assertEqual(set(described) - known_fields(), set(), "fields that Kubernetes does not have")

    def test_what_is_not_modeled_has_a_consequence(self) -> None:
        for kind, name, verdict, consequence in described_fields():
            self.assertIn(verdict, VERDICTS, (kind, name))
            self.assertTrue(consequence or verdict in ("modeled", "no effect"), (kind, name))

    def test_the_reader_leaves_what_the_page_says(self) -> None:
        disks = READER.read_text().split("zonal_disks{")[1].split("};")[0]
        self.assertEqual(set(re.findall(r'"(\w+)"', disks)),
                         {name for kind, name, verdict, _ in described_fields() if kind == "VolumeSource" and verdict == "left"})


if __name__ == "__main__":
    unittest.main()
