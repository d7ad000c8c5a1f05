"""Tests what gputided doctor finds behind a query, against a real Prometheus with a past that the test has written."""
from __future__ import annotations

import json
from typing import Any

import manifests
from doctor_case import DoctorCase
from prometheus_server import Prometheus, Samples, every

POD = 'container="server",namespace="ml",pod="my-gpu-workload-6d8f9c7b5-{}"'


def gpu(number: int, metric: str = "DCGM_FI_DEV_GPU_UTIL", more: str = "") -> str:
    labels = f'gpu="{number}",UUID="GPU-{number}",Hostname="node",' + POD.format("abcd" + str(number)) + more
    return f"{metric}{{{labels}}}"


def lively(for_s: float = 300, step_s: float = 15, ends_s: float = 1) -> Samples:
    """Power draw as a GPU has it: no two readings alike."""
    return [(ago, f"{60 + ago % 7:.3f}") for ago, _ in every(step_s, for_s, ends_s=ends_s)]


def busy(*levels: int) -> dict[str, Samples]:
    """GPUs at these levels, and their power draw."""
    out: dict[str, Samples] = {}
    for number, level in enumerate(levels):
        out[gpu(number)] = every(15, 300, level, ends_s=1)
        out[gpu(number, "DCGM_FI_DEV_POWER_USAGE")] = lively()
    return out


