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


LOOP = ("--model", "closed", "--signal", "total", "--startup", "5m")


class ReplayCase(unittest.TestCase):
    def check_refused(self, ran: Ran, *expected: str) -> None:
        self.assertEqual(ran.status, 2, ran)
        self.assertTrue(ran.out == "" or ran.json["error"]["exit_status"] == 2, ran)
        for text in expected:
            self.assertIn(text, ran.err)


class Replay(ReplayCase):
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
        self.assertEqual([path.name for path in page.parent.glob("day.html*")], ["day.html"])

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
        for text in ("built without uPlot", "GPU-hours", "Assumptions", "s0-prometheus"):
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
        self.assertRegex(ran.out, r" \+0\.0% .* 2\.3 ")

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_a_tile_says_what_the_sentence_says(self) -> None:
        self.nine_steps_above_target()
        seen = " ".join(text_of(browse((harness.WORK / "nine.html").as_uri(), "--dump-dom")).split())
        shown = re.findall(r"2\.\d+ min", seen)
        self.assertEqual(set(shown), {"2.3 min"})
        self.assertGreaterEqual(len(shown), 3, "sentence, tile, table of figures")
        self.assertIn("2.3 min above target, 0.2 %", seen)

    def test_bad_series(self) -> None:
        for name, text, said in (("empty.csv", "", "empty"), ("one.csv", f"{START_S},5\n", "all points have the same time"),
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
        self.check_refused(gputided("replay", "-f", manifest()), "--series", "--from")
        self.check_refused(gputided("replay", "-f", manifest(), "--series", series, "--startup", "soon"), "--startup", "soon")
        self.check_refused(gputided("replay", "-f", manifest(), "--series", series, "--set", "treshold=5"),
                     '"treshold"', 'did you mean "threshold"?')
        self.check_refused(gputided("replay", "-f", manifest(), "--series", series, "--model", "half"), "--model")
        self.check_refused(gputided("replay", "-f", manifest(), "--series", str(harness.WORK / "no.csv")), "no.csv")
        self.check_refused(gputided("replay", "-f", manifest(), "--from", "now", "--to", "-1h"), "--from")

    def test_an_endpoint_that_is_not_there(self) -> None:
        ran = gputided("replay", "-f", manifest(), "--from", "-1h", "--cache", str(harness.WORK / "gone.csv"))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_UNAVAILABLE", ran.err)

    def test_compare(self) -> None:
        ran = gputided("replay", "compare", "-f", manifest(), "--series", csv("day.csv"), "--model", "closed",
                       "--variant", "hot: threshold=85", "--variant", "min=6", "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        rows = ran.json["rows"]  # an object, as of every command
        names = [entry["name"] for entry in rows]
        self.assertEqual(names[1:], ["hot", "min=6"])
        hours = [entry["report"]["summary"]["gpu_hours"] for entry in rows]
        self.assertLess(hours[1], hours[0])
        self.assertGreater(hours[2], hours[0])
        levels = {entry["report"]["policy"]["metrics"][0]["above"] for entry in rows}
        self.assertEqual(levels, {66})  # one yardstick

    def test_a_forecast_beside_its_rivals(self) -> None:
        page = pathlib.Path(harness.WORK / "ahead.html")
        arguments = ("replay", "-f", forecasting(), "--series", hourly(), *LOOP)
        ran = gputided(*arguments, "--html", str(page))
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        for text in ("forecast ", "forecast off: above target ", "forecast on: above target ", "headroom "):
            self.assertIn(text, ran.out)
        report = gputided(*arguments, "--output", "json").json
        off, on, headroom = (entry["summary"] for entry in report["compared"])
        self.assertEqual([entry["name"].split()[0] for entry in report["compared"]], ["forecast", "forecast", "headroom"])
        self.assertLess(on["minutes_above_target"], off["minutes_above_target"])
        self.assertLess(on["minutes_above_target"], headroom["minutes_above_target"])
        self.assertLess(off["replica_hours"], headroom["replica_hours"])
        self.assertLessEqual(headroom["replica_hours"], on["replica_hours"])
        self.assertLess(on["replica_hours"] - headroom["replica_hours"], 0.05 * on["replica_hours"])
        self.assertEqual(report["forecast"]["without"]["replica_hours"], off["replica_hours"])
        data = page.read_text().split('id="report">', 1)[1].split("</script>", 1)[0]
        self.assertEqual([entry["name"] for entry in json.loads(data)["compared"]], [entry["name"] for entry in report["compared"]])

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
                       "slow: forecast_lead_ms=60000", "--html", str(harness.WORK / "rivals.html"))
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
        self.assertEqual([entry["name"].split()[0] for entry in ran.json["compared"]], ["forecast", "forecast", "headroom"])
        self.assertTrue([warning for warning in ran.json["warnings"] if "no pattern worth forecasting: headroom " in warning], ran.json)

    def test_words_of_a_setting(self) -> None:
        arguments = ("replay", "-f", forecasting(), "--series", hourly(2), *LOOP, "--output", "json")
        self.assertNotIn("forecast", gputided(*arguments, "--set", "forecast=off").json)
        observed = gputided(*arguments, "--set", "forecast=observe", "--set", "forecast_budget_percent=none").json
        self.assertEqual(observed["forecast"]["mode"], "observe")
        self.assertNotIn("budget_percent", observed["forecast"])
        self.check_refused(gputided(*arguments, "--set", "forecast=maybe"), "forecast: expected off, observe or act")
        self.check_refused(gputided(*arguments, "--set", "threshold=high"), "threshold")

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
        self.assertIn("above target: unknown, the recording has no values", ran.out.splitlines()[0])
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
        self.assertIn("1000 durations: p10 59 s, p50 179 s, p90 299 s, longest 329 s; each new replica gets a random one", ran.out)
        few = harness.write("few.csv", "90s\n2m\n75.5\n")
        self.assertIn("75.5 s, 90 s, 120 s", gputided(*replay, "--startup", f"@{few}").out)
        self.check_refused(gputided(*replay, "--startup", f"@{harness.write('none.csv', 'startup')}"), "the file contains no duration")
        for text, reason in (("startup\n90\n-5\n", "line 3: duration -5: expected a number, 0 or more"), ("pod,took\na,90\n", "line 1: one of several columns must")):
            file = harness.write("odd-delays.csv", text)
            self.check_refused(gputided(*replay, "--startup", f"@{file}"), f"--startup @{file}: {reason}")
        self.check_refused(gputided(*replay, "--gpus-per-replica", "-2"), "gpus_per_replica: expected a number")
        self.check_refused(gputided(*replay, "--cost-per-gpu-hour", "-1"), "cost_per_gpu_hour: expected a number")
        self.check_refused(gputided(*replay, "--startup", f"@{harness.write('word.csv', '90s' + chr(10) + 'soon')}"), "soon")

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
        self.check_refused(gputided("replay", "-f", manifest(), "--series", harness.write("odd.csv", "time,pod,value\n1,a,x\n")), "odd.csv", "line 2", "x")

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
        for text in ("closed loop", "8.5 s, 27 s; each new replica gets a random one", "300 points, step 57 s", "GPU-hours in 4.7 h"):
            self.assertIn(text, ran.out)
        self.assertRegex(ran.out, r"; 4 to [6-9] replicas|; 4 to 1\d replicas")

    def test_reasons_have_their_value(self) -> None:
        ran = gputided("replay", "-f", manifest(), "--series", csv("day.csv"))
        self.assertRegex(ran.out, r"-> \d+  s0-prometheus \d[\d.]* > 66; ")
        self.assertRegex(ran.out, r"-> \d+  s0-prometheus \d[\d.]* < 60; ")

    def test_how_late(self) -> None:
        lines = [f"{START_S + 15 * i},{60 if 400 <= i < 800 else 30}" for i in range(1200)]
        series = harness.write("late.csv", "time,value\n" + "\n".join(lines) + "\n")
        so = manifests.saved("late.yaml", manifests.scaled_object("http://127.0.0.1:1", threshold="10"))
        arguments = ("replay", "-f", so, "--series", series, "--startup", "90s", "--initial", "3")
        ran = gputided(*arguments)
        self.assertIn("above target 1.5 min (0.5 %); late 1.5 min (p50), 1.5 min (p95); ", ran.out)
        for text in ("1 rise above target; p50, p95 until the decision 0 min, 0 min; ready replicas 1.5 min, 1.5 min; below target again 1.5 min, 1.5 min",
                     "late by         start-up 1.5 min", "latest          2026-11-20T11:40:00.000Z, 1.5 min: start-up"):
            self.assertIn(text, ran.out)
        pools = harness.write("pools.json", json.dumps({"pools": [{"id": "a", "max": 5, "delay_s": 60, "template": {"allocatable": {"nvidia.com/gpu": 8}}}],
                                                        "pod": {"requests": {"nvidia.com/gpu": 1}}}))
        node = gputided(*arguments[:-4], "--startup", "30s+node", "--initial", "3", "--pools", pools, "--output", "json").json
        self.assertEqual(node["summary"]["lateness"]["cause_minutes"], {"node": 1.0, "startup": 0.5})
        self.assertRegex(gputided("replay", "compare", *arguments[1:], "--variant", "min=6").out, r"late p95 .*\n.* 1\.5 min ")

    def test_no_saving_is_named_without_data_and_no_saturation_in_an_open_loop(self) -> None:
        nothing = harness.write("nan.csv", "time,util,replicas\n" + "\n".join(f"{START_S + 15 * i},NaN,19" for i in range(1200)) + "\n")
        self.assertNotIn("than recorded", gputided("replay", "-f", manifest(), "--series", nothing).out)
        counts = harness.write("counts.csv", "time,value,replicas\n" + "\n".join(f"{START_S + 15 * i},{300 + i % 50},4" for i in range(1200)) + "\n")
        self.assertNotIn("saturation", gputided("replay", "-f", manifest(), "--series", counts, "--model", "open").out)
        self.assertIn("set signal (--signal) to queue or total, or set saturation (--saturation)",
                      gputided("replay", "-f", manifest(), "--series", counts, "--model", "closed").out)

    def test_a_column_may_have_the_name_of_a_trigger(self) -> None:
        so = manifests.scaled_object("http://127.0.0.1:1", threshold="10")
        so["spec"]["triggers"] = [{**so["spec"]["triggers"][0], "name": name} for name in ("util", "queue")]
        file = manifests.saved("named.yaml", so)
        steps = range(0, 3600, 15)
        series = harness.write("named.csv", "time,queue,util\n" + "".join(f"{START_S + i},{30},{80}\n" for i in steps))
        self.assertIn("1 -> 4  util 80 > 11; ", gputided("replay", "-f", file, "--series", series).out)

    def test_a_long_time_is_in_hours_or_days(self) -> None:
        lines = [f"{START_S + 1800 * i},{1000 + i % 40 * 100}" for i in range(215 * 48)]
        series = harness.write("long.csv", "time,value\n" + "\n".join(lines) + "\n")
        ran = gputided("replay", "-f", manifest(), "--series", series, "--sync", "10m", "--poll", "10m")
        headline = ran.out.splitlines()[0]
        self.assertRegex(headline, r"GPU-hours in 215 days; above target [\d.]+ days ")
        self.assertRegex(ran.out, r"\n  value .* 1,000 \.\. 4,900\n")

    def test_a_formula_is_compared_with_its_own_target(self) -> None:
        so = manifests.scaled_object("http://127.0.0.1:1", threshold="70", metadata={"threshold": "70"}, spec={
            "advanced": {"scalingModifiers": {"formula": "max(util, queue * 20)", "target": "70", "metricType": "Value", "activationTarget": "5"}}})
        first = so["spec"]["triggers"][0]
        so["spec"]["triggers"] = [{**first, "name": "util"}, {**first, "name": "queue"}]
        series = harness.write("formula.csv", "time,util,queue\n" + "\n".join(f"{START_S + 15 * i},30,{i % 100 // 10}" for i in range(400)) + "\n")
        report = gputided("replay", "-f", manifests.saved("formula.yaml", so), "--series", series, "--output", "json").json
        self.assertEqual(report["policy"]["formula"], {"metric": "composite-metric", "text": "max(util, queue * 20)", "target": 70, "target_type": "Value",
                                                       "activation_threshold": 5, "above": 77})
        self.assertEqual((min(report["chart"]["value_low"]), max(report["chart"]["value_high"])), (30, 180))
        ups = [event for event in report["events"] if event["desired_replicas"] > event["current_replicas"] > 0]
        self.assertEqual({event["metric"] for event in ups}, {"composite-metric"})
        self.assertRegex(gputided("replay", "-f", manifests.saved("formula.yaml", so), "--series", series).out, r"-> \d+  composite-metric [\d.]+ > 77; ")

    def test_an_earlier_proposal_is_named_where_it_decides(self) -> None:
        lines = [f"{START_S + 15 * i},{100 if i == 0 else 30}" for i in range(4)]
        series = harness.write("earlier.csv", "time,value\n" + "\n".join(lines) + "\n")
        so = manifests.saved("earlier.yaml", manifests.scaled_object("http://127.0.0.1:1", threshold="10"))
        out = gputided("replay", "-f", so, "--series", series).out
        self.assertIn("1 -> 4  s0-prometheus 100 > 11; ", out)
        self.assertIn("4 -> 8  an earlier proposal within the stabilization window; now s0-prometheus 30 < 44; ", out)

    def test_a_log_without_reasons_is_named(self) -> None:
        line = {"time": "2026-11-20T18:00:00Z", "namespace": "default", "name": "gpu", "current_replicas": 1, "desired_replicas": 1,
                "proposed_replicas": 1, "limited_by": "none", "source": "hpa"}
        log = harness.write("compact.log", json.dumps(line) + "\n" + json.dumps({**line, "time": "2026-11-20T18:00:15Z"}) + "\n")
        ran = gputided("replay", "-f", manifest(), "--verify", log)
        self.assertNotEqual(ran.status, 0)
        self.assertIn("the log has decisions without the values of the metrics, as --log-form compact writes them", ran.err)
