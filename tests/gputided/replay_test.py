"""gputided replay, compare and tune, over series that the tests make: no server is needed."""
from __future__ import annotations

import json
import math
import pathlib
import re
import subprocess
import sys
import tarfile
import unittest
from typing import Any

import chromium
import harness
import manifests
from harness import Ran, gputided
from page_test import browse, text_of

START_S = 1795168800
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def csv(name: str, steps: int = 5760, replicas: int = 4) -> str:
    """A day at 15 s: a wave of utilization on `replicas` replicas."""
    lines = ["time,util,replicas"]
    for i in range(steps):
        lines.append(f"{START_S + 15 * i},{45 + 30 * math.sin(i / 5760 * 2 * math.pi) + i * 7919 % 13:.2f},{replicas}")
    return harness.write(name, "\n".join(lines) + "\n")


def manifest(**more: object) -> str:
    so = manifests.scaled_object("http://127.0.0.1:1", threshold="60", **more)  # nothing is asked
    so["spec"]["triggers"][0]["metricType"] = "Value"
    return manifests.saved("replay.yaml", so)


def hourly(days: int = 4) -> str:
    """A value a minute: ten minutes of each hour are five times the rest."""
    lines = [f"{START_S + 60 * i},{100 if i % 60 < 10 else 20}" for i in range(days * 1440)]
    return harness.write("hourly.csv", "time,queue\n" + "\n".join(lines) + "\n")


def forecasting(**annotations: str) -> str:
    so = manifests.scaled_object("http://127.0.0.1:1", threshold="5", spec={"maxReplicaCount": 60}, annotations={
        "gputide.io/forecast": "act", "gputide.io/forecast-budget": "100", **annotations})
    return manifests.saved("ahead.yaml", so)


# Each text of the chart with its size and place on the screen.
LABELS = """[...document.querySelectorAll('#chart text')].map(one => {
    const { left, right, top } = one.getBoundingClientRect(), scale = one.getScreenCTM().a;
    return { text: one.textContent, size_px: Math.round(parseFloat(getComputedStyle(one).fontSize) * scale * 10) / 10, left, right, top };
})"""
LOOP = ("--model", "closed", "--signal", "total", "--startup", "5m")


