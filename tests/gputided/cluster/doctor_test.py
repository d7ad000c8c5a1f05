"""gputided doctor --kubernetes against an API server that is strict: what is asked, what is missing, what it says to do."""
from __future__ import annotations

import pathlib
import re
from typing import Any

import harness
import manifests
from cluster.case import APPS, HPA, KEDA, OnACluster
from cluster.objects import keda_operator
from harness import gputided

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "kubernetes"
ALL = ["environment", "endpoint", "token", "version", "kinds", "objects", "reading", "scaling", "leading", "reporting", "lease"]
RULE = re.compile(r"apiGroups: \[(?P<group>.*?)\],?\s+resources: \[(?P<resources>.*?)\],?\s*(?:#.*\n\s*)?verbs: \[(?P<verbs>.*?)\]"
                  r"(?:,\s+resourceNames: \[(?P<names>.*?)\])?")

Right = tuple[str, str, str, str]  # group, resource, verb, name


def words(text: str) -> list[str]:
    return [word.strip().strip('"') for word in text.split(",")]


def granted(text: str, kind: str) -> set[Right]:
    """By the Roles, or the ClusterRoles, of a text."""
    out: set[Right] = set()
    for document in text.split("\n---\n"):
        if re.search(rf"^kind: {kind}$", document, re.MULTILINE):
            for rule in RULE.finditer(document):
                out |= {(rule["group"].strip('"'), resource, verb, name) for resource in words(rule["resources"])
                        for verb in words(rule["verbs"]) for name in words(rule["names"] or "")}
    return out


def asked(review: dict[str, str]) -> Right:
    resource = "/".join(filter(None, [review["resource"], review.get("subresource")]))
    return review["group"], resource, review["verb"], review.get("name", "")


