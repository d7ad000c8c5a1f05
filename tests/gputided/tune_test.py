"""gputided replay tune: the settings it proposes keep the limits in both parts of the series, and the patch is minimal."""
from __future__ import annotations

import json
import pathlib
import random
import re
import unittest
from typing import Any

import harness
import manifests
from harness import Ran, gputided
from replay_test import LOOP, START_S, ReplayCase, csv, forecasting, hourly, manifest


def wider_at_the_end() -> str:
    """A day of 30 requests in flight, 4 more or less; in its last 30 %, which tune holds out, 9 more or less."""
    random.seed(7)
    lines = [f"{START_S + 60 * i},{30 + random.uniform(-1, 1) * (4 if i < 1008 else 9):.2f}" for i in range(1440)]
    return harness.write("wider.csv", "time,value\n" + "\n".join(lines) + "\n")


def in_flight(**annotations: str) -> str:
    so = manifests.scaled_object("http://127.0.0.1:1", threshold="8", spec={"maxReplicaCount": 24}, annotations=annotations)
    return manifests.saved("in-flight.yaml", so)


class Limits(ReplayCase):
    def tuned(self, *arguments: str, expected: int = 0) -> Any:
        ran = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--candidates", "60",
                       "--output", "json", *arguments, timeout=200)
        self.assertEqual(ran.status, expected, ran)
        return ran.json

    def test_limits_hold_in_both_parts_and_the_manifest_is_a_candidate(self) -> None:
        found = self.tuned("--max-above", "60")
        best, now = found["best"], found["baseline"]
        for part in ("train", "held_out"):
            self.assertLessEqual(best[part]["minutes_above_target_per_day"], 60, part)
            self.assertIsNone(best[part]["broke"])
            self.assertIsNone(now[part]["broke"], "the manifest keeps the limit")
        self.assertLessEqual(best["train"]["gpu_hours_per_day"], now["train"]["gpu_hours_per_day"] * 1.01)
        for tried in found["candidates"]:
            self.assertTrue(tried["train"]["broke"] or "held_out" in tried, "whatever keeps the limits is validated")

    def test_without_a_limit_it_is_not_later_than_today(self) -> None:
        found = self.tuned()
        for part in ("train", "held_out"):
            self.assertLessEqual(found["best"][part]["minutes_above_target_per_day"], found["baseline"][part]["minutes_above_target_per_day"])
        text = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--candidates", "10").out
        self.assertIn("limit:     today's minutes above target; --max-above sets another limit", text)
        self.assertRegex(text, r"within the limits: \d+ of \d+ in the first part, \d+ of these in the held-out part too")

    def test_a_worse_measure_without_a_limit_is_flagged(self) -> None:
        found = self.tuned("--max-flaps", "100", "--max-above", "1440", "--try", "threshold=12")
        self.assertEqual(found["changes"], {"threshold": 12})
        self.assertTrue(any(re.match(r"worse than today, and without a limit: [\d,.]+ minutes late \(p95\) instead of [\d.]+;? ?", note)
                            for note in found["notes"]), found["notes"])
        self.assertFalse(any("minutes above target" in note for note in found["notes"]), "it has a limit")

    def test_lateness_is_a_limit(self) -> None:
        found = self.tuned("--max-lateness", "3m")
        self.assertLessEqual(found["best"]["train"]["lateness_p95_minutes"], 3)
        self.assertLessEqual(found["best"]["held_out"]["lateness_p95_minutes"], 3)
        refused = [entry["train"]["broke"] for entry in found["candidates"] if entry["train"]["broke"]]
        self.assertTrue(any("minutes late (p95), at most 3 (--max-lateness)" in broke for broke in refused), refused)

    def test_the_names_until_0_2_still_work(self) -> None:
        self.assertEqual(self.tuned("--most-above", "60", "--most-flaps", "90", "--most-replicas", "24")["best"],
                         self.tuned("--max-above", "60", "--max-flaps", "90", "--max-replicas", "24")["best"])
        self.assertNotIn("--most-", gputided("replay", "tune", "--help").out)

    def test_figures_of_less_than_a_day_are_extrapolated(self) -> None:
        self.assertIn("the daily figures are extrapolated from 16.8 h, and from 7.2 h held out", "\n".join(self.tuned()["notes"]))

    def test_a_price_is_shown_as_cost(self) -> None:
        ran = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--candidates", "5",
                       "--cost-per-gpu-hour", "2.5")
        self.assertRegex(ran.out, r"as it is:  a day: 96 GPU-hours, cost 239.99, ")


