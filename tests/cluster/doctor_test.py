"""`gputided doctor --kubernetes` on a real API server, as the ServiceAccount of examples/kubernetes: what those Roles grant is all
that it asks for, and the Role that it gives for what is missing, applied as it stands, is what was missing."""
from __future__ import annotations

from typing import Any

import harness
from case import ACCOUNT, HOME, RBAC, Case
from harness import gputided


class Doctor(Case):
    def look(self) -> dict[str, dict[str, Any]]:
        """The steps by name."""
        token, _ = self.token()
        kubeconfig = self.plane.kubeconfig(f"doctor-{self.namespace}", {"tokenFile": harness.write("doctor.token", token)}, HOME)
        ran = gputided("doctor", "--kubernetes", "--kubeconfig", kubeconfig, "--lease", f"{HOME}/{self.lease}", "--output", "json")
        failed = [step for step in ran.json["steps"] if step["verdict"] == "failed"]
        self.assertEqual(ran.status, 1 if failed else 0, ran)
        return {step["step"]: step for step in ran.json["steps"]}

    def test_what_the_roles_of_the_examples_grant_is_enough(self) -> None:
        steps = self.look()
        self.assertEqual([step for step in steps.values() if step["verdict"] == "failed"], [])
        self.assertIn(f"system:serviceaccount:{HOME}:{ACCOUNT}", steps["token"]["seen"])
        self.assertIn("Kubernetes v", steps["version"]["seen"])

    def test_the_role_that_it_gives_is_the_one_that_is_missing(self) -> None:
        role = ("clusterroles", "", "gputide-writing")
        rules = self.api.get(RBAC, *role)["rules"]
        self.addCleanup(self.api.patch, {"rules": rules}, RBAC, *role)
        kept = [one for one in rules if not any(resource.endswith("/scale") for resource in one["resources"])]
        self.assertLess(len(kept), len(rules))
        self.api.patch({"rules": kept}, RBAC, *role)
        # The server's authorizer takes a moment to notice.
        self.within(lambda: self.look()["scaling"]["verdict"] == "failed", 30)
        self.plane.kubectl("apply", "--filename", harness.write("missing-roles.yaml", self.look()["scaling"]["paste"]))
        for kind in ("clusterrolebindings", "clusterroles"):
            self.addCleanup(self.api.delete, RBAC, kind, "", "gputide-scaling-by-doctor")
        self.within(lambda: self.look()["scaling"]["verdict"] == "ok", 30)
