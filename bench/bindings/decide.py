"""The nanoseconds of one State.decide with one number, the best of 200 rounds: what decide.c measures, from Python."""

import time

import gputide

MANIFEST = (
    '{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},'
    '"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,'
    '"triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}}'
)
ROUNDS, CALLS = 200, 250

with gputide.Policy(MANIFEST) as policy, policy.new_state() as state:
    now_ms, best = 1_795_255_200_000, 1e9
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for index in range(CALLS):
            state.decide(current=3, samples=[10 + index % 7], now=now_ms)
            now_ms += 15_000
        best = min(best, (time.perf_counter() - start) / CALLS)
print(f"{best * 1e9:.0f}")