class Patch(ReplayCase):
    def test_a_patch_has_no_present_value(self) -> None:
        ran = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--max-above", "1440",
                       "--try", "threshold=10", "--try", "up_window_s=0", "--try", "down_window_s=300", "--try", "tolerance=0.1",
                       "--try", "cooldown_s=300", "--try", "activation_threshold=0", "--try", "min=1", "--output", "json")
        self.assertEqual(ran.json["changes"], {"threshold": 10}, ran)
        self.assertEqual(ran.json["newer_fields"], [])
        self.assertEqual(list(ran.json["patch"]["spec"]), ["triggers"])

    def test_a_change_without_effect_is_left_out(self) -> None:
        ran = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--max-above", "1440",
                       "--try", "threshold=10", "--try", "cooldown_s=60", "--output", "json")
        self.assertEqual(ran.json["changes"], {"threshold": 10}, ran)

    def test_a_newer_field_is_named(self) -> None:
        ran = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--max-above", "1440",
                       "--try", "tolerance=0.2", "--output", "json")
        self.assertEqual(ran.json["changes"], {"tolerance": 0.2}, ran)
        self.assertIn("Kubernetes 1.35", ran.json["newer_fields"][0])
        behavior = ran.json["patch"]["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
        self.assertEqual(behavior, {"scaleUp": {"tolerance": "0.2"}, "scaleDown": {"tolerance": "0.2"}})

    def test_no_field_is_newer_than_the_cluster(self) -> None:
        def tuned(version: str, *arguments: str) -> Ran:
            about = {"gputide.io/hpa-version": version} if version else {}
            return gputided("replay", "tune", "-f", in_flight(**about), "--series", wider_at_the_end(), "--startup", "90s",
                            "--candidates", "20", *arguments)
        for version, has in (("", False), ("1.32", False), ("1.34", False), ("1.36", True)):
            tried = {name for entry in tuned(version, "--output", "json").json["candidates"] for name in entry["set"]}
            self.assertEqual("tolerance" in tried, has, version)
        self.check_refused(tuned("1.30", "--try", "tolerance=0.2"), "tolerance needs Kubernetes 1.33; gputide.io/hpa-version is older")

    def test_the_command_names_the_object(self) -> None:
        ran = gputided("replay", "tune", "-f", in_flight(), "--series", wider_at_the_end(), "--startup", "90s", "--max-above", "1440",
                       "--try", "threshold=10")
        self.assertRegex(ran.out, r"(?m)^kubectl patch scaledobject gpu -n default --type=merge -p '\{\"spec\":.*\}'$")


class Tune(ReplayCase):
    def test_tune_searches_the_forecasts_settings(self) -> None:
        ran = gputided("replay", "tune", "-f", forecasting(), "--series", hourly(), *LOOP, "--max-above", "200",
                       "--candidates", "30", "--seed", "3", "--output", "json", timeout=200)
        self.assertEqual(ran.status, 0, ran)
        tried = {name for entry in ran.json["candidates"] for name in entry["set"]}
        self.assertLessEqual({"forecast_lead_ms", "forecast_budget_percent", "forecast_quantile_percent"}, tried)
        own = gputided("replay", "tune", "-f", forecasting(), "--series", hourly(), *LOOP, "--max-above", "1000", "--holdout",
                       "0.5", "--try", "forecast_budget_percent=1,2", "--try", "forecast_lead_ms=240000", "--output", "json")
        self.assertNotIn("forecast-lead", own.json["diff"], "it changes no figure")
        self.assertIn('metadata.annotations["gputide.io/forecast-budget"]\n-  "100"', own.json["diff"])

    def test_tune_is_the_same_for_a_seed_and_any_number_of_threads(self) -> None:
        arguments = ("replay", "tune", "-f", manifest(), "--series", csv("day.csv"), "--model", "closed", "--startup", "60s",
                     "--max-above", "30", "--max-flaps", "20", "--max-replicas", "8", "--candidates", "40", "--seed", "7")
        first = gputided(*arguments, "--jobs", "1", "--output", "json", timeout=90)
        self.assertEqual(first.status, 0, first)
        self.assertEqual(first.out, gputided(*arguments, "--jobs", "2", "--output", "json", timeout=90).out)
        found = first.json
        best = found["best"]
        self.assertIsNone(best["train"]["broke"])
        self.assertIsNone(best["held_out"]["broke"])
        self.assertLessEqual(best["train"]["minutes_above_target_per_day"], 30)
        rejected = [entry for entry in found["candidates"] if entry["train"]["broke"]]
        self.assertTrue(rejected)
        for entry in rejected:
            self.assertRegex(entry["train"]["broke"], r"^[\d,.]+ (minutes above target a day|flaps a day|replicas), at most \d+ \(--max-|min ")
        feasible = [entry["train"]["gpu_hours_per_day"] for entry in found["candidates"] if not entry["train"]["broke"]]
        self.assertTrue(all(hours >= 0 for hours in feasible))
        self.assertIn("spec.", found["diff"])

    def test_what_tune_found_applies_as_a_merge_patch(self) -> None:
        so = manifests.scaled_object("http://127.0.0.1:1", threshold="60", name="llm")
        so["spec"]["triggers"][0]["metricType"] = "Value"
        so["spec"]["triggers"].append({"type": "cron", "metadata": {"timezone": "UTC", "start": "0 8 * * *", "end": "0 9 * * *", "desiredReplicas": "2"}})
        lines = re.sub(r"(?m),4$", ",0,4", pathlib.Path(csv("day.csv")).read_text().replace("util,", "util,cron,"))
        yaml = harness.write("patch.yaml", f"""# YAML, two documents
apiVersion: v1
kind: Secret
metadata: {{name: other}}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: llm
spec:
  scaleTargetRef: {{name: llm}}
  maxReplicaCount: 20
  triggers:
  - type: prometheus
    metricType: Value
    metadata: &shared
      serverAddress: http://127.0.0.1:1
      query: avg(x)
      threshold: "60"
  - {json.dumps(so["spec"]["triggers"][1])}
""")
        page = harness.WORK / "tune.html"
        ran = gputided("replay", "tune", "-f", yaml, "--series", harness.write("two.csv", lines), "--model", "closed", "--signal", "utilization",
                       "--signal", "total", "--try", "threshold=80", "--try", "tolerance=0.2", "--try", "down_window_s=3600", "--max-above", "1440",
                       "--html", str(page), "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        patch = ran.json["patch"]
        triggers = patch["spec"]["triggers"]
        self.assertEqual([entry["type"] for entry in triggers], ["prometheus", "cron"], "lists whole")
        self.assertEqual(triggers[0]["metadata"], {"serverAddress": "http://127.0.0.1:1", "query": "avg(x)", "threshold": "80"})
        self.assertNotIn("maxReplicaCount", patch["spec"])
        text = page.read_text()
        self.assertIn('"kind":"recorded"', text)
        self.assertIn('"kind":"now"', text)
        self.assertNotIn("@CHOICES@", text)

    def test_what_tune_cannot_try_is_said_before_it_searches(self) -> None:
        tune = ("replay", "tune", "-f", manifest(), "--series", csv("day.csv"))
        self.check_refused(gputided(*tune, "--try", "max=5,6", "--try", "treshold=5:9:1"), "--try treshold", 'did you mean "threshold"?')
        self.check_refused(gputided(*tune, "--try", "bogus=1"), "--try bogus", "expected one of threshold, ")
        for wrong, expected in (("treshold=", 'did you mean "threshold"?'), ("treshold", 'did you mean "threshold"?'), ("bogus=x:y", "expected one of threshold, "),
                                ("threshold=", "expected name=low:high:step"), ("=5", "expected name=low:high:step")):
            self.check_refused(gputided(*tune, "--try", wrong), "--try " + wrong.split("=")[0], expected)
        self.check_refused(gputided(*tune, "--try", "max=0,-1"), "--try max")
        compare = ("replay", "compare", *tune[2:])
        self.check_refused(gputided(*compare, "--variant", "calm: treshold="), "--variant calm: treshold=", 'did you mean "threshold"?')
        self.check_refused(gputided(*compare, "--variant", "threshold="), "--variant threshold=", "threshold: expected a number")
        self.check_refused(gputided("replay", *tune[2:], "--set", "treshold="), 'did you mean "threshold"?')
        self.check_refused(gputided(*tune, "--set", "treshold=5"), 'did you mean "threshold"?')
        self.check_refused(gputided(*tune, "--try", "threshold=9:5:1"), "--try threshold=9:5:1", "9 is above 5")
        self.check_refused(gputided(*tune, "--most-above", "-5"), "-5 not in range")
        self.check_refused(gputided(*tune, "--max-lateness", "soon"), "--max-lateness", "soon")
        self.check_refused(gputided(*tune, "--max-above", "-5"), "--max-above: expected a number, 0 or more, got -5")
        for page, reason in (("/nowhere/tune.html", "No such file"), (str(harness.WORK), "Is a directory")):
            ran = gputided(*tune, "--html", page)
            self.check_refused(ran, f"--html {page}: cannot be written: {reason}")
            self.assertNotIn("candidates", ran.err, "before it searches")

    def test_tune_with_limits_that_nothing_keeps(self) -> None:
        ran = gputided("replay", "tune", "-f", manifest(), "--series", csv("day.csv"), "--model", "closed",
                       "--max-replicas", "1", "--max-above", "0", "--candidates", "10")
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("no candidate keeps the limits", ran.out)
        self.assertRegex(ran.out, r"nearest:   a day: .* GPU-hours, .* at most \d+ replicas; breaks: ")
        self.assertRegex(ran.out, r"breaks: (\d[\d,.]* minutes above target a day, at most 0 \(--max-above\)|\d+ replicas, at most 1 \(--max-replicas\))")
        self.assertRegex(ran.out, r"rejected: \d+ by --max-(above 0|replicas 1)")
