"""Last of all: none of the planted secrets is in anything that the runs before have shown."""
from __future__ import annotations

import unittest

import harness


class NothingLeaks(unittest.TestCase):
    def test_no_secret_was_seen(self) -> None:
        self.assertGreater(len(harness.captured), 20, "the suites before have captured next to nothing")
        leaks = [f"{name}: {secret}" for name, text in harness.captured.items() for secret in harness.PLANTED
                 if any(spelling in text for spelling in harness.in_every_spelling(secret))]
        self.assertEqual(leaks, [])

    def test_this_test_would_see_one(self) -> None:
        encoded = harness.segment("user:" + harness.PASSWORD)
        self.assertTrue(any(spelling in encoded for spelling in harness.in_every_spelling(harness.PASSWORD)))