class Queries(DoctorCase):
    def look(self, past: dict[str, Samples], query: str, *more: str, down: str = "", **metadata: str) -> dict[str, Any]:
        with Prometheus(past, down) as server:
            so = manifests.scaled_object(server.url, query=query, metadata={
                "activationThreshold": "2", **{key.replace("__", "/"): value for key, value in metadata.items()}})
            if not query:
                del so["spec"]["triggers"][0]["metadata"]["query"]
            return self.diagnose(manifests.saved("doctor.yaml", so), *more)

    def test_all_is_well(self) -> None:
        report = self.look(busy(40, 60), 'sum(DCGM_FI_DEV_GPU_UTIL{namespace="ml"})', "--current", "3")
        self.assertEqual((report["verdict"], report["triggers"][0]["failed_step"]), ("ok", None), report)
        self.step(report, "endpoint", "ok", "without TLS")
        self.step(report, "series", "ok", "1 series; the trigger selects 2 series of DCGM_FI_DEV_GPU_UTIL", "UUID", "pod")
        self.step(report, "age", "ok", "s old")
        self.step(report, "value", "ok", "100")
        self.step(report, "activation", "ok", "active: 100 > 2", "target 5 per replica")
        decision, limits, load = report["outcome"]
        self.assertIn("at twice the load: 3 -> 20 replicas; at no load: 3 -> 1", load["seen"])
        self.assertIn("3 -> 6 replicas; the metrics ask for 20", decision["seen"])
        self.assertIn("scale_up_limit", limits["seen"])
        self.assertTrue(report["conclusion"].startswith("default/gpu: no problem found: 3 -> 6 replicas"), report["conclusion"])

    def test_an_average_that_is_divided_once_more(self) -> None:
        report = self.look(busy(40, 60), 'avg(DCGM_FI_DEV_GPU_UTIL{namespace="ml"})', "--current", "3")
        self.assertEqual(report["verdict"], "warning")
        self.step(report, "target", "warning", "is already an average (avg(...))", "now 50 / 3 replicas = 16.667 against 5",
                  "with metricType: Value the result would be 30", "Write metricType: Value")
        self.assertIn("works, but step target warns", report["conclusion"])

    def test_behind_a_presets_query(self) -> None:
        vllm = {f'vllm:gpu_cache_usage_perc{{namespace="ml",pod="llm-{pod}"}}': every(15, 300, value, ends_s=1)
                for pod, value in ((0, "0.75"), (1, "0.25"))}  # the name of earlier releases
        preset = {"gputide.io__preset": "vllm-cache", "ignoreNullValues": "false"}
        report = self.look(vllm, "", **preset, **{"gputide.io__preset-selector": 'namespace="ml"'})
        self.assertEqual(report["triggers"][0]["asks"],
                         'avg(vllm:kv_cache_usage_perc{namespace="ml"} or vllm:gpu_cache_usage_perc{namespace="ml"})')
        self.step(report, "series", "ok", "1 series; the trigger selects 2 series of vllm:gpu_cache_usage_perc with labels namespace, pod")
        self.step(report, "age", "ok", "s old; too few changes")
        self.step(report, "value", "ok", "0.5")
        self.fails(self.look(vllm, "", **preset, **{"gputide.io__preset-selector": 'deployment="llm"'}), "series",
                   "label deployment", "metric_relabel_configs")

    def test_a_label_that_the_series_do_not_have(self) -> None:
        report = self.look(busy(40, 60), 'avg(DCGM_FI_DEV_GPU_UTIL{deployment="my-gpu-workload",namespace="ml"})')
        step = self.fails(report, "series", "label deployment", "none of the 2 series", "ignoreNullValues turns it into 0",
                          "which pod uses a GPU", "metric_relabel_configs", "PodMonitor")
        self.assertEqual(step["paste"], "metric_relabel_configs:\n- source_labels: [pod]  # my-gpu-workload-6d8f9c7b5-abcd0\n"
                         "  regex: '(.+)-[a-z0-9]+-[a-z0-9]{5}'\n  target_label: deployment\n  replacement: '$1'\n")
        self.assertIn("namespace", step["detail"]["labels"])

    def test_a_label_under_its_other_name(self) -> None:
        past = {'DCGM_FI_DEV_GPU_UTIL{exported_pod="a",job="dcgm"}': every(15, 60, 5, ends_s=1)}
        self.fails(self.look(past, 'avg(DCGM_FI_DEV_GPU_UTIL{pod="a"})'), "series", "label pod", "Select exported_pod",
                   "honorLabels")

    def test_a_value_that_no_series_has(self) -> None:
        query = 'avg(DCGM_FI_DEV_GPU_UTIL{namespace="mll"})'
        report = self.look(busy(40), query)
        self.assertEqual(report["verdict"], "warning")
        self.step(report, "series", "warning", 'no series DCGM_FI_DEV_GPU_UTIL has namespace="mll"', "namespace is ml",
                  "ignoreNullValues")
        self.step(report, "activation", "ok", "not active: 0 <= activationThreshold 2")
        self.fails(self.look(busy(40), query, ignoreNullValues="false"), "series", 'namespace="mll"')

    def test_a_metric_that_the_exporter_does_not_serve(self) -> None:
        report = self.look(busy(40), 'avg(DCGM_FI_PROF_SM_ACTIVE{namespace="ml"})')
        self.fails(report, "series", "no series DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_GPU_UTIL", "counters file", "-f",
                   "SYS_ADMIN", "DCGM_FI_PROF_SM_ACTIVE, gauge, ")
        self.fails(self.look(busy(40), "avg(DCGM_FI_DEV_GPU_UTL)"), "series", "Write DCGM_FI_DEV_GPU_UTIL")
        self.fails(self.look(busy(40), "avg(vllm:num_requests_waiting)"), "series", "vllm:num_requests_waiting", "/metrics")

    def test_no_exporter_at_all_and_one_that_is_down(self) -> None:
        self.fails(self.look({}, "avg(DCGM_FI_DEV_GPU_UTIL)"), "series", "no DCGM metric at all", "Install dcgm-exporter")
        self.fails(self.look({}, "avg(DCGM_FI_DEV_GPU_UTIL)", down="dcgm-exporter"), "series",
                   "cannot reach dcgm-exporter at 127.0.0.1:", "up == 0", "/targets")

    def test_several_series(self) -> None:
        step = self.fails(self.look(busy(40, 60), "DCGM_FI_DEV_GPU_UTIL"), "series", "2 series where one number is needed",
                          "UUID (GPU-0, GPU-1)", "gpu (0, 1)", "gputide.io/reduce")
        self.assertEqual(step["paste"], "metricType: Value\nquery: avg(DCGM_FI_DEV_GPU_UTIL)\n")
        self.assertEqual(self.look(busy(40, 60), "DCGM_FI_DEV_GPU_UTIL", **{"gputide.io__reduce": "max"})
                         ["triggers"][0]["failed_step"], None)

    def test_a_range_is_reduced_over_time_first(self) -> None:
        for query, reduced in (("DCGM_FI_DEV_GPU_UTIL[1m]", "avg"), ("DCGM_FI_DEV_POWER_USAGE[1m]", "sum")):
            step = self.fails(self.look(busy(40, 60), query), "series", "2 series where one number is needed; the query returns a range of points")
            pasted = step["paste"].splitlines()[-1].removeprefix("query: ")
            self.assertEqual(pasted, f"{reduced}(avg_over_time({query}))")
            self.step(self.look(busy(40, 60), pasted), "series", "ok")
        self.assertNotIn("order", self.fails(self.look(busy(40), "DCGM_FI_DEV_GPU_UTIL[1m]"), "series", "1 series where")["seen"])

    def test_of_a_formula_only_the_result_is_compared(self) -> None:
        with Prometheus(busy(40, 60)) as server:
            so = manifests.scaled_object(server.url, query="sum(DCGM_FI_DEV_GPU_UTIL)")
            so["spec"]["triggers"][0]["name"] = "util"
            modifiers = {"formula": "util - 96", "target": "2", "metricType": "Value", "activationTarget": "5"}
            so["spec"]["advanced"] = {"scalingModifiers": modifiers}
            report = self.diagnose(manifests.saved("doctor-formula.yaml", so), "--current", "3")
            self.step(report, "activation", "ok", "100 is a variable of the formula")
            steps = {step["step"]: step for step in report["outcome"]}
            self.assertEqual(steps["formula"]["seen"], "not active: 4 <= 5; target 2")
            self.assertEqual(list(steps), ["decision", "limits", "formula", "load"])
            self.assertIn("no problem found: 3 -> 6 replicas", report["conclusion"])
            self.assertEqual(steps["formula"]["detail"], {"value": "4", "formula": "util - 96", "activation_target": "5", "target": "2"})
            modifiers["formula"] = "util / 0"
            report = self.diagnose(manifests.saved("doctor-formula.yaml", so), "--current", "3")
            self.assertIn("every trigger works, but step formula fails: no value: the formula gave NaN", report["conclusion"])

    def test_an_expression_that_leaves_nothing(self) -> None:
        self.fails(self.look(busy(40), "avg(DCGM_FI_DEV_GPU_UTIL) > 90", ignoreNullValues="false"), "series",
                   "the query returns no series", "a comparison")

    def test_a_constant_that_hides_an_empty_selector(self) -> None:
        report = self.look(busy(40), 'avg(DCGM_FI_DEV_GPU_UTIL{team="a"}) or vector(0)')
        self.step(report, "series", "warning", "label team", "still returns a value, which is a constant in the query")

    def test_not_a_number(self) -> None:
        query = "avg(DCGM_FI_DEV_GPU_UTIL * 0 / 0)"
        self.fails(self.look(busy(40), query, ignoreNullValues="false"), "value", "NaN", "division by zero", "a / (b > 0)")
        self.step(self.look(busy(40), query), "value", "warning", "NaN or infinity", "ignoreNullValues turns it into 0")

    def test_old_samples(self) -> None:
        past = {gpu(0): every(15, 200, 40, ends_s=100)}
        self.step(self.look(past, "avg(DCGM_FI_DEV_GPU_UTIL)"), "age", "warning", "the oldest sample is 1", "s old", "gputide.io/max-sample-age", "/targets")
        self.fails(self.look(past, "avg(DCGM_FI_DEV_GPU_UTIL)", **{"gputide.io__max-sample-age": "30s"}), "age", "is allowed",
                   "gputide.io/max-sample-age", "up to five minutes")

    def test_an_exporter_that_collects_every_30_seconds(self) -> None:
        power = [(ago, f"{60 + (ago // 30) % 5:.3f}") for ago, _ in every(15, 300, ends_s=1)]
        past = {gpu(0): every(15, 300, 40, ends_s=1), gpu(0, "DCGM_FI_DEV_POWER_USAGE"): power}
        self.step(self.look(past, "avg(DCGM_FI_DEV_GPU_UTIL)"), "age", "warning", "every 30 s", "scraped every 15 s", "-c 1000",
                  "DCGM_EXPORTER_INTERVAL")

    def test_numbers_that_stand_still_are_no_slow_exporter(self) -> None:
        idle = {gpu(0): every(15, 300, 0, ends_s=1), gpu(0, "DCGM_FI_DEV_POWER_USAGE"): every(15, 300, "57.25", ends_s=1)}
        self.step(self.look(idle, "avg(DCGM_FI_DEV_GPU_UTIL)"), "age", "ok", "too few changes to tell")
        steps = {gpu(0): [(ago, str(40 + (ago < 250) + (ago < 160) + (ago < 70))) for ago, _ in every(15, 300, ends_s=1)]}
        self.step(self.look(steps, "avg(DCGM_FI_DEV_GPU_UTIL)"), "age", "ok", "too few changes to tell")

    def test_a_saturated_utilization(self) -> None:
        report = self.look(busy(100, 100), "avg(DCGM_FI_DEV_GPU_UTIL)")
        self.step(report, "value", "warning", "is 100", "saturated", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "vllm:num_requests_waiting")
        self.step(self.look(busy(100, 99), "avg(DCGM_FI_DEV_GPU_UTIL)"), "value", "ok")
        mig = {gpu(0, more=',GPU_I_ID="1"'): every(15, 300, 0, ends_s=1)}
        self.step(self.look(mig, "avg(DCGM_FI_DEV_GPU_UTIL)"), "value", "warning", "MIG", "DCGM_FI_PROF_GR_ENGINE_ACTIVE")

    def test_a_query_that_prometheus_does_not_understand(self) -> None:
        self.fails(self.look(busy(40), "avg(DCGM_FI_DEV_GPU_UTIL"), "query", "unclosed left parenthesis", "promtool")
        self.fails(self.look(busy(40), '"x"'), "value", "the query returns a string")

    def test_no_tls_where_it_is_asked_for(self) -> None:
        with Prometheus(busy(40)) as server:
            so = manifests.scaled_object(server.url.replace("http:", "https:"))
            self.fails(self.diagnose(manifests.saved("doctor.yaml", so)), "endpoint", "does not use TLS", "http://")

    def test_several_triggers_each_to_its_own_end(self) -> None:
        with Prometheus(busy(40, 60)) as server:
            so = manifests.scaled_object(server.url, query="avg(DCGM_FI_DEV_GPU_UTIL)")
            other = manifests.scaled_object(server.url, query="DCGM_FI_DEV_GPU_UTIL")["spec"]["triggers"][0]
            so["spec"]["triggers"] += [other, {"type": "values", "metadata": {"threshold": "5"}}]
            so["spec"]["fallback"] = {"failureThreshold": 3, "replicas": 7}
            report = self.diagnose(manifests.saved("three.yaml", so), "--current", "2")
        self.assertEqual([trigger["failed_step"] for trigger in report["triggers"]], [None, "series", None])
        self.assertIn("trigger 1 (prometheus) fails at step series", report["conclusion"])
        self.step(report, "value", "ok", "the host pushes this value", trigger=2)
        self.assertIn("after 3 failed reads the fallback of 7 replicas", report["outcome"][0]["seen"])

    def test_a_label_that_would_steer_a_terminal(self) -> None:
        past = {'DCGM_FI_DEV_GPU_UTIL{pod="x\\n  ok  \u001b[2J"}': every(15, 60, 5, ends_s=1)}
        step = self.fails(self.look(past, 'avg(DCGM_FI_DEV_GPU_UTIL{deployment="x"})'), "series", "label deployment")
        self.assertIn("- source_labels: [pod]\n", step["paste"])

    def test_an_hpa_and_its_own_source(self) -> None:
        with Prometheus(busy(40, 60)) as server:
            source = {"type": "prometheus", "metadata": {"serverAddress": server.url, "query": "avg(DCGM_FI_DEV_GPU_UTIL)",
                                                         "threshold": "5"}}
            hpa = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
                   "metadata": {"name": "gpu", "annotations": {"gputide.io/source.util": json.dumps(source)}},
                   "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "gpu"}, "maxReplicas": 9,
                            "metrics": [{"type": "External", "external": {
                                "metric": {"name": "util"}, "target": {"type": "AverageValue", "averageValue": "5"}}}]}}
            report = self.diagnose(manifests.saved("hpa.yaml", hpa), "--current", "8")
        self.step(report, "activation", "ok", "50, target 5 per replica")
        self.assertIn("8 -> 9 replicas; the metrics ask for 10", report["outcome"][0]["seen"])
        self.assertEqual(report["outcome"][1]["verdict"], "warning")
        self.assertIn("maximum", report["outcome"][1]["seen"])
