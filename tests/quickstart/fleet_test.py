"""The simulated fleet without HTTP or clocks: load curve, Deployment, readings, page.

Run: python3 -m unittest discover -s tests/quickstart -p '*_test.py'
"""
from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "fleet"))

import dcgm_page  # noqa: E402
import load_curve  # noqa: E402
from deployment import Deployment, node_pool  # noqa: E402

# The regex of examples/quickstart/prometheus.yml.in; Prometheus anchors it at both ends.
RELABELLING = re.compile(r"(.+)-[a-z0-9]+-[a-z0-9]{5}")


def fleet(replicas: int = 0, gpus: int = 10) -> Deployment:
    made = Deployment("my-gpu-workload", "default", "server", start_delay_s=5, gpus=node_pool(gpus))
    made.scale(replicas, now_s=0)
    return made


class TheLoadCurve(unittest.TestCase):
    def test_a_hill_starts_and_ends_at_its_base_and_peaks_in_the_middle(self) -> None:
        curve = load_curve.hill(base=4, peak=500, seconds=60)
        self.assertEqual([4, 252, 500, 252, 4], [round(curve.at(t), 6) for t in (0, 15, 30, 45, 60)])
        self.assertEqual((4, 4), (curve.at(-1), round(curve.at(1e6), 6)))

    def test_a_file_is_read_with_straight_lines_between_its_points(self) -> None:
        curve = self.read("# seconds load\n0 10\n\n10 110\n")
        self.assertEqual([10, 60, 110, 110], [curve.at(t) for t in (0, 5, 10, 99)])

    def test_a_wrong_file_is_refused_with_its_line(self) -> None:
        for text, words in (("0 1\n0 2\n", ":2: expected a time after 0 s"), ("0 1\nx 2\n", ":2: expected two numbers"),
                            ("0 -1\n", ":1: expected finite numbers"), ("0 nan\n", ":1: expected finite"),
                            ("1 2 3\n", ":1: expected two numbers"), ("# none\n", ": no points")):
            with self.subTest(text), self.assertRaises(ValueError) as caught:
                self.read(text)
            self.assertIn(words, str(caught.exception))

    def read(self, text: str) -> load_curve.LoadCurve:
        with tempfile.NamedTemporaryFile("w", suffix=".curve") as file:
            file.write(text)
            file.flush()
            return load_curve.from_file(Path(file.name))


class TheDeployment(unittest.TestCase):
    def test_a_pod_is_ready_after_the_delay_and_not_before(self) -> None:
        pods = fleet(2)
        self.assertEqual({"spec": 2, "status": 2, "ready": 0}, pods.counts())
        pods.advance(4.99)
        self.assertEqual(0, pods.ready_count())
        pods.advance(5)
        self.assertEqual({"spec": 2, "status": 2, "ready": 2}, pods.counts())

    def test_a_pod_without_a_gpu_waits_and_starts_its_delay_when_one_is_free(self) -> None:
        pods = fleet(3, gpus=2)
        pods.advance(5)
        self.assertEqual({"spec": 3, "status": 3, "ready": 2}, pods.counts())
        pods.gpus.append(node_pool(3)[2])
        pods.advance(6)
        pods.advance(10.9)
        self.assertEqual(2, pods.ready_count())
        pods.advance(11)
        self.assertEqual(3, pods.ready_count())

    def test_scale_down_takes_the_pods_that_are_not_ready_first_then_the_youngest(self) -> None:
        pods = fleet(1)
        pods.scale(2, now_s=5)
        pods.advance(10)
        old, young = (pod.name for pod in pods.pods)
        pods.scale(3, now_s=11)
        pods.scale(2, now_s=12)
        self.assertEqual([old, young], [pod.name for pod in pods.pods])
        pods.scale(1, now_s=13)
        self.assertEqual([old], [pod.name for pod in pods.pods])

    def test_pod_names_are_unique_and_lead_back_to_the_deployment(self) -> None:
        names = [pod.name for pod in fleet(200, gpus=0).pods]
        self.assertEqual(200, len(set(names)))
        for name in names:
            match = RELABELLING.fullmatch(name)
            self.assertEqual("my-gpu-workload", match and match[1])


