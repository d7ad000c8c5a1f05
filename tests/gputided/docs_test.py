"""The scaling manifests of docs/sources/*.md: check takes each of them without an error.

A block without a ScaledObject or HorizontalPodAutoscaler is part of one, or an object that belongs to the cluster.
"""
from __future__ import annotations

import pathlib
import re
import unittest

from harness import gputided

SCALES = re.compile(r"^kind: (ScaledObject|HorizontalPodAutoscaler)$", re.M)
PAGES = sorted((pathlib.Path(__file__).parents[2] / "docs" / "sources").glob("*.md"))


class DocumentedManifests(unittest.TestCase):
    def test_check_finds_no_error(self) -> None:
        seen = 0
        for page in PAGES:
            for number, manifest in enumerate(re.findall(r"^```yaml\n(.*?)^```$", page.read_text(), re.M | re.S)):
                if not SCALES.search(manifest):
                    continue
                with self.subTest(page=page.name, number=number):
                    ran = gputided("check", "-f", "-", stdin=manifest)
                    self.assertEqual(ran.status, 0, ran.out + ran.err)
                seen += 1
        self.assertGreaterEqual(seen, len(PAGES) - 1)  # all but the overview have one
