"""A plan carried out on AKS, against a strict Azure Resource Manager."""
from __future__ import annotations

import json
import unittest
from typing import Any

import harness
from azure_resource_manager import CLUSTER, Manager, pool
from harness import gputided

NOW = 1_800_000_000_000
TOKEN = harness.BEARER


def identity() -> tuple[str, str]:
    folder = harness.WORK / "arm"
    harness.write("arm/token", TOKEN)
    text = harness.write("identity.yaml", """apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: arm}
spec:
  podIdentity: {provider: bearer-file}
  configMapTargetRef: [{parameter: tokenFile, name: arm, key: file}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: arm}
data: {file: token}
""")
    return "@" + text, str(folder)


class AgentPools(unittest.TestCase):
    def carried_out(self, manager: Manager, *flags: str, jobs: int = 3) -> harness.Ran:
        self.addCleanup(manager.close)
        size = manager.pools["gpunp"]["properties"]["count"] if "gpunp" in manager.pools else 1
        cluster = harness.write("aks-plan.json", json.dumps({
            "pools": [{"id": "gpunp", "sku": "Standard_NC40ads_H100_v5", "size": size, "max": 9}],
            "groups": [{"name": "jobs", "count": jobs, "pod": {"requests": {"nvidia.com/gpu": 1}}}]}))
        credential, folder = identity()
        ran = gputided("nodes", "plan", "-f", cluster, "--at", str(NOW), "--aks", CLUSTER, "--arm-endpoint", manager.url, "--credential", credential,
                       "--secrets-dir", folder, *flags)
        self.assertEqual(manager.wrong, [])
        return ran

    def written(self, manager: Manager, *flags: str, **more: Any) -> harness.Ran:
        return self.carried_out(manager, "--write", *flags, **more)

    def test_without_write_nothing_is_changed(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1))
        ran = self.carried_out(manager)
        self.assertEqual((ran.status, manager.writes), (0, []), ran)
        self.assertIn("gpunp: count 1 -> 4 would be written; give --write to write it", ran.err)

    def test_a_count_is_written_under_its_etag_and_followed_to_its_end(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1))
        ran = self.written(manager)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual([write["count"] for write in manager.writes], [4])
        self.assertIn("gpunp: count 1 -> 4 is written; the operation succeeded", ran.err)
        self.assertEqual(sum("/operations/" in path for path in manager.asked), 3)

    def test_a_pool_without_an_etag_is_not_written(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1, eTag=""))
        ran = self.written(manager)
        self.assertEqual((ran.status, manager.writes), (3, []), ran)
        self.assertIn("no properties.eTag", ran.err)

    def test_where_the_autoscaler_is_on_its_minimum_is_raised(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1, enableAutoScaling=True, minCount=0, maxCount=9))
        ran = self.written(manager)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual([(write["minCount"], write["maxCount"], write["count"]) for write in manager.writes], [(4, 9, 4)])
        self.assertIn("gpunp: min 0 -> 4 is written", ran.err)

    def test_a_minimum_above_the_maximum_is_no_write(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1, enableAutoScaling=True, minCount=0, maxCount=2))
        ran = self.written(manager)
        self.assertEqual((ran.status, manager.writes), (2, []), ran)
        self.assertIn("min 4 is above max 2", ran.err)

    def test_a_pool_that_changed_in_between_is_read_again(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1), raced=2)
        ran = self.written(manager)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(len(manager.writes), 1)
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), raced=99))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("412", ran.err)

    def test_another_operation_is_left_alone_and_the_time_to_wait_is_told(self) -> None:
        manager = Manager(TOKEN, pool("gpunp", 1), busy=True)
        ran = self.written(manager)
        self.assertEqual((ran.status, manager.writes), (3, []), ran)
        self.assertIn("another operation is in progress on this cluster; nothing was written", ran.err)
        self.assertIn("in progress scale operation", ran.err)

    def test_an_operation_that_fails_says_why(self) -> None:
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), ends="Failed", polls=0))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("ended with status Failed: AllocationFailed: There is not enough capacity", ran.err)

    def test_an_operation_that_outlasts_the_time_goes_on(self) -> None:
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), polls=999), "--timeout-ms", "2500")
        self.assertEqual(ran.status, 0, ran)
        self.assertIn("gpunp: count 1 -> 4 is accepted; the operation still runs", ran.err)

    def test_who_may_not_is_told_what_is_missing(self) -> None:
        ran = self.written(Manager(TOKEN, pool("gpunp", 1), forbidden=True))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("Azure Kubernetes Service Contributor Role on the cluster", ran.err)
        ran = self.written(Manager("another-token", pool("gpunp", 1)))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_AUTH", ran.err)

    def test_a_pool_that_is_not_there(self) -> None:
        ran = self.written(Manager(TOKEN, pool("other", 1)))
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("404", ran.err)

    def test_write_asks_for_a_cluster(self) -> None:
        ran = gputided("nodes", "plan", "-f", "x.json", "--write")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("--aks", ran.err)