class Diagnosis(OnACluster):
    def look(self, *arguments: str, status: int = 0, name: str = "gputide") -> dict[str, Any]:
        """The report, after checking that the text says the same."""
        flags, environment = self.account(name)
        command = ["doctor", "--kubernetes", *flags, *arguments]
        ran, text = gputided(*command, "--output", "json", env=environment), gputided(*command, env=environment)
        self.assertEqual((ran.status, text.status, ran.err, text.err), (status, status, "", ""), ran)
        report: dict[str, Any] = ran.json
        self.assertTrue(" ".join(text.out.split()).startswith(" ".join(report["conclusion"].split()[:4])), text.out)
        for step in report["steps"]:
            self.assertIn(step["step"], text.out)
            for line in step.get("paste", "").splitlines():
                self.assertIn(line, text.out)
            if step["verdict"] != "ok":
                self.assertTrue(step["cause"] and step["fix"], step)
        return report

    def step(self, report: dict[str, Any], name: str, verdict: str, *expected: str) -> dict[str, Any]:
        found: dict[str, Any] = next(step for step in report["steps"] if step["step"] == name)
        self.assertEqual(found["verdict"], verdict, found)
        whole = "\n".join(found.get(part, "") for part in ("seen", "cause", "fix", "paste"))
        for text in expected:
            self.assertIn(text, whole)
        return found

    def test_all_is_well(self) -> None:
        report = self.look()
        self.assertEqual(([step["step"] for step in report["steps"]], report["verdict"]), (ALL, "ok"))
        self.assertEqual((report["server"], report["version"], report["user"], report["namespace"], report["shadow"]),
                         (f"https://127.0.0.1:{self.api.port}", "v1.37.2", "system:serviceaccount:ml:gputide", "ml", False))
        self.step(report, "lease", "ok", "ml/gputide does not exist yet")
        self.assertEqual({method for _, method, path in self.api.requests if "selfsubject" not in path}, {"GET"})

    def releases(self, *arguments: str, verdict: str = "ok") -> tuple[str, str]:
        """Returns the release with the rules that hold, after checking that the step names both."""
        report = self.look(*arguments)
        out = report["versions"]["hpa"]["rules"], report["versions"]["keda"]["rules"]
        self.step(report, "version", verdict, f"the rules of Kubernetes {out[0]} apply", f"the rules of KEDA {out[1]} apply")
        return out

    def test_whose_rules_hold(self) -> None:
        self.assertEqual(self.releases(), ("1.37", "2.21"))
        self.api.authentication_fields = ["podIdentity"]
        self.assertEqual(self.releases(), ("1.37", "2.20"))
        self.api.put(APPS, "deployments", keda_operator("2.21.0"))
        report = self.look()
        self.assertEqual(report["versions"], {
            "hpa": {"rules": "1.37", "from": "server", "found": "v1.37.2", "message": ""},
            "keda": {"rules": "2.21", "from": "image", "found": "2.21.0", "message": ""}})
        self.assertEqual(self.releases("--namespace", "ml"), ("1.37", "2.21"))
        self.assertEqual(self.releases("--hpa-version", "1.35", "--keda-version", "2.20"), ("1.35", "2.20"))
        wrong = gputided("doctor", "--kubernetes", "--keda-version", "2.19")
        self.assertIn("2.20 to 2.21", wrong.err)

    def test_a_release_that_may_not_be_read_is_no_error(self) -> None:
        self.api.hidden = {"deployments"}
        report = self.look()
        self.assertEqual((report["verdict"], report["versions"]["keda"]["rules"]), ("ok", "2.21"))
        self.step(report, "version", "ok", "no permission to read the Deployment of KEDA's operator")

    def test_a_release_whose_rules_are_not_known_is_a_warning(self) -> None:
        self.api.put(APPS, "deployments", keda_operator("2.17.2"))
        self.assertEqual(self.releases(verdict="warning"), ("1.37", "2.20"))
        self.assertEqual(self.releases("--keda-version", "2.20"), ("1.37", "2.20"))

    def test_what_is_asked_is_what_the_examples_grant(self) -> None:
        self.look()
        texts = [(EXAMPLES / file).read_text(encoding="utf-8") for file in ("base/reading.yaml", "act/writing.yaml")]
        everywhere = {asked(review) for review in self.api.reviews if "namespace" not in review}
        own = {asked(review) for review in self.api.reviews if review.get("namespace") == "ml"}
        self.assertEqual(everywhere, granted(texts[0], "ClusterRole") | granted(texts[1], "ClusterRole"))
        self.assertEqual(own, granted(texts[1], "Role"))
        self.api.reviews.clear()
        self.look("--shadow")
        self.assertEqual({asked(review) for review in self.api.reviews}, granted(texts[0], "ClusterRole"))

    def test_a_right_that_is_needed_is_missing(self) -> None:
        self.api.denied = {("apps", "deployments/scale", "update"), ("coordination.k8s.io", "leases", "get")}
        report = self.look(status=1)
        self.assertEqual(report["verdict"], "failed")
        self.assertIn("fails at step scaling", report["conclusion"])
        paste = self.step(report, "scaling", "failed", "update on deployments/scale of apps in all namespaces",
                          'subjects: [{kind: ServiceAccount, name: "gputide", namespace: "ml"}]')["paste"]
        scales = {("apps", f"{kind}/scale", verb, "") for kind in ("deployments", "statefulsets") for verb in ("get", "update")}
        jobs = {("batch", "jobs", verb, "") for verb in ("get", "create", "delete")}
        more = {("keda.sh", "scaledjobs/finalizers", "update", ""), ("keda.sh", "scaledobjects", "patch", "")}
        self.assertEqual(granted(paste, "ClusterRole"), scales | jobs | more)
        paste = self.step(report, "leading", "failed", "get on leases of coordination.k8s.io named gputide in namespace ml")["paste"]
        leases = "coordination.k8s.io", "leases"
        self.assertEqual(granted(paste, "Role"), {(*leases, "create", ""), (*leases, "get", "gputide"), (*leases, "update", "gputide")})
        self.assertIn('namespace: "ml"', paste)
        denied = [(right["resource"], right["verb"]) for right in report["rights"] if not right["allowed"]]
        self.assertEqual(denied, [("deployments/scale", "update"), ("leases", "get")])

    def test_what_only_costs_comfort_is_a_warning(self) -> None:
        self.api.denied = {("", "events", "create"), ("keda.sh", "scaledobjects/status", "patch"),
                           ("apps", "statefulsets", "watch")}
        report = self.look()
        self.assertEqual(report["verdict"], "warning")
        self.step(report, "reading", "warning", "watch on statefulsets of apps", "StatefulSets are not scaled")
        self.step(report, "reporting", "warning", "kubectl describe so shows no events", 'resources: ["events"]')

    def with_secret(self, name: str, auth: str = "prom", authentication: bool = True) -> None:
        """Creates a ScaledObject with a TriggerAuthentication that names a Secret that is not read."""
        self.scale(name, auth=auth)
        if authentication:
            named = manifests.authentication(auth, bearerToken=harness.BEARER)[0]
            if auth == "wide":
                named["spec"]["configMapTargetRef"] = [{"parameter": "unused", "name": "addresses", "key": "server"}]
            self.api.put(KEDA, "triggerauthentications", {**named, "metadata": {"name": auth, "namespace": "ml"}})

    def test_secrets_that_the_scalers_of_the_cluster_need(self) -> None:
        self.with_secret("llm")
        self.with_secret("other")
        self.with_secret("third", auth="wide")
        report = self.look("--shadow")
        self.step(report, "objects", "ok", "3 ScaledObjects and 0 ScaledJobs")
        self.step(report, "reading", "ok")
        needed = [(right["namespace"], right["resource"], right["name"], right["verb"], right["allowed"], right["needed"])
                  for right in report["rights"] if right["name"]]
        self.assertEqual(needed, [("", "configmaps", "cluster-autoscaler-status", "get", True, False), ("ml", "configmaps", "addresses", "get", True, False)] + [("ml", "secrets", f"{name}-secret", "get", True, False) for name in ("prom", "wide")])
        self.assertEqual([path for _, _, path in self.api.requests if "/secrets" in path], [])
        self.api.denied = {("", "secrets", "get")}
        report = self.look()
        reading = self.step(report, "reading", "warning", "get on secrets named prom-secret in namespace ml",
                            "Without this right: ml/llm, ml/other are not scaled; ml/third is not scaled.")
        self.assertEqual(granted(reading["paste"], "Role"), {("", "configmaps", "get", "addresses"), ("", "secrets", "get", "prom-secret"),
                                                             ("", "secrets", "get", "wide-secret")})
        self.assertEqual((granted(reading["paste"], "ClusterRole"), 'namespace: "ml"' in reading["paste"]), (set(), True))

    def test_an_authentication_of_the_cluster_has_its_secrets_in_kedas_namespace(self) -> None:
        self.scale("llm", auth="prom")
        named = manifests.authentication("prom", bearerToken=harness.BEARER)[0]
        self.api.put(KEDA, "clustertriggerauthentications", {**named, "kind": "ClusterTriggerAuthentication", "metadata": {"name": "prom"}})
        broken = self.api.get(KEDA, "scaledobjects", "llm")
        self.step(self.look(), "objects", "warning", "ml/llm names TriggerAuthentication prom, which does not exist")
        for trigger in broken["spec"]["triggers"]:
            trigger["authenticationRef"]["kind"] = "ClusterTriggerAuthentication"
        self.api.put(KEDA, "scaledobjects", broken)
        self.api.denied = {("", "secrets", "get")}
        self.step(self.look(), "reading", "warning", "get on secrets named prom-secret in namespace keda")

    def test_a_token_of_an_account_needs_a_right_of_its_own(self) -> None:
        self.scale("llm", auth="bound")
        self.authentication("bound", boundServiceAccountToken=[{"parameter": "bearerToken", "serviceAccountName": "metrics"}])
        self.api.denied = {("", "serviceaccounts/token", "create")}
        reading = self.step(self.look(), "reading", "warning", "create on serviceaccounts/token named metrics in namespace ml")
        self.assertEqual(granted(reading["paste"], "Role"), {("", "serviceaccounts/token", "create", "metrics")})
        self.assertEqual(self.api.token_requests, [])

    def test_lists_of_many_pages_and_one_that_is_kept(self) -> None:
        for number in range(5):
            self.scale(f"llm-{number}")
        self.with_secret("zz-last")
        report = self.look()
        self.step(report, "objects", "ok", "6 ScaledObjects")
        self.assertEqual([right["name"] for right in report["rights"] if right["resource"] == "secrets"], ["prom-secret"])
        self.api.forbids = True
        self.step(self.look(), "objects", "warning", "the list of scaledobjects", "cannot list")

    def test_namespaces_and_shards(self) -> None:
        self.api.denied = {("autoscaling", "horizontalpodautoscalers", "list")}
        report = self.look("--namespace", "ml", "--namespace", "web", "--shards", "2", "--lease", "ops/scalers", status=1)
        paste = self.step(report, "reading", "failed")["paste"]
        self.assertEqual((granted(paste, "ClusterRole"), paste.count("kind: Role\n")), (set(), 2))
        named = {(review["namespace"], review["name"]) for review in self.api.reviews if review["resource"] == "leases" and "name" in review}
        self.assertEqual(named, {("ops", "scalers"), ("ops", "scalers-1")})
        spaces = {review.get("namespace", "") for review in self.api.reviews if review["resource"] == "scaledobjects"}
        self.assertEqual(spaces, {"ml", "web"})

    def test_a_lease_that_is_held_and_one_that_cannot_be_made(self) -> None:
        self.api.denied = {("coordination.k8s.io", "leases", "create")}
        report = self.look(status=1)
        self.step(report, "leading", "warning", "create the Lease by hand")
        self.step(report, "lease", "failed", "ml/gputide does not exist, and this user may not create it")
        self.start("a").wait_for(lambda: self.api.holder() == "a")
        self.step(self.look(), "lease", "ok", "ml/gputide is held by a, renewed")

    def test_kinds_that_are_not_served(self) -> None:
        self.api.unserved = {"scaledobjects", "triggerauthentications", "clustertriggerauthentications"}
        self.step(self.look(status=1), "kinds", "failed", "not served: scaledobjects of keda.sh/v1alpha1", "CustomResourceDefinitions")
        self.api.unserved = {"horizontalpodautoscalers"}
        self.step(self.look(status=1), "kinds", "failed", "autoscaling/v2", "v2beta2")
        self.api.unserved, self.api.hpa_version = set(), "autoscaling/v2beta2"
        self.step(self.look(), "kinds", "ok", "horizontalpodautoscalers of autoscaling/v2beta2")

    def test_a_token_that_is_not_taken_ends_it(self) -> None:
        flags, environment = self.account("gputide")
        self.api.callers.clear()
        ran = gputided("doctor", "--kubernetes", *flags, "--output", "json", env=environment)
        self.assertEqual(ran.status, 1, ran)
        self.assertEqual([step["step"] for step in ran.json["steps"]], ["environment", "endpoint", "token"])
        self.step(ran.json, "token", "failed", "401", "has expired")

    def test_a_server_that_does_not_say_who_asks(self) -> None:
        self.api.tells_user = False
        self.api.denied = {(HPA.split("/", maxsplit=1)[0], "horizontalpodautoscalers", "watch")}
        report = self.look(status=1)
        self.step(report, "token", "ok", "accepted")
        self.step(report, "reading", "failed", "<user that scales>")

    def test_no_server(self) -> None:
        flags, environment = self.account("gputide")
        gone = gputided("doctor", "--kubernetes", *flags, env={**environment, "KUBERNETES_SERVICE_PORT": "1"})
        self.assertEqual(gone.status, 1)
        self.assertIn("FAILED  endpoint", gone.out)
        nowhere = gputided("doctor", "--kubernetes")
        self.assertEqual(nowhere.status, 1)
        self.assertIn("FAILED  environment", nowhere.out)
        self.assertIn("--kubeconfig", nowhere.out)

    def test_arguments(self) -> None:
        for arguments, expected in (((), "either --file or --kubernetes"), (("--shadow",), "--kubernetes"),
                                    (("--kubernetes", "-f", "x"), "either --file or --kubernetes")):
            ran = gputided("doctor", *arguments)
            self.assertEqual((ran.status, expected in ran.err), (2, True), ran)
        ran = gputided("doctor", "--kubernetes", "--namespace", "No Name")
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("namespaces", ran.err)
