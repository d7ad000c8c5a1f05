"""A decision from plain numbers: no file, no network, no clock.  GPU utilization 42.5 % on 3 replicas, threshold 5."""

from datetime import datetime, timedelta, timezone

import gputide

MANIFEST = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  minReplicaCount: 1
  maxReplicaCount: 20
  triggers:
    - type: values
      metadata: {threshold: "5", activationThreshold: "2"}
"""

now = datetime(2026, 11, 21, tzinfo=timezone.utc)
replicas = 3
with gputide.Policy(MANIFEST) as policy, policy.new_state(created=now) as state:
    for utilization in (42.5, 42.5, 21.0, 4.0):
        decision = state.decide(current=replicas, samples=[utilization], now=now, report=True)
        print(f"{decision.current} -> {decision.desired}, proposed {decision.proposed}, limited by {decision.limited_by}")
        if decision.wants_write:
            replicas = decision.desired
            state.record(decision, applied=True, now=now)
        now += timedelta(seconds=15)
    print(decision.explain())
