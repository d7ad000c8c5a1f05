"""The pages of gputided replay --html, compare and tune in a browser: they are readable on a phone, and without a touch."""
from __future__ import annotations

import random
import re
import unittest

import chromium
import harness
import manifests
from harness import gputided
from replay_test import START_S, ReplayCase, csv, manifest

# Each text of the chart with its size and place on the screen.
LABELS = """[...document.querySelectorAll('#chart text')].map(entry => {
    const { left, right, top } = entry.getBoundingClientRect(), scale = entry.getScreenCTM().a;
    return { text: entry.textContent, size_px: Math.round(parseFloat(getComputedStyle(entry).fontSize) * scale * 10) / 10, left, right, top };
})"""

# The names that overlap the center of a point.
COVERED = """[...document.querySelectorAll('#chart text.name')].filter(name => { const box = name.getBoundingClientRect();
    return [...document.querySelectorAll('#chart circle')].some(dot => { const at = dot.getBoundingClientRect(), x = (at.left + at.right) / 2, y = (at.top + at.bottom) / 2;
        return x > box.left && x < box.right && y > box.top && y < box.bottom; }); }).map(name => name.textContent)"""


def weeks() -> str:
    random.seed(3)
    lines = [f"{START_S + 600 * i},{15000 + 15000 * (i // 72 % 2) + random.uniform(-2000, 2000):.0f},20" for i in range(60 * 144)]
    return harness.write("weeks.csv", "time,value,replicas\n" + "\n".join(lines) + "\n")


@unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
class Pages(ReplayCase):
    def test_pages_of_compare_and_tune_draw_each_candidate(self) -> None:
        page = harness.WORK / "compare.html"
        gputided("replay", "compare", "-f", manifest(), "--series", csv("day.csv"), "--variant", "hot: threshold=85", "--html", str(page))
        with chromium.Browser(390, 844) as browser:
            browser.open(page.as_uri())
            self.assertEqual(browser.ask("document.querySelectorAll('circle').length"), 3, "recorded, as it is, hot")
            self.assertIn("hot", browser.ask("document.querySelector('table').innerText"))
            self.assertEqual(browser.ask("document.documentElement.scrollWidth"), 390)
            for width in (390, 1280):
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
                browser.wait_until(f"document.querySelector('#chart svg').viewBox.baseVal.width === document.querySelector('#chart').clientWidth")
                labels = browser.ask(LABELS)
                self.assertEqual({entry["size_px"] for entry in labels}, {12}, "readable on a phone")
                self.assertEqual(browser.ask(COVERED), [], "no name covers a point")
                for i, entry in enumerate(labels):
                    self.assertGreaterEqual(entry["left"], 0)
                    self.assertLessEqual(entry["right"], width)
                    for other in labels[:i]:
                        self.assertFalse(entry["left"] < other["right"] and other["left"] < entry["right"] and abs(entry["top"] - other["top"]) < 10, (entry, other))

    def test_the_report_shows_the_recording_and_folds_a_long_table(self) -> None:
        page = harness.WORK / "report.html"
        gputided("replay", "-f", manifest(), "--series", csv("day.csv"), "--set", "down_window_s=0", "--set", "tolerance=0", "--html", str(page))
        with chromium.Browser(390, 844) as browser:
            browser.open(page.as_uri())
            legend = browser.ask("[...document.querySelectorAll('.u-legend .u-label')].map(entry => entry.innerText).join()")
            for text in ("recorded", "target 60", "written", "ready"):
                self.assertIn(text, legend)
            rows = browser.ask("[...document.querySelectorAll('#events > table tbody tr')].length")
            self.assertEqual(rows, 50)
            self.assertTrue(browser.ask("[...document.querySelectorAll('#events > details > summary')].pop().innerText").endswith(" more"))
            order = browser.ask("[...document.querySelectorAll('h2')].map(entry => entry.innerText)")
            self.assertEqual(order[-3:], ["Figures", "Assumptions", "Changes and their reasons"])
            self.assertTrue(browser.ask("document.querySelector('#by-hour').hidden"), "one day has no hour of day")
            self.assertLessEqual(browser.ask("document.documentElement.scrollWidth"), 390)

    def test_weeks_are_a_band_that_can_be_zoomed(self) -> None:
        page = harness.WORK / "weeks.html"
        so = manifests.saved("weeks.yaml", manifests.scaled_object("http://127.0.0.1:1", threshold="1000", spec={"maxReplicaCount": 40}))
        ran = gputided("replay", "-f", so, "--series", weeks(), "--startup", "90s", "--html", str(page), "--cost-per-gpu-hour", "2",
                       "--sync", "2m", "--poll", "2m")
        self.assertEqual(ran.status, 0, ran)
        with chromium.Browser(390, 844) as browser:
            browser.open(page.as_uri())
            legend = browser.ask("[...document.querySelectorAll('.u-legend .u-series')].map(entry => entry.innerText).join('; ')")
            for text in ("highest", "lowest", "mean", "target 1,000 × ready replicas", "written", "ready", "recorded"):
                self.assertIn(text, legend)
            self.assertNotIn("--", legend, "values without a touch")
            self.assertGreaterEqual(browser.ask("charts[0].axes[1]._size"), 18 + 7.5 * len("35,000"), "no label is cut")
            self.assertLess(browser.ask("charts[0].data[0].length"), 800, "as many points as there are pixels, not thousands")
            self.assertEqual(browser.ask("document.documentElement.scrollWidth"), 390)
            browser.ask("[...document.querySelectorAll('#zoom button')].find(entry => entry.textContent === '1 day').click()")
            browser.wait_until("Math.round(charts[0].scales.x.max - charts[0].scales.x.min) === 86400 && charts[0].data[0].length < 200")
            browser.ask("[...document.querySelectorAll('#zoom button')].find(entry => entry.textContent === 'all').click()")
            browser.wait_until("charts[1].scales.x.max - charts[1].scales.x.min > 5000000 && charts[0].data[0].length > 100")
            seen = browser.ask("document.body.innerText")
            self.assertEqual(browser.ask("document.querySelectorAll('#hours .hours div').length"), 48, "metric and replicas, by hour")
            self.assertRegex(browser.ask("document.querySelector('#hours').innerText"), r"metric: highest mean [\d,.]+ at \d\d:00, lowest ")
            for text in ("How late", "By hour of day, UTC", "from a rise until", "below target again", "start-up", "cost; recorded: ", " days"):
                self.assertIn(text, seen)

    def test_compare_names_its_points_and_draws_replicas(self) -> None:
        page = harness.WORK / "named.html"
        ran = gputided("replay", "compare", "-f", manifest(), "--series", csv("day.csv"), "--variant", "hot: threshold=85", "--variant", "min=4",
                       "--initial", "1", "--html", str(page))
        self.assertEqual(ran.status, 0, ran)
        with chromium.Browser(1280, 900) as browser:
            browser.open(page.as_uri())
            names = browser.ask("[...document.querySelectorAll('#chart text.name')].map(entry => entry.querySelector('title').textContent)")
            self.assertLessEqual({"hot", "min=4", "as recorded"}, set(names))
            self.assertEqual(browser.ask("document.querySelectorAll('#curves path').length"), 3)
            captions = browser.ask("document.querySelector('#curves').innerText")
            rows = re.findall(r"^(hot|min=4) .*? (\d+)\.\.(\d+) ", ran.out, re.M)
            self.assertEqual(len(rows), 2, ran.out)
            for name, low, high in rows:
                self.assertIn(f"{name}: {low} to {high} replicas", captions, ran.out)
            heads = browser.ask("[...document.querySelectorAll('#table th')].map(entry => entry.innerText).join()")
            self.assertNotIn("breaks", heads)
            self.assertNotIn("cost", heads)
            self.assertIn("late (p95)", heads)
            self.assertNotIn("hot: ", browser.ask("document.querySelector('.conclusion').innerText"), "it is later")

    def test_tune_shows_today_beside_the_proposal(self) -> None:
        page = harness.WORK / "proposal.html"
        gputided("replay", "tune", "-f", manifest(), "--series", csv("day.csv"), "--try", "threshold=80", "--max-above", "1440",
                 "--cost-per-gpu-hour", "2", "--html", str(page))
        with chromium.Browser(1280, 900) as browser:
            browser.open(page.as_uri())
            conclusion = browser.ask("document.querySelector('.conclusion').innerText")
            self.assertRegex(conclusion, r"Today, a day: [\d.]+ GPU-hours, cost [\d.]+, .*Proposed, a day: ")
            self.assertRegex(browser.ask("document.querySelector('#tiles').innerText"), r"[\d.]+ → [\d.]+\s+GPU-hours, a day")
            self.assertEqual(browser.ask(COVERED), [], "no name covers a point")
            self.assertRegex(browser.ask("document.querySelector('#tiles').innerText"), r"max replicas\s")
            self.assertNotIn("max replicas, a day", browser.ask("document.querySelector('#tiles').innerText"))
            self.assertIn("kubectl patch scaledobject gpu -n default", browser.ask("document.querySelector('#command').innerText"))
            self.assertIn("threshold=80", browser.ask("document.querySelector('#table').innerText"))

