"""GPU nodes and right-sizing from files: the guide's Jobs, from an empty pool to its maximum and back; pages; placeholder pods."""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import chromium
import harness
import manifests
from harness import gputided

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NOW = 1_800_000_000_000
MINUTE = 60_000
POOL = {"id": "gpunp", "sku": "Standard_NC40ads_H100_v5", "max": 20, "price_per_hour": 6.98,
        "labels": {"kubernetes.azure.com/agentpool": "gpunp"}, "taints": [{"key": "sku", "value": "gpu", "effect": "NoSchedule"}]}


def jobs(count: int) -> str:
    printed = subprocess.run([sys.executable, EXAMPLES / "nodes" / "jobs.py", str(count)], capture_output=True, text=True, check=True)
    return harness.write(f"jobs-{count}.json", printed.stdout)


def text(name: str, **members: object) -> str:
    return harness.write(name, json.dumps(members))


def node(number: int) -> dict[str, object]:
    return {"name": f"gpunp-{number:02}", "pool": "gpunp", "labels": POOL["labels"], "taints": POOL["taints"],
            "allocatable": {"cpu": 40_000, "memory": 320 << 30, "pods": 110, "nvidia.com/gpu": 1}}


class Nodes(unittest.TestCase):
    def test_the_guides_jobs_from_nothing_to_the_maximum_and_back(self) -> None:
        state = str(harness.WORK / "nodes.state")

        def plan(at_ms: int, *files: str) -> harness.Ran:
            named = [word for file in files for word in ("-f", file)]
            return gputided("nodes", "plan", *named, "--at", str(at_ms), "--state", state, "--output", "json")

        up = plan(NOW, text("pool-0.json", pools=[POOL]), jobs(50))
        self.assertEqual(up.status, 1, up)  # some are left
        made = up.json["pools"][0]
        self.assertEqual((made["add"], made["skipped"]), (20, "max node group size reached"))
        self.assertEqual(sum(group["on_new"] for group in up.json["groups"]), 20)
        left = [group for group in up.json["groups"] if group["left"]]
        self.assertEqual(len(left), 30)
        self.assertEqual(left[0]["help"], ["gpunp: raise its maximum, which is 20"])
        after = up.json["gpus"]["after"]
        self.assertEqual((after["nodes"], after["gpus"], after["gpus_used"], after["unused_cost_per_hour"]), (20, 20, 20, 0))
        self.assertAlmostEqual(after["cost_per_hour"], 139.6)

        # They have come and their pods with them; the others run as those end.
        grown = [{**node(i), "pods": [{"name": f"samples-{i:02}", "owner": "Job", "requests": {"nvidia.com/gpu": 1}}]} for i in range(20)]
        full = plan(NOW + 7 * MINUTE, text("pool-20.json", pools=[{**POOL, "size": 20}], nodes=grown,
                                           events=[{"kind": "added", "pool": "gpunp", "nodes": 20, "time_ms": NOW}]))
        self.assertEqual(full.status, 0, full)
        self.assertEqual({entry["reason"] for entry in full.json["nodes"]}, {"NotUnderutilized"})

        empty = text("pool-empty.json", pools=[{**POOL, "size": 20}], nodes=[node(i) for i in range(20)])
        idle = plan(NOW + 60 * MINUTE, empty)
        self.assertEqual({entry["reason"] for entry in idle.json["nodes"]}, {"NotUnneededLongEnough"})
        self.assertEqual({entry["removable_at_ms"] for entry in idle.json["nodes"]}, {NOW + 70 * MINUTE})
        # Ten empty nodes go at once, as max-scale-down-parallelism has it, and what stays says why.
        down = plan(NOW + 71 * MINUTE, empty)
        self.assertEqual(down.json["pools"][0]["remove"], 10)
        self.assertEqual([entry["reason"] for entry in down.json["nodes"]].count("ParallelismLimit"), 10)
        self.assertAlmostEqual(down.json["scale_down"]["saves_per_hour"], 69.8)

    def test_a_page_loads_nothing_and_holds_the_plan(self) -> None:
        page = harness.WORK / "plan.html"
        ran = gputided("nodes", "plan", "-f", text("pool-page.json", pools=[{**POOL, "id": "</script>@PLAN@"}]), "-f", jobs(3), "--at", str(NOW),
                       "--html", str(page))
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("</script>@PLAN@: 0 -> 3 (+3)", ran.out)
        written = page.read_text()
        self.assertEqual(written.count("</script>"), 2)
        self.assertNotRegex(written, r"""(src|href)=["']?http""")
        self.assertIn("3 nodes to add, 0 to remove; 0 pods cannot be placed. 0 of 0 GPUs requested, then 3 of 3 GPUs", written)

    def test_moves_that_free_a_node(self) -> None:
        shape = {"pool": "p", "allocatable": {"cpu": 8000, "nvidia.com/gpu": 2}}
        nodes = [{**shape, "name": name, "pods": [{"name": f"pod-{name}", "requests": {"nvidia.com/gpu": 1}}]} for name in ("a", "b")]
        given = text("scattered.json", pools=[{**shape, "id": "p", "size": 2, "max": 3, "price_per_hour": 5}], nodes=nodes,
                     groups=[{"name": "train", "count": 1, "pod": {"requests": {"nvidia.com/gpu": 2}}}])
        page = harness.WORK / "moves.html"
        named = gputided("nodes", "plan", "-f", given, "--at", str(NOW), "--html", str(page))
        self.assertIn("p: 2 -> 3 (+1)", named.out)
        self.assertIn("moving 1 pod saves 1 node, 5.00 an hour; --defragment plans with it:\n  pod-a moves from a to b\n"
                      "  train then fits a\n", named.out)
        self.assertIn('"to":"b"', page.read_text())
        counted = gputided("nodes", "plan", "-f", given, "--at", str(NOW), "--defragment")
        self.assertIn("p: 2 -> 2\n", counted.out)
        self.assertIn("the plan counts on it:\n  pod-a moves from a to b\n", counted.out)
        self.assertNotIn("costs", counted.out)

    def test_placeholder_pods_take_a_node_each(self) -> None:
        ran = gputided("nodes", "plan", "-f", text("pool-ahead.json", pools=[POOL]), "-f", jobs(3), "--at", str(NOW), "--placeholders")
        self.assertEqual(ran.status, 0, ran)
        for line in ("value: -10", "name: gputide-placeholder-gpunp", "  replicas: 3", '"kubernetes.azure.com/agentpool": "gpunp"',
                     '- key: "sku"', '"nvidia.com/gpu": 1', "priorityClassName: gputide-placeholder"):
            self.assertIn(line, ran.out)
        none = gputided("nodes", "plan", "-f", text("pool-ahead.json", pools=[POOL]), "--at", str(NOW), "--placeholders")
        self.assertIn("  replicas: 0", none.out)

    def test_what_a_plan_leaves_out_is_named(self) -> None:
        def pod(name: str, **spec: object) -> dict[str, object]:
            container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
            return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ml"},
                    "spec": {"containers": [container], **spec}, "status": {"phase": "Pending"}}

        gated = pod("gated", schedulingGates=[{"name": "kueue.x-k8s.io/admission"}])
        claimed = pod("claimed", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
        files = ("-f", text("left-out-pools.json", pools=[{**POOL, "taints": []}]),
                 "-f", text("left-out.json", apiVersion="v1", kind="List", items=[gated, claimed, pod("train-0")]))
        planned = gputided("nodes", "plan", *files)
        self.assertEqual(planned.status, 1, planned)
        self.assertIn("not planned: 1 pod behind scheduling gates (kueue.x-k8s.io/admission), the first is ml/gated\n", planned.out)
        self.assertIn("not modeled: 1 pod such as ml/claimed: its PersistentVolumeClaim data is not listed", planned.out)
        self.assertIn("gpunp: 0 -> 1 (+1)", planned.out)
        begun = gputided("nodes", "explain", *files, "--only", "ml/train")
        self.assertIn("ml/train-0: 1 pod, 0 on existing nodes, 1 on new ones, 0 left\n", begun.out)
        self.assertNotIn("\nml/claimed: ", begun.out)
        unknown = gputided("nodes", "explain", *files, "--only", "ml/tarin")
        self.assertEqual((unknown.status, unknown.out), (1, ""), unknown)
        self.assertIn("no group of pods and no node has the name ml/tarin", unknown.err)

    def test_buffers_hold_a_node_each(self) -> None:
        ran = gputided("nodes", "plan", "-f", text("pool-ahead.json", pools=[POOL]), "-f", jobs(3), "--at", str(NOW), "--buffers")
        self.assertEqual(ran.status, 0, ran)
        for line in ("kind: PodTemplate\nmetadata:\n  name: gputide-buffer-gpunp\ntemplate:\n  spec:\n", '"nvidia.com/gpu": 1',
                     "apiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\n", "  replicas: 3\n"):
            self.assertIn(line, ran.out)
        # Read again, they are not load of their own.
        again = gputided("nodes", "plan", "-f", text("pool-ahead.json", pools=[POOL]), "-f", harness.write("buffers.yaml", ran.out),
                         "--at", str(NOW), "--output", "json")
        self.assertEqual((again.status, again.json["pools"][0]["add"]), (0, 0), again)

    def test_a_file_without_anything_to_plan_is_said_to_be_one(self) -> None:
        so = manifests.saved("no-nodes.yaml", manifests.scaled_object("http://127.0.0.1:1"))
        self.assertIn(f"warning: {so}: there is no pool, node or pod in what was given", gputided("nodes", "plan", "-f", so).out)


class NodesOfAReplay(unittest.TestCase):
    def test_a_misspelt_key_of_the_pools_is_named(self) -> None:
        pools = text("replay-misspelt.json", pools=[{**POOL, "pric_per_hour": 3}], options={"scan_interval": 10},
                     pod={"requests": {"nvidia.com/gpu": 1}, "tolerationz": []})
        series = harness.write("steady.csv", "time,value\n" + "\n".join(f"{1_795_168_800 + 15 * i},10" for i in range(40)))
        files = ["-f", manifests.saved("misspelt-so.yaml", manifests.scaled_object("http://127.0.0.1:1", threshold="4")),
                 "--series", series, "--pools", pools]
        warnings = gputided("replay", *files, "--output", "json").json["nodes"]["warnings"]
        for path in ("pools[0].pric_per_hour", "options.scan_interval", "pod.tolerationz"):
            self.assertTrue([warning for warning in warnings if warning.startswith(path + ": ")], (path, warnings))
        self.assertIn("warning: --pools: pools[0].pric_per_hour: ", gputided("replay", *files).out)

    def test_twenty_replicas_from_nothing_to_the_maximum_and_back(self) -> None:
        start_s = 1_795_168_800
        lines = [f"{start_s + 15 * i},{90 if 80 <= i < 400 else 10}" for i in range(960)]
        so = manifests.scaled_object("http://127.0.0.1:1", threshold="4", metadata={"activationThreshold": "20"},
                                     spec={"minReplicaCount": 0, "maxReplicaCount": 20, "cooldownPeriod": 300})
        so["spec"]["triggers"][0]["metricType"] = "AverageValue"
        pools = text("replay-pools.json", pools=[{**POOL, "delay_s": 420}],
                     pod={"requests": {"nvidia.com/gpu": 1}, "tolerations": [{"key": "sku", "operator": "Exists"}]})
        files = ["-f", manifests.saved("jobs-so.yaml", so), "--series", harness.write("jobs.csv", "time,value\n" + "\n".join(lines)), "--pools", pools]
        ran = gputided("replay", *files, "--output", "json")
        self.assertEqual(ran.status, 0, ran)
        nodes = ran.json["nodes"]
        self.assertEqual(nodes["pools"][0]["most"], 20)
        self.assertAlmostEqual(nodes["cost"], nodes["node_hours"] * 6.98)
        self.assertAlmostEqual(nodes["longest_wait_minutes"], 7)
        self.assertAlmostEqual(nodes["waiting_pod_minutes"], 140)
        told = [change["text"] for change in nodes["changes"]]
        self.assertEqual(told[0], "gpunp 0 -> 1: for 1 waiting pod")
        self.assertEqual(told[1], "gpunp 1 -> 20: for 19 waiting pods")
        self.assertRegex(told[2], "gpunp 20 -> 10: RemovableEmpty, unneeded since 2026-11-20T11:")
        self.assertRegex(told[3], "gpunp 10 -> 0: RemovableEmpty")
        self.assertIn("Nodes: 31.9 node-hours", gputided("replay", *files).out)
        # A wait of ten minutes more before zero costs nodes, and tune sees that.
        tuned = gputided("replay", "tune", *files, "--try", "cooldown_s=60,300,900", "--holdout", "0", "--max-above",
                         "1440", "--output", "json")
        costs = {entry["set"].get("cooldown_s", 300): entry["train"]["node_cost_per_day"] for entry in tuned.json["candidates"]}
        self.assertEqual(tuned.json["best"]["train"]["node_cost_per_day"], min(costs.values()))
        self.assertLess(costs[60], costs[300])
        self.assertLess(costs[300], costs[900])
        # A forecast's lead: what the pod needs and, where no node is free, what its node needs.
        asked = ("--set", "forecast=observe", "--set", "forecast_lead_ms=startup")
        ahead = gputided("replay", *files, "--startup", "2m,3m+node,4m+node", *asked, "--output", "json").json
        self.assertEqual(ahead["model"]["startup_ms"], [120_000, 600_000, 660_000])
        self.assertEqual(ahead["forecast"]["lead_ms"], 600_000)
        self.assertIn("lead 10 min;", gputided("replay", *files, "--startup", "3m+node", *asked).out)
        for arguments, words in ((files[:-2] + ["--startup", "3m+node"], "--startup 3m+node: needs --pools"),
                                 (files + list(asked), "forecast_lead_ms=startup uses the median of --startup")):
            refused = gputided("replay", *arguments)
            self.assertEqual(refused.status, 2, refused)
            self.assertIn(words, refused.err)
        wrong = gputided("replay", *files[:-1], harness.write("no-pools.json", "[]"))
        self.assertEqual(wrong.status, 2, wrong)
        self.assertIn("--pools: expected JSON", wrong.err)


class Explained(unittest.TestCase):
    def test_what_would_help_has_units(self) -> None:
        pods = [{"name": "large", "owner": "Job", "created_ms": NOW - MINUTE, "labels": {}, "tolerations": [{"operator": "Exists"}],
                 "requests": {"cpu": 8_000, "memory": 512 << 30, "nvidia.com/gpu": 1}}]
        pool = {**POOL, "allocatable": node(0)["allocatable"]}
        ran = gputided("nodes", "explain", "-f", text("large.json", pools=[pool], pods=pods), "--at", str(NOW))
        self.assertIn("a node of it has 320 GiB memory for pods, each pod asks for 512 GiB memory", ran.out + ran.err)


class Rightsize(unittest.TestCase):
    def test_a_container_with_one_sample_takes_little_memory(self) -> None:
        """A report of each was kept until the end, 8 KB and more; 1 KB is left."""
        def peak_bytes(count: int) -> int:
            file = harness.write(f"one-sample-{count}.csv", "".join(f"{NOW // 1000},c{i},50\n" for i in range(count)))
            process = subprocess.Popen([harness.PROGRAM, "rightsize", "--util", file], env=harness.surroundings(), stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return used.ru_maxrss * 1024

        few, many = 1_000, 9_000
        bound = 20_000 if harness.is_sanitized() else 2_000
        self.assertLess((peak_bytes(many) - peak_bytes(few)) / (many - few), bound)

    def test_a_page_of_too_many_containers_is_refused(self) -> None:
        file = harness.write("crowd.csv", "".join(f"{NOW // 1000},c{i},50\n" for i in range(10_001)))
        page = harness.WORK / "crowd.html"
        ran = gputided("rightsize", "--util", file, "--html", str(page))
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("--html: a page shows at most 10000 containers, not 10001; choose one with --container", ran.err)
        self.assertFalse(page.exists())

    def test_prices_without_machines_name_the_file_to_add(self) -> None:
        samples = harness.write("few.csv", f"{NOW // 1000},chat,5\n")
        ran = gputided("rightsize", "-f", harness.write("prices.yaml", "prices: {Standard_NC40ads_H100_v5: 6.98}\n"), "--util", samples)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("prices: no machines are given", ran.err)
        self.assertIn("-f azure-gpu.yaml", ran.err)

    def test_a_page_has_every_container(self) -> None:
        samples = [f"{NOW // 1000 + 60 * i},{name},{busy}" for i in range(1500) for name, busy in (("chat", 5), ("<b>llm", 95))]
        memory = [f"{NOW // 1000 + 60 * i},{name},{size}" for i in range(1500) for name, size in (("chat", 8e9), ("<b>llm", 60e9))]
        page = harness.WORK / "rightsize.html"
        arguments = ["rightsize", "-f", harness.write("rs.yaml", "sku: Standard_NC24ads_A100_v4\nexample_prices: true\n"), "-f",
                     str(EXAMPLES / "catalog" / "azure-gpu.yaml"), "--util", harness.write("util.csv", "\n".join(samples)), "--memory",
                     harness.write("memory.csv", "\n".join(memory)), "--html", str(page)]
        ran = gputided(*arguments)
        self.assertEqual(ran.status, 0, ran)
        self.assertRegex(ran.out, r"each GPU needs [\d.]+ GiB and [\d.]+ %")
        self.assertNotRegex(ran.out, r"\d{8,}| GB|saves +-|saves -")
        amounts = re.findall(r"([\d.]+) an hour", ran.out)
        self.assertTrue(amounts and all(len(amount.partition(".")[2]) == 3 for amount in amounts), ran.out)
        written = page.read_text()
        self.assertIn("of 2 containers", written)
        self.assertIn("\\u003cb>llm", written)
        self.assertNotRegex(written, r"""(src|href)=["']?http""")
        if not chromium.PROGRAM:
            self.skipTest("chromium is not installed")
        self.assertEqual(gputided(*arguments, "--container", "<b>llm").status, 0)
        with chromium.Browser() as browser:
            browser.open(page.as_uri())
            self.assertRegex(browser.ask("document.querySelector('#tiles').innerText"), r"(?<!-)\b[\d.]+\s+more an hour by the changes")