class Replay(unittest.TestCase):
    def test_a_day_as_text_and_json(self) -> None:
        series = csv("day.csv")
        ran = gputided("replay", "-f", manifest(), "--series", series, "--model", "closed", "--startup", "60s,2m")
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        for text in ("default/gpu: ", "GPU-hours in 24 h", "closed loop, signal utilization, exporter 30 s, scrape 15 s",
                     "5,760 decisions", "█", "Changes:"):
            self.assertIn(text, ran.out)
        report = gputided("replay", "-f", manifest(), "--series", series, "--model", "open", "--output", "json").json
        self.assertEqual(report["summary"]["steps"], 5760)
        self.assertEqual(report["model"]["name"], "open")
        self.assertLessEqual(len(report["chart"]["time_ms"]), 1500)
        self.assertTrue(all(event["reason"] and event["text"] for event in report["events"]))

    def test_an_html_report_loads_nothing(self) -> None:
        page = pathlib.Path(harness.WORK / "day.html")
        so = manifests.scaled_object("http://127.0.0.1:1", threshold="60", query="avg(x) # </script><b>")
        ran = gputided("replay", "-f", manifests.saved("html.yaml", so), "--series", csv("day.csv"), "--html", str(page))
        self.assertEqual(ran.status, 0, ran)
        text = page.read_text()
        self.assertIn("default/gpu", text)
        self.assertIn("var uPlot=", text)
        self.assertNotIn("@REPORT@", text)
        for loads in ("src=", "<link", "@import", "url("):
            self.assertNotIn(loads, text)
        self.assertEqual(text.count("</script>"), 3)
        data = text.split('id="report">', 1)[1].split("</script>", 1)[0]
        self.assertEqual(json.loads(data)["summary"]["steps"], 5760)
        self.assertEqual([one.name for one in page.parent.glob("day.html*")], ["day.html"])

    def test_a_report_has_the_mode_that_the_umask_leaves(self) -> None:
        page = pathlib.Path(harness.WORK / "mode.html")
        command = f'exec {harness.PROGRAM} replay -f {manifest()} --series {csv("mode.csv")} --html {page}'
        for umask, mode in (("022", 0o644), ("027", 0o640)):  # the second replaces the first's file
            with self.subTest(umask):
                ran = subprocess.run(["sh", "-c", f"umask {umask}; {command}"], env=harness.surroundings(), capture_output=True)
                self.assertEqual(ran.returncode, 0, ran)
                self.assertEqual(page.stat().st_mode & 0o777, mode)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_a_report_without_its_charts_library_has_its_figures(self) -> None:
        page = harness.WORK / "bare.html"
        gputided("replay", "-f", manifest(), "--series", csv("day.csv"), "--html", str(page))
        page.write_text(re.sub(r"(?s)<script nonce=\"\w+\">[^<]*var uPlot=.*?</script>", "<script></script>", page.read_text(), count=1))
        with chromium.Browser() as browser:
            browser.open(page.as_uri())
            seen = browser.ask("document.body.innerText")
        for text in ("built without uPlot", "GPU-hours", "What was assumed", "s0-prometheus"):
            self.assertIn(text, seen)

    def nine_steps_above_target(self) -> Ran:
        """Nine steps of 15 s are 2.25 min, which rounds to 2.3 or, by printf, to 2.2."""
        lines = [f"{START_S + 15 * i},{90 if 100 <= i < 109 else 10},4" for i in range(5760)]
        series = harness.write("nine.csv", "time,util,replicas\n" + "\n".join(lines) + "\n")
        return gputided("replay", "-f", manifest(), "--series", series, "--model", "open", "--html", str(harness.WORK / "nine.html"))

    def test_a_half_is_rounded_up_wherever_it_is_shown(self) -> None:
        self.assertIn("above target 2.3 min (0.2 %)", self.nine_steps_above_target().out)
        self.assertIn("above target 2.3 min (0.2 %)", (harness.WORK / "nine.html").read_text())
        ran = gputided("replay", "compare", "-f", manifest(), "--series", str(harness.WORK / "nine.csv"), "--model", "open")
        self.assertRegex(ran.out, r" 2\.3 .* \+0\.0%\n")

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_a_tile_says_what_the_sentence_says(self) -> None:
        self.nine_steps_above_target()
        seen = " ".join(text_of(browse((harness.WORK / "nine.html").as_uri(), "--dump-dom")).split())
        shown = re.findall(r"2\.\d+ min", seen)
        self.assertEqual(set(shown), {"2.3 min"})
        self.assertGreaterEqual(len(shown), 3, "sentence, tile, table of figures")
        self.assertIn("2.3 min above target, 0.2 %", seen)

    def refused(self, ran: Ran, *expected: str) -> None:
        self.assertEqual(ran.status, 2, ran)
        self.assertEqual(ran.out, "")
        for text in expected:
            self.assertIn(text, ran.err)

    def test_bad_series(self) -> None:
        for name, text, said in (("empty.csv", "", "empty"), ("one.csv", f"{START_S},5\n", "one moment"),
                                 ("word.csv", "time,value\n1,two\n", "line 2"), ("half.json", '{"status":"succ', "half.json"),
                                 ("other.json", '{"hello":1}', "other.json"), ("bytes.csv", b"\xff\xfe\x00\x01" * 50, "bytes.csv"),
                                 ("deep.json", "[" * 5000, "deep.json"), ("back.csv", "5\n6\n", "time,value")):
            page = harness.WORK / "never.html"
            ran = gputided("replay", "-f", manifest(), "--series", harness.write(name, text), "--html", str(page))
            self.assertIn(ran.status, (2, 3), (name, ran))
            self.assertEqual(ran.out, "")
            self.assertIn(said, ran.err, name)
            self.assertFalse(page.exists())

    def test_bad_flags(self) -> None:
        series = csv("day.csv")
        self.refused(gputided("replay", "-f", manifest()), "--series", "--from")
        self.refused(gputided("replay", "-f", manifest(), "--series", series, "--startup", "soon"), "--startup", "soon")
        self.refused(gputided("replay", "-f", manifest(), "--series", series, "--set", "treshold=5"),
                     '"treshold"', 'did you mean "threshold"?')
        self.refused(gputided("replay", "-f", manifest(), "--series", series, "--model", "half"), "--model")
        self.refused(gputided("replay", "-f", manifest(), "--series", str(harness.WORK / "no.csv")), "no.csv")
        self.refused(gputided("replay", "-f", manifest(), "--from", "now", "--to", "-1h"), "--from")

    def test_an_endpoint_that_is_not_there(self) -> None:
        ran = gputided("replay", "-f", manifest(), "--from", "-1h", "--cache", str(harness.WORK / "gone.csv"))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_UNAVAILABLE", ran.err)

    def test_compare(self) -> None:
        ran = gputided("replay", "compare", "-f", manifest(), "--series", csv("day.csv"), "--model", "closed",
                       "--variant", "hot: threshold=85", "--variant", "min=6", "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        names = [one["name"] for one in ran.json]
        self.assertEqual(names[1:], ["hot", "min=6"])
        hours = [one["report"]["summary"]["gpu_hours"] for one in ran.json]
        self.assertLess(hours[1], hours[0])
        self.assertGreater(hours[2], hours[0])
        levels = {one["report"]["policy"]["metrics"][0]["above"] for one in ran.json}
        self.assertEqual(levels, {66})  # one yardstick

    def test_a_forecast_beside_its_rivals(self) -> None:
        page = pathlib.Path(harness.WORK / "ahead.html")
        arguments = ("replay", "-f", forecasting(), "--series", hourly(), *LOOP)
        ran = gputided(*arguments, "--html", str(page))
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        for text in ("forecast ", "forecast off: above target ", "forecast on: above target ", "headroom "):
            self.assertIn(text, ran.out)
        report = gputided(*arguments, "--output", "json").json
        off, on, headroom = (one["summary"] for one in report["compared"])
        self.assertEqual([one["name"].split()[0] for one in report["compared"]], ["forecast", "forecast", "headroom"])
        self.assertLess(on["minutes_above_target"], off["minutes_above_target"])
        self.assertLess(on["minutes_above_target"], headroom["minutes_above_target"])
        self.assertLess(off["replica_hours"], headroom["replica_hours"])
        self.assertLessEqual(headroom["replica_hours"], on["replica_hours"])
        self.assertLess(on["replica_hours"] - headroom["replica_hours"], 0.05 * on["replica_hours"])
        self.assertEqual(report["forecast"]["without"]["replica_hours"], off["replica_hours"])
        data = page.read_text().split('id="report">', 1)[1].split("</script>", 1)[0]
        self.assertEqual([one["name"] for one in json.loads(data)["compared"]], [one["name"] for one in report["compared"]])

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_the_picture_of_a_forecast_and_its_rivals(self) -> None:
        page = harness.WORK / "drawn.html"
        gputided("replay", "-f", forecasting(), "--series", hourly(), *LOOP, "--html", str(page))
        seen = " ".join(text_of(browse(page.as_uri(), "--dump-dom")).split())
        self.assertIn("With the forecast, without it, and with headroom instead", seen)
        self.assertRegex(seen, r"forecast on: ready replicas.*headroom [\d.]+ %: ready replicas")
        self.assertRegex(seen, r"forecast on [\d.]+ \(−[\d.]+ %\)")

    def test_compare_shows_a_forecast_and_its_rivals(self) -> None:
        ran = gputided("replay", "compare", "-f", forecasting(), "--series", hourly(), *LOOP, "--variant",
                       "slow: forecast_lead_ms=60000")
        self.assertEqual(ran.status, 0, ran)
        names = [line.split("  ")[0] for line in ran.out.splitlines()[1:5]]
        self.assertEqual([names[0], names[1], names[2].split()[0], names[3]], ["forecast off", "forecast on", "headroom", "slow"])

    def test_a_series_without_a_pattern_says_so(self) -> None:
        def drawn(number: int) -> float:
            return math.sin(number * 12.9898) * 43758.5453 % 1

        lines = [f"{START_S + 60 * i},{40 + 60 * drawn(i // 20) + 6 * drawn(i + 700000):.3f}" for i in range(4 * 1440)]
        series = harness.write("steps.csv", "time,queue\n" + "\n".join(lines) + "\n")
        ran = gputided("replay", "-f", forecasting(), "--series", series, *LOOP, "--set", "forecast_warmup_ms=3600000",
                       "--set", "forecast_budget_percent=5", "--output", "json")
        self.assertEqual([one["name"].split()[0] for one in ran.json["compared"]], ["forecast", "forecast", "headroom"])
        self.assertTrue([one for one in ran.json["warnings"] if "no pattern worth forecasting: headroom " in one], ran.json)

    def test_words_of_a_setting(self) -> None:
        arguments = ("replay", "-f", forecasting(), "--series", hourly(2), *LOOP, "--output", "json")
        self.assertNotIn("forecast", gputided(*arguments, "--set", "forecast=off").json)
        observed = gputided(*arguments, "--set", "forecast=observe", "--set", "forecast_budget_percent=none").json
        self.assertEqual(observed["forecast"]["mode"], "observe")
        self.assertNotIn("budget_percent", observed["forecast"])
        self.refused(gputided(*arguments, "--set", "forecast=maybe"), "forecast: expected off, observe or act")
        self.refused(gputided(*arguments, "--set", "threshold=high"), "threshold")

    def test_tune_searches_the_forecasts_settings(self) -> None:
        ran = gputided("replay", "tune", "-f", forecasting(), "--series", hourly(), *LOOP, "--most-above", "200",
                       "--candidates", "30", "--seed", "3", "--output", "json", timeout=200)
        self.assertEqual(ran.status, 0, ran)
        tried = {name for one in ran.json["candidates"] for name in one["set"]}
        self.assertLessEqual({"forecast_lead_ms", "forecast_budget_percent", "forecast_quantile_percent"}, tried)
        own = gputided("replay", "tune", "-f", forecasting(), "--series", hourly(), *LOOP, "--most-above", "1000", "--holdout",
                       "0.5", "--try", "forecast_budget_percent=1,2", "--try", "forecast_lead_ms=240000", "--output", "json")
        self.assertIn('metadata.annotations["gputide.io/forecast-lead"]\n-  "300s"\n+  "240s"', own.json["diff"])
        self.assertIn('metadata.annotations["gputide.io/forecast-budget"]\n-  "100"', own.json["diff"])

    def test_tune_is_the_same_for_a_seed_and_any_number_of_threads(self) -> None:
        arguments = ("replay", "tune", "-f", manifest(), "--series", csv("day.csv"), "--model", "closed", "--startup", "60s",
                     "--most-above", "30", "--most-flaps", "20", "--most-replicas", "8", "--candidates", "40", "--seed", "7")
        first = gputided(*arguments, "--jobs", "1", "--output", "json", timeout=90)
        self.assertEqual(first.status, 0, first)
        self.assertEqual(first.out, gputided(*arguments, "--jobs", "2", "--output", "json", timeout=90).out)
        found = first.json
        best = found["best"]
        self.assertIsNone(best["train"]["broke"])
        self.assertIsNone(best["held_out"]["broke"])
        self.assertLessEqual(best["train"]["minutes_above_target_per_day"], 30)
        rejected = [one for one in found["candidates"] if one["train"]["broke"]]
        self.assertTrue(rejected)
        for one in rejected:
            self.assertRegex(one["train"]["broke"], r"^[\d,.]+ (minutes above target a day|flaps a day|replicas), at most \d+ \(--most-|min ")
        feasible = [one["train"]["gpu_hours_per_day"] for one in found["candidates"] if not one["train"]["broke"]]
        self.assertTrue(all(hours >= 0 for hours in feasible))
        self.assertIn("spec.", found["diff"])

    def test_the_loop_is_closed_where_the_metric_is_a_mean_over_known_replicas(self) -> None:
        series, alone = csv("day.csv"), harness.write("alone.csv", "time,util\n" + "\n".join(
            f"{START_S + 15 * i},{40 + i % 50}" for i in range(400)) + "\n")
        closed = gputided("replay", "-f", manifest(), "--series", series)
        self.assertIn("closed loop", closed.out)
        self.assertNotIn("Open loop", closed.out)
        for arguments in (("--series", series, "--model", "open"), ("--series", alone)):
            headline = gputided("replay", "-f", manifest(), *arguments).out.splitlines()[0]
            self.assertIn("Open loop: without the effect of scaling on the metric.", headline)
        total = manifests.saved("total.yaml", manifests.scaled_object("http://127.0.0.1:1", threshold="60", query="sum(x)"))
        self.assertIn("Open loop", gputided("replay", "-f", total, "--series", series).out)
        mean = manifests.saved("mean.yaml", manifests.scaled_object("http://127.0.0.1:1", threshold="60", query="avg(x)"))
        self.assertIn("closed loop", gputided("replay", "-f", mean, "--series", series).out)

    def test_the_headline_says_what_the_recording_covers(self) -> None:
        rows = [f"{START_S + 15 * i},{{}},4" for i in range(5760)]
        nothing = harness.write("nan.csv", "time,util,replicas\n" + "\n".join(row.format("NaN") for row in rows) + "\n")
        ran = gputided("replay", "-f", manifest(), "--series", nothing)
        self.assertIn("above target: unknown, the recording has no number", ran.out.splitlines()[0])
        sparse = harness.write("sparse.csv", "time,util,replicas\n" + "\n".join(
            row.format(90) for i, row in enumerate(rows) if i < 58 or i == 5759) + "\n")
        headline = gputided("replay", "-f", manifest(), "--series", sparse, "--model", "open").out.splitlines()[0]
        self.assertRegex(headline, r"above target (1[45](\.\d+)?) min \(100 %\) of the \1 min that the recording covers, 1 % of the time")
        whole = gputided("replay", "-f", manifest(), "--series", csv("day.csv")).out.splitlines()[0]
        self.assertNotIn("covers", whole)

    def test_startup_delays_of_a_file(self) -> None:
        delays = harness.write("delays.csv", "model,startup\n" + "\n".join(f"m,{30 + i % 300}" for i in range(3000)) + "\n")
        replay = ("replay", "-f", manifest(), "--series", csv("day.csv"))
        ran = gputided(*replay, "--startup", f"@{delays}", "--html", str(harness.WORK / "delays.html"))
        self.assertIn("1000 durations: p10 59 s, p50 179 s, p90 299 s, longest 329 s; each new replica draws one", ran.out)
        few = harness.write("few.csv", "90s\n2m\n75.5\n")
        self.assertIn("75.5 s, 90 s, 120 s", gputided(*replay, "--startup", f"@{few}").out)
        self.refused(gputided(*replay, "--startup", f"@{harness.write('none.csv', 'startup')}"), "it has no duration")
        for text, reason in (("startup\n90\n-5\n", "line 3: duration -5: expected a number, 0 or more"), ("pod,took\na,90\n", "line 1: one of several columns must")):
            file = harness.write("odd-delays.csv", text)
            self.refused(gputided(*replay, "--startup", f"@{file}"), f"--startup @{file}: {reason}")
        self.refused(gputided(*replay, "--gpus-per-replica", "-2"), "gpus_per_replica: expected a number")
        self.refused(gputided(*replay, "--cost-per-gpu-hour", "-1"), "cost_per_gpu_hour: expected a number")
        self.refused(gputided(*replay, "--startup", f"@{harness.write('word.csv', '90s' + chr(10) + 'soon')}"), "soon")

    def test_series_of_containers(self) -> None:
        lines = ["time,container,value"]
        for i in range(240):
            for container in range(3 if i < 120 else 2):
                lines.append(f"{START_S + 15 * i + container},c{container},{20 * (container + 1)}")
        series = harness.write("containers.csv", "\n".join(lines) + "\n")
        def report(query: str, kind: str) -> dict[str, Any]:
            so = manifests.scaled_object("http://127.0.0.1:1", threshold="60", query=query)
            so["spec"]["triggers"][0]["metricType"] = kind
            return dict(gputided("replay", "-f", manifests.saved("containers.yaml", so), "--series", series, "--model", "open", "--output", "json").json)
        mean, total = report("avg(x)", "Value"), report("sum(x)", "AverageValue")
        self.assertEqual((mean["chart"]["value_high"][0], mean["chart"]["value_high"][-2]), (40, 30))
        self.assertEqual((total["chart"]["value_high"][0], total["chart"]["value_high"][-2]), (120, 60))
        self.assertEqual((mean["chart"]["recorded"][0], mean["chart"]["recorded"][-2]), (3, 2))
        self.assertIn("closed loop", gputided("replay", "-f", manifest(), "--series", series).out, "their number is the size")
        self.refused(gputided("replay", "-f", manifest(), "--series", harness.write("odd.csv", "time,pod,value\n1,a,x\n")), "odd.csv", "line 2", "x")

    def test_a_public_trace_of_a_gpu_fleet(self) -> None:
        """In the trace's own forms: columns in any order, one file packed."""
        folder, out = harness.WORK / "genai", harness.WORK / "genai.out"
        folder.mkdir()
        duty = ["value,timestamp_anon,container_ip"] + [f"{20 + 60 * (100 < i < 200)},{START_S + 57.0 * i},{c}" for i in range(300) for c in ("a", "b", "c")]
        (folder / "pod_gpu_duty_cycle_anon.csv").write_text("\n".join(duty) + "\n")
        with tarfile.open(folder / "pipeline_update_latency_anon.tar.gz", "w:gz") as archive:
            packed = pathlib.Path(harness.write("packed.csv", "timestamp_anon,value,container_ip\n1.0,8500.0,a\n2.0,27000.0,NULL\n"))
            archive.add(packed, "./pipeline_update_latency_anon.csv")
        for name in ("queue_size_raw_anon", "qps"):
            (folder / f"{name}.csv").write_text(f"value,container_ip,timestamp_anon\n1.5,,{START_S}.0\n2.0,x,{START_S}.0\n")
        subprocess.run([sys.executable, str(EXAMPLES / "replay/alibaba_genai.py"), str(folder), str(out)], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual((out / "startup.csv").read_text(), "startup\n8.5\n27\n")
        self.assertEqual((out / "requests.csv").read_text(), f"time,value\n{START_S},3.5\n")
        ran = gputided("replay", "-f", str(EXAMPLES / "manifests/gpu-duty-cycle.yaml"), "--series", str(out / "duty_cycle.csv"),
                       "--startup", f"@{out / 'startup.csv'}")
        self.assertEqual(ran.status, 0, ran)
        for text in ("closed loop", "8.5 s, 27 s; each new replica draws one", "300 points, step 57 s", "GPU-hours in 4.7 h"):
            self.assertIn(text, ran.out)
        self.assertRegex(ran.out, r"; 4 to [6-9] replicas|; 4 to 1\d replicas")

    def test_reasons_have_their_value(self) -> None:
        ran = gputided("replay", "-f", manifest(), "--series", csv("day.csv"))
        self.assertRegex(ran.out, r"-> \d+  s0-prometheus \d[\d.]* > 66; ")
        self.assertRegex(ran.out, r"-> \d+  s0-prometheus \d[\d.]* < 60; ")

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
                       "--signal", "total", "--try", "threshold=80", "--try", "tolerance=0.2", "--try", "down_window_s=3600", "--html", str(page),
                       "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        patch = ran.json["patch"]
        triggers = patch["spec"]["triggers"]
        self.assertEqual([one["type"] for one in triggers], ["prometheus", "cron"], "lists whole")
        self.assertEqual(triggers[0]["metadata"], {"serverAddress": "http://127.0.0.1:1", "query": "avg(x)", "threshold": "80"})
        down = patch["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
        self.assertEqual(down, {"stabilizationWindowSeconds": 3600, "tolerance": "0.2"})
        self.assertNotIn("maxReplicaCount", patch["spec"])
        self.assertIn("Kubernetes 1.35", ran.json["newer_fields"][0])
        text = page.read_text()
        self.assertIn('"kind":"recorded"', text)
        self.assertIn('"kind":"now"', text)
        self.assertNotIn("@CHOICES@", text)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
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
                self.assertEqual({one["size_px"] for one in labels}, {12}, "readable on a phone")
                for i, one in enumerate(labels):
                    self.assertGreaterEqual(one["left"], 0)
                    self.assertLessEqual(one["right"], width)
                    for other in labels[:i]:
                        self.assertFalse(one["left"] < other["right"] and other["left"] < one["right"] and abs(one["top"] - other["top"]) < 10, (one, other))

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_the_report_shows_the_recording_and_folds_a_long_table(self) -> None:
        page = harness.WORK / "report.html"
        gputided("replay", "-f", manifest(), "--series", csv("day.csv"), "--set", "down_window_s=0", "--set", "tolerance=0", "--html", str(page))
        with chromium.Browser(390, 844) as browser:
            browser.open(page.as_uri())
            legend = browser.ask("[...document.querySelectorAll('.u-legend .u-label')].map(one => one.innerText).join()")
            for text in ("recorded", "threshold 60", "limited", "ready"):
                self.assertIn(text, legend)
            rows = browser.ask("[...document.querySelectorAll('#events > table tbody tr')].length")
            self.assertEqual(rows, 50)
            self.assertTrue(browser.ask("[...document.querySelectorAll('#events > details > summary')].pop().innerText").endswith(" more"))
            order = browser.ask("[...document.querySelectorAll('h2')].map(one => one.innerText)")
            self.assertEqual(order[-3:], ["Figures", "What was assumed", "Changes and their reasons"])
            self.assertLessEqual(browser.ask("document.documentElement.scrollWidth"), 390)

    def test_what_tune_cannot_try_is_said_before_it_searches(self) -> None:
        tune = ("replay", "tune", "-f", manifest(), "--series", csv("day.csv"))
        self.refused(gputided(*tune, "--try", "max=5,6", "--try", "treshold=5:9:1"), "--try treshold", 'did you mean "threshold"?')
        self.refused(gputided(*tune, "--try", "bogus=1"), "--try bogus", "expected one of threshold, ")
        for wrong, expected in (("treshold=", 'did you mean "threshold"?'), ("treshold", 'did you mean "threshold"?'), ("bogus=x:y", "expected one of threshold, "),
                                ("threshold=", "expected name=low:high:step"), ("=5", "expected name=low:high:step")):
            self.refused(gputided(*tune, "--try", wrong), "--try " + wrong.split("=")[0], expected)
        self.refused(gputided(*tune, "--try", "max=0,-1"), "--try max")
        compare = ("replay", "compare", *tune[2:])
        self.refused(gputided(*compare, "--variant", "calm: treshold="), "--variant calm: treshold=", 'did you mean "threshold"?')
        self.refused(gputided(*compare, "--variant", "threshold="), "--variant threshold=", "threshold: expected a number")
        self.refused(gputided("replay", *tune[2:], "--set", "treshold="), 'did you mean "threshold"?')
        self.refused(gputided(*tune, "--set", "treshold=5"), 'did you mean "threshold"?')
        self.refused(gputided(*tune, "--try", "threshold=9:5:1"), "--try threshold=9:5:1", "9 is above 5")
        self.refused(gputided(*tune, "--most-above", "-5"), "--most-above: expected a number, 0 or more, got -5")
        for page, reason in (("/nowhere/tune.html", "No such file"), (str(harness.WORK), "Is a directory")):
            ran = gputided(*tune, "--html", page)
            self.refused(ran, f"--html {page}: cannot be written: {reason}")
            self.assertNotIn("candidates", ran.err, "before it searches")

    def test_tune_with_limits_that_nothing_keeps(self) -> None:
        ran = gputided("replay", "tune", "-f", manifest(), "--series", csv("day.csv"), "--model", "closed",
                       "--most-replicas", "1", "--most-above", "0", "--candidates", "10")
        self.assertEqual(ran.status, 1, ran)
        self.assertIn("no candidate keeps the limits", ran.out)
        self.assertRegex(ran.out, r"nearest:   a day: .* GPU-hours, .* at most \d+ replicas; breaks: ")
        self.assertRegex(ran.out, r"breaks: (\d[\d,.]* minutes above target a day, at most 0 \(--most-above\)|\d+ replicas, at most 1 \(--most-replicas\))")
        self.assertRegex(ran.out, r"rejected: \d+ by --most-(above 0|replicas 1)")
