"""Manifests of the shapes that users of KEDA write: several parameters of one Secret, one Secret of several authentications."""
from __future__ import annotations

import base64

from cluster.case import KEDA, OnACluster


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Documents(OnACluster):
    def expect(self, *authorizations: str) -> None:
        daemon = self.start("a")
        self.wants(22, "llm", 5, daemon)
        self.assertEqual(set(self.metric.authorizations), set(authorizations))
        self.assertEqual(self.told(daemon, "held"), [])

    def test_two_parameters_of_one_secret(self) -> None:
        self.store("secrets", "prom", username="u", password="p")
        self.authentication("basic", secretTargetRef=[{"parameter": "username", "name": "prom", "key": "username"},
                                                      {"parameter": "password", "name": "prom", "key": "password"}])
        self.scale_by("llm", self.trigger("basic", "basic"))
        self.expect(basic("u", "p"))

    def test_two_parameters_of_one_secret_of_a_scaled_job(self) -> None:
        self.store("secrets", "prom", username="u", password="p")
        self.authentication("basic", secretTargetRef=[{"parameter": "username", "name": "prom", "key": "username"},
                                                      {"parameter": "password", "name": "prom", "key": "password"}])
        self.api.put(KEDA, "scaledjobs", {
            "metadata": {"name": "train", "namespace": "ml", "uid": "uid-of-train", "generation": 1},
            "spec": {"jobTargetRef": {"template": {"spec": {}}}, "pollingInterval": 1,
                     "triggers": [self.trigger("basic", "basic")]}})
        daemon = self.start("a")
        daemon.wait_for(lambda: basic("u", "p") in self.metric.authorizations)
        self.assertEqual(self.told(daemon, "held"), [])

    def test_two_parameters_of_one_config_map(self) -> None:
        """Another of its keys is a script with a ${NAME} that gputide must ignore."""
        self.store("configmaps", "prom", user="u", word="p", script="echo ${HOME} ${unclosed")
        self.authentication("basic", configMapTargetRef=[{"parameter": "username", "name": "prom", "key": "user"},
                                                         {"parameter": "password", "name": "prom", "key": "word"}])
        self.scale_by("llm", self.trigger("basic", "basic"))
        self.expect(basic("u", "p"))

    def test_two_authentications_of_one_secret(self) -> None:
        self.store("secrets", "prom", username="u", password="p", token="t")
        self.authentication("basic", secretTargetRef=[{"parameter": "username", "name": "prom", "key": "username"},
                                                      {"parameter": "password", "name": "prom", "key": "password"}])
        self.authentication("bearer", secretTargetRef=[{"parameter": "bearerToken", "name": "prom", "key": "token"}])
        self.scale_by("llm", self.trigger("basic", "basic"), self.trigger("bearer", "bearer"))
        self.expect(basic("u", "p"), "Bearer t")

    def test_a_secret_and_a_config_map_of_one_name(self) -> None:
        self.store("secrets", "prom", password="p")
        self.store("configmaps", "prom", user="u")
        self.authentication("basic", configMapTargetRef=[{"parameter": "username", "name": "prom", "key": "user"}],
                            secretTargetRef=[{"parameter": "password", "name": "prom", "key": "password"}])
        self.scale_by("llm", self.trigger("basic", "basic"))
        self.expect(basic("u", "p"))

    def test_a_secret_of_the_cluster_and_one_of_the_namespace_bear_one_name(self) -> None:
        """Whatever the order in which the authentications are read, each has the Secret of its own namespace."""
        for a, b in (("a", "b"), ("b", "a")):
            with self.subTest(own=a):
                self.metric.authorizations.clear()
                self.store("secrets", "prom", token="of-ml")
                self.store("secrets", "prom", "keda", token="of-keda")
                reference = [{"parameter": "bearerToken", "name": "prom", "key": "token"}]
                self.authentication(a, secretTargetRef=reference)
                self.authentication(b, is_cluster_wide=True, secretTargetRef=reference)
                own, wide = self.trigger(a, "bearer"), self.trigger(b, "bearer", "ClusterTriggerAuthentication", "avg(y)")
                so = f"llm-{a}"
                self.scale_by(so, own, wide)
                daemon = self.start(f"instance-{a}")
                daemon.wait_for(lambda: {"Bearer of-ml", "Bearer of-keda"} <= set(self.metric.authorizations))
                self.assertEqual(self.told(daemon, "held"), [])
                daemon.end()
                self.api.delete(KEDA, "scaledobjects", so)
                self.api.delete(KEDA, "clustertriggerauthentications", b, "")

    def test_a_name_that_no_secret_has_is_refused_and_not_asked_for(self) -> None:
        for name in ("..", ".", "", "a/b", "x?y"):
            with self.subTest(name=name):
                self.authentication("odd", secretTargetRef=[{"parameter": "bearerToken", "name": name, "key": "token"}])
                self.scale_by("llm", self.trigger("odd", "bearer"))
                daemon = self.start("a")
                held = daemon.wait_for(lambda: self.told(daemon, "held"))[0]
                self.assertEqual(held["reason"], "refused")
                self.assertIn("is not a valid Kubernetes name of a Secret" if name else "name", held["message"])
                daemon.end()
        self.assertEqual([path for _, _, path in self.api.requests if "/secrets" in path], [])