class ThePage(unittest.TestCase):
    def util(self, pods: Deployment, load: float, collection: int = 0) -> list[int]:
        readings = dcgm_page.collect(pods, load, collection)
        return [readings[pod.gpu].util_percent for pod in pods.pods if pod.gpu]

    def ready_fleet(self, replicas: int) -> Deployment:
        pods = fleet(replicas)
        pods.advance(5)
        return pods

    def test_load_is_shared_by_the_ready_replicas_within_a_point_of_noise(self) -> None:
        for value in self.util(self.ready_fleet(4), 250):
            self.assertLessEqual(abs(value - 62.5), 1.5)

    def test_a_saturated_gpu_reads_100_and_an_unused_one_0(self) -> None:
        self.assertEqual([100, 100], self.util(self.ready_fleet(2), 900))
        self.assertEqual([0, 0], self.util(self.ready_fleet(2), 0))

    def test_a_starting_pod_reads_0_and_does_no_work(self) -> None:
        pods = self.ready_fleet(1)
        pods.scale(3, now_s=6)
        first, *others = self.util(pods, 60)
        self.assertLessEqual(abs(first - 60), 1)
        self.assertEqual([0, 0], others)

    def test_noise_is_the_same_on_every_run_and_changes_with_the_collection(self) -> None:
        pods = self.ready_fleet(6)
        self.assertEqual(self.util(pods, 300, 7), self.util(pods, 300, 7))
        self.assertGreater(len({tuple(self.util(pods, 300, n)) for n in range(5)}), 1)

    def test_energy_is_counted_on_whatever_the_load(self) -> None:
        pods = self.ready_fleet(1)
        before = dcgm_page.collect(pods, 0, 0)
        after = dcgm_page.counted(dcgm_page.collect(pods, 0, 1), before, elapsed_s=2)
        self.assertEqual({114_500}, {after[gpu].energy_mj - before[gpu].energy_mj for gpu in pods.gpus})  # 57.25 W
        self.assertIn("# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter", dcgm_page.page(pods, after))

    def test_lines_have_the_exporters_shape(self) -> None:
        pods = self.ready_fleet(1)
        lines = dcgm_page.page(pods, dcgm_page.collect(pods, 50, 0)).splitlines()
        utils = [line for line in lines if line.startswith("DCGM_FI_DEV_GPU_UTIL{")]
        identity = (r'gpu="\d",UUID="GPU-[0-9a-f-]{36}",pci_bus_id="00000000:[0-9A-F]{2}:00\.0",device="nvidia\d",'
                    r'modelName="NVIDIA A100-SXM4-80GB",Hostname="aks-gpunp-\d+-vmss\d{6}",DCGM_FI_DRIVER_VERSION="[\d.]+"')
        self.assertRegex(utils[0], r"^DCGM_FI_DEV_GPU_UTIL\{" + identity + r',container="server",namespace="default",'
                         r'pod="my-gpu-workload-6d8f9c7b5-[a-z0-9]{5}"\} \d+$')
        self.assertRegex(utils[1], r"^DCGM_FI_DEV_GPU_UTIL\{" + identity + r"\} 0$")
        self.assertEqual(10, len(utils))
        self.assertIn("# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization (in %).", lines)
        self.assertIn("# TYPE DCGM_FI_DEV_GPU_UTIL gauge", lines)
        self.assertFalse([line for line in lines if "deployment" in line])

    def test_the_gpu_of_a_starting_pod_can_be_absent(self) -> None:
        pods = self.ready_fleet(1)
        pods.scale(2, now_s=6)
        readings = dcgm_page.collect(pods, 50, 0)
        self.assertEqual(10, dcgm_page.page(pods, readings).count("DCGM_FI_DEV_GPU_UTIL{"))
        self.assertEqual(9, dcgm_page.page(pods, readings, hide_starting=True).count("DCGM_FI_DEV_GPU_UTIL{"))

    def test_pod_labels_are_those_of_now_and_numbers_those_of_the_last_collection(self) -> None:
        pods = self.ready_fleet(1)
        readings = dcgm_page.collect(pods, 50, 0)
        name = pods.pods[0].name
        before = dcgm_page.page(pods, readings)
        pods.scale(0, now_s=7)
        after = dcgm_page.page(pods, readings)
        self.assertEqual(8, before.count(name))  # once a field
        self.assertEqual(after, before.replace(f',container="server",namespace="default",pod="{name}"', ""))


if __name__ == "__main__":
    unittest.main()
