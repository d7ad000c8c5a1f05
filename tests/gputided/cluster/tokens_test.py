"""Tokens of service accounts, which boundServiceAccountToken asks for: the requests at the API server, their times, and the use of the tokens."""
from __future__ import annotations

import json
from typing import Any

import harness
from cluster.case import OnACluster
from cluster.objects import Key
from harness import Daemon

LIST = "KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES"
SENT = {"audiences": ["prom.corp"], "expirationSeconds": 3600}


class Tokens(OnACluster):
    def setUp(self) -> None:
        super().setUp()
        self.account_there(("ml", "metrics"))
        self.authentication("bound", boundServiceAccountToken=[{"parameter": "bearerToken", "serviceAccountName": "metrics"}])
        self.scale_by("llm", self.trigger("bound", "bearer"))

    def account_there(self, key: Key) -> None:
        self.api.put("v1", "serviceaccounts", {"metadata": {"namespace": key[0], "name": key[1]}})

    def start_with(self, *entries: dict[str, str], name: str = "a") -> Daemon:
        return self.start(name, env={LIST: json.dumps(list(entries))})

    def start_listed(self) -> Daemon:
        return self.start_with({"audience": "prom.corp", "namespace": "ml", "serviceAccountName": "metrics"})

    def held(self, daemon: Daemon) -> str:
        entry: dict[str, Any] = daemon.wait_for(lambda: self.told(daemon, "held"))[-1]
        self.assertEqual((entry["name"], entry["reason"]), ("llm", "refused"))
        message: str = entry["message"]
        return message

    def test_a_token_has_the_audience_of_the_list_and_goes_to_the_metric(self) -> None:
        daemon = self.start_listed()
        self.wants(22, "llm", 5, daemon)
        self.wants(1, "llm", 1, daemon)
        self.assertEqual(self.api.token_requests, [("ml/metrics", SENT)])
        self.assertEqual(set(self.metric.authorizations), {f"Bearer {self.api.tokens[0]}"})
        daemon.end()
        self.assertNotIn(self.api.tokens[0].split(".")[1], daemon.out + daemon.err)

    def test_a_token_is_renewed_before_it_ends(self) -> None:
        self.api.token_life_s = 6
        daemon = self.start_listed()
        daemon.wait_for(lambda: len(set(self.metric.authorizations)) >= 3)
        used = sorted(set(self.metric.authorizations), key=self.metric.authorizations.index)
        self.assertEqual(used, [f"Bearer {token}" for token in self.api.tokens[:len(used)]])
        self.assertEqual(self.told(daemon, "held"), [])
        self.assertEqual({spec["expirationSeconds"] for _, spec in self.api.token_requests}, {3600})

    def test_an_account_that_is_not_listed_gets_none(self) -> None:
        for number, entries in enumerate(((), ({"audience": "prom.corp"},),
                                          ({"audience": "prom.corp", "namespace": "web", "serviceAccountName": "metrics"},))):
            daemon = self.start_with(*entries, name=f"a-{number}")
            self.assertIn(f"no configured token audience for service account ml/metrics in {LIST}", self.held(daemon))
            daemon.end()
        self.assertEqual((self.api.token_requests, self.metric.authorizations), ([], []))

    def test_a_token_that_does_not_fit_is_not_used(self) -> None:
        for claims, why in (({"aud": ["prom.corp", "https://kubernetes.default.svc"]}, "contains an audience not approved"),
                            ({"exp": 1_000_000_000}, "token is expired"), ({"sub": "somebody"}, "subject isn't a service account")):
            self.api.token_claims = claims
            daemon = self.start_listed()
            self.assertIn("invalid token returned for service account ml/metrics: ", message := self.held(daemon))
            self.assertIn(why, message)
            daemon.end()
        self.assertEqual(self.metric.authorizations, [])

    def test_a_refusal_is_told_and_tried_again(self) -> None:
        self.api.denies_tokens = True
        daemon = self.start_listed()
        message = self.held(daemon)
        self.assertIn("failed to create bound service account token for ml/metrics: ", message)
        self.assertIn("serviceaccounts/token", message)
        self.api.denies_tokens = False
        self.wants(22, "llm", 5, daemon)

    def test_an_authentication_of_the_cluster_gets_a_token_of_kedas_namespace(self) -> None:
        self.account_there(("keda", "metrics"))
        self.authentication("wide", is_cluster_wide=True, boundServiceAccountToken=[
            {"parameter": "bearerToken", "serviceAccountName": "metrics"}])
        self.scale_by("llm", self.trigger("wide", "bearer", "ClusterTriggerAuthentication"))
        daemon = self.start_with({"audience": "prom.corp", "namespace": "keda", "serviceAccountName": "metrics"})
        self.wants(22, "llm", 5, daemon)
        self.assertEqual(self.api.token_requests, [("keda/metrics", SENT)])

    def test_the_mode_legacy_leaves_the_audience_to_the_server(self) -> None:
        daemon = self.start("a", "--service-account-token-mode", "legacy")
        self.wants(22, "llm", 5, daemon)
        self.assertEqual(self.api.token_requests, [("ml/metrics", {"expirationSeconds": 3600})])
        self.assertEqual(set(self.metric.authorizations), {f"Bearer {self.api.tokens[0]}"})

    def test_a_list_that_cannot_be_read_ends_the_start(self) -> None:
        flags, environment = self.account("a")
        done = harness.gputided("run", "--kubernetes", *flags, env={**environment, LIST: "null"})
        self.assertEqual(done.status, 2, done)
        self.assertIn(f"{LIST} must be a list", done.err)
