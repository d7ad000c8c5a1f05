"""Manifests of the shapes that users of KEDA write, as a real API server keeps them, and lists with pages that are too large for one
response.  tests/gputided/cluster/documents_test.py has more shapes, against an API server of its own."""
from __future__ import annotations

import base64
import json
import urllib.request
from typing import Any

from api_client import Object, Refused, path_of
from case import CORE, KEDA, Case
from cluster.metric import Metric

CLUSTER_SPACE = "keda"  # of the Secrets of ClusterTriggerAuthentications
LARGE_BYTES = 1_000_000  # etcd takes 1.5 MiB
LARGE_COUNT = 18         # more than the 16 MiB that gputided reads of one response
METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def basic(user: str, password: str) -> str:
    return "Basic " + encoded(f"{user}:{password}")


def references(name: str, **parameters: str) -> list[Object]:
    """Returns the keys of one Secret or ConfigMap by the parameters that they become."""
    return [{"parameter": parameter, "name": name, "key": key} for parameter, key in parameters.items()]


class Documents(Case):
    def setUp(self) -> None:
        super().setUp()
        self.metric = self.enterContext(Metric())
        self.allow("texts", ["get"], "", ["secrets", "configmaps"])

    def secret(self, name: str, namespace: str = "", **values: str) -> None:
        self.api.create("secrets", {
            "apiVersion": CORE, "kind": "Secret", "metadata": {"name": name, "namespace": namespace or self.namespace},
            "data": {key: encoded(value) for key, value in values.items()}})

    def authentication(self, name: str, **spec: Any) -> None:
        self.api.create("triggerauthentications", {
            "apiVersion": KEDA, "kind": "TriggerAuthentication", "metadata": {"name": name, "namespace": self.namespace},
            "spec": spec})

    def trigger(self, auth: str, mode: str, query: str = "avg(x)", kind: str = "") -> Object:
        return {"type": "prometheus", "authenticationRef": {"name": auth, **({"kind": kind} if kind else {})},
                "metadata": {"serverAddress": self.metric.url, "query": query, "threshold": "5", "authModes": mode}}

    def scales_by(self, *triggers: Object) -> None:
        """A Deployment and its ScaledObject; each trigger asks for the metric, and its size follows."""
        scaler = self.scaled_object("llm")
        scaler["spec"]["triggers"] = list(triggers)
        self.deployment("llm")
        self.api.create("scaledobjects", scaler)
        self.instance = self.start("a")
        for value, replicas in ((22.0, 5), (1.0, 1)):
            self.metric.value = value
            self.reaches("llm", replicas, self.instance)
        self.assertIsNone(self.instance.held("llm"))

    def sent(self, *authorizations: str) -> None:
        self.assertEqual(set(self.metric.authorizations), set(authorizations))

    def test_username_and_password_of_one_secret(self) -> None:
        self.secret("prom", username="u", password="p")
        self.authentication("basic", secretTargetRef=references("prom", username="username", password="password"))
        self.scales_by(self.trigger("basic", "basic"))
        self.sent(basic("u", "p"))

    def test_two_triggers_with_an_authentication_each(self) -> None:
        """Both name the same Secret."""
        self.secret("prom", username="u", password="p", token="t")
        self.authentication("basic", secretTargetRef=references("prom", username="username", password="password"))
        self.authentication("bearer", secretTargetRef=references("prom", bearerToken="token"))
        self.scales_by(self.trigger("basic", "basic"), self.trigger("bearer", "bearer", "avg(y)"))
        self.sent(basic("u", "p"), "Bearer t")

    def make_cluster_space(self) -> None:
        try:
            self.api.create("namespaces", {"apiVersion": CORE, "kind": "Namespace", "metadata": {"name": CLUSTER_SPACE}})
        except Refused as why:
            if why.code != 409:
                raise

    def test_a_cluster_trigger_authentication_and_a_config_map(self) -> None:
        """The Secret of the cluster's bears the name of the one in the namespace."""
        own = f"prom-{self.namespace}"
        self.make_cluster_space()
        self.allow("texts-of-keda", ["get"], "", ["secrets"], names=[own], namespace=CLUSTER_SPACE)
        self.secret(own, CLUSTER_SPACE, token="of-the-cluster")
        self.addCleanup(self.api.delete, CORE, "secrets", CLUSTER_SPACE, own)
        self.secret(own, password="p")
        self.api.create("configmaps", {"apiVersion": CORE, "kind": "ConfigMap", "data": {"user": "u", "script": "echo ${HOME}"},
                                       "metadata": {"name": own, "namespace": self.namespace}})
        self.authentication("basic", configMapTargetRef=references(own, username="user"),
                            secretTargetRef=references(own, password="password"))
        wide = f"bearer-{self.namespace}"
        self.api.create("clustertriggerauthentications", {
            "apiVersion": KEDA, "kind": "ClusterTriggerAuthentication", "metadata": {"name": wide},
            "spec": {"secretTargetRef": references(own, bearerToken="token")}})
        self.addCleanup(self.api.delete, KEDA, "clustertriggerauthentications", "", wide)
        self.scales_by(self.trigger("basic", "basic"),
                       self.trigger(wide, "bearer", "avg(y)", "ClusterTriggerAuthentication"))
        self.sent(basic("u", "p"), "Bearer of-the-cluster")

    def test_a_list_that_does_not_fit_into_a_response_comes_in_smaller_pages(self) -> None:
        """No object of a real API server is too large by itself; that its metadata alone can be asked for is held by hand."""
        for number in range(LARGE_COUNT):
            self.authentication(f"large-{number:02}", env=[], note="x" * LARGE_BYTES)
        self.secret("prom", username="u", password="p")
        self.authentication("small", secretTargetRef=references("prom", username="username", password="password"))
        self.scales_by(self.trigger("small", "basic"))
        self.sent(basic("u", "p"))
        watch, = [each for each in self.instance.describe()["watches"] if each["resource"] == "triggerauthentications"]
        self.assertEqual((watch["known"], watch["objects"], watch["unreadable"]), (True, LARGE_COUNT + 1, 0))
        page = self.metadata_page(path_of(KEDA, "triggerauthentications", self.namespace) + "?limit=1")
        self.assertEqual((page["kind"], page["apiVersion"]), ("PartialObjectMetadataList", "meta.k8s.io/v1"))
        self.assertTrue(page["metadata"]["continue"])
        item, = page["items"]
        self.assertEqual((item["metadata"]["name"], "spec" in item), ("large-00", False))

    def metadata_page(self, path: str) -> Object:
        request = urllib.request.Request(self.api.server + path, headers={
            "Authorization": f"Bearer {self.api.token}", "Accept": METADATA_ONLY})
        with self.api.opener.open(request, timeout=30) as answer:
            out: Object = json.loads(answer.read())
        return out
