"""Sections 6 and 7: numbers to decisions."""

from __future__ import annotations

import math
import pickle
from datetime import datetime, timedelta, timezone

import gputide
from gputide import Limit, Observation, Pod, PodSample, Policy, Sample, SampleState, Truth

from .support import NOW_MS, Case, scaled_object

HPA = """
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {kind: Deployment, name: web}
  maxReplicas: 10
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
"""


class Decide(Case):
    def test_the_policy_of_numbers_c_goes_from_3_to_6(self) -> None:
        with Policy(scaled_object()) as policy, policy.new_state() as state:
            decision = state.decide(current=3, samples=[42.5], now=NOW_MS)
        self.assertEqual((decision.current, decision.desired, decision.proposed), (3, 6, 9))
        self.assertEqual((decision.limited_by, str(decision.limited_by)), (Limit.SCALE_UP, "scale_up_limit"))
        self.assertTrue(decision.wants_write and decision.active and decision.by_hpa and decision.by_executor)
        self.assertEqual(decision.now, datetime(2026, 11, 21, 10, tzinfo=timezone.utc))
        self.assertEqual(decision.next_due_ms, NOW_MS + 15_000)
        self.assertEqual((decision.winner, decision.failed_metric, decision.failed), (0, -1, False))

    def test_numbers_samples_and_observations_decide_alike(self) -> None:
        moment = datetime(2026, 11, 21, 11, tzinfo=timezone(timedelta(hours=1)))  # NOW_MS in another zone
        with Policy(scaled_object()) as policy:
            ways = [
                lambda state: state.decide(current=3, samples=[42.5], now=NOW_MS),
                lambda state: state.decide(current=3, samples=(42.5,), now=moment),
                lambda state: state.decide(current=3, samples=[Sample(42.5)], now=NOW_MS),
                lambda state: state.decide(Observation(3, [42.5], moment)),
                lambda state: state.decide(Observation(3, [42.5], NOW_MS), report=True),
            ]
            decided = []
            for way in ways:
                with policy.new_state() as state:
                    decision = way(state)
                decided.append((decision.desired, decision.proposed, decision.limited_by, decision.conditions))
        self.assertEqual(decided, [decided[0]] * len(ways))

    def test_a_metric_without_a_number_fails(self) -> None:
        failed = Sample(state=SampleState.TIMEOUT, status=gputide.Status.TIMEOUT, message="no answer")
        with Policy(scaled_object()) as policy:
            for samples in ([math.nan], [Sample(math.inf)], [failed]):
                with self.subTest(samples), policy.new_state() as state:
                    decision = state.decide(current=3, samples=samples, now=NOW_MS)
                    self.assertEqual((decision.desired, decision.failed, decision.failed_metric), (3, True, 0))
            with policy.new_state() as state:
                report = state.decide(current=3, samples=[failed], now=NOW_MS, report=True).report
        assert report is not None
        self.assertIn("no answer", report)
        self.assertEqual(report.data["desired_replicas"], 3)

    def test_pods_with_their_requests(self) -> None:
        pods = [Pod(f"web-{index}", start_time=NOW_MS - 3_600_000) for index in range(2)]
        usage = [PodSample(0, pod, value_milli=90, request_milli=100) for pod in (1, 2)]
        with Policy(HPA) as policy, policy.new_state() as state:
            decision = state.decide(Observation(2, now=NOW_MS, pods=pods, pod_samples=usage), report=True)
        self.assertEqual((decision.proposed, decision.desired), (4, 4))
        self.assertIn("90 %", decision.explain())

    def test_records_change_the_decision_and_are_taken_once(self) -> None:
        with Policy(scaled_object()) as policy, policy.new_state() as state:
            decision = state.decide(current=3, samples=[42.5], now=NOW_MS)
            state.record(decision, applied=True, now=NOW_MS)
            able = decision.conditions[gputide.Condition.ABLE_TO_SCALE]
            self.assertEqual((able.truth, str(able.reason)), (Truth.TRUE, "SucceededRescale"))
            before = bytes(decision._raw)
            with self.assertRaises(gputide.WrongState) as caught:
                state.record(decision, applied=True, now=NOW_MS)
            self.assertEqual((caught.exception.name, bytes(decision._raw)), ("E_STATE", before))

    def test_states_are_saved_and_loaded(self) -> None:
        with Policy(scaled_object()) as policy, policy.new_state(created=NOW_MS) as state:
            state.decide(current=3, samples=[42.5], now=NOW_MS)
            with policy.load_state(state.save()) as loaded:
                later = [entry.decide(current=6, samples=[1.0], now=NOW_MS + 30_000).desired for entry in (state, loaded)]
            self.assertEqual(later, [later[0]] * 2)
            with policy.load_state(state.describe(), unchecked=True) as looked_at:
                self.assertEqual(looked_at.describe().data, state.describe().data)
            with self.assertRaises(gputide.WrongState):
                policy.load_state("not a state")
        self.assertEqual(policy.metrics, ("s0-values",))

    def test_a_state_decides_after_its_policy_is_closed(self) -> None:
        policy = Policy(scaled_object())
        state = policy.new_state()
        policy.close()
        self.assertEqual(state.decide(current=3, samples=[42.5], now=NOW_MS).desired, 6)
        with self.assertRaises(gputide.Closed):
            policy.describe()
        state.close()

    def test_a_decision_is_a_value_that_other_processes_may_have(self) -> None:
        with Policy(scaled_object()) as policy, policy.new_state() as state:
            decision = state.decide(current=3, samples=[42.5], now=NOW_MS, report=True)
            again = pickle.loads(pickle.dumps(decision))
            self.assertEqual((again, again.report), (decision, decision.report))
            with self.assertRaises(TypeError):
                pickle.dumps(policy)

    def test_what_cannot_be_said_in_c_is_refused(self) -> None:
        with Policy(scaled_object()) as policy, policy.new_state() as state:
            with self.assertRaisesRegex(ValueError, "without a zone"):
                state.decide(current=3, samples=[1.0], now=datetime(2026, 11, 21))
            with self.assertRaises(OverflowError):
                state.decide(current=2**31, samples=[1.0], now=NOW_MS)
            with self.assertRaises(OverflowError):
                state.decide(current=3, samples=[1.0], now=2**63)
            with self.assertRaises(TypeError):
                state.decide(samples=[1.0], now=NOW_MS)
            with self.assertRaises(TypeError):
                state.decide(Observation(3), current=3)
            with self.assertRaises(gputide.Invalid):
                state.decide(current=3, samples=[1.0, 2.0], now=NOW_MS)
            with self.assertRaises(gputide.Invalid):
                state.decide(current=3, samples=[1.0], now=0)

    def test_numbers_of_a_newer_library_stay_numbers(self) -> None:
        self.assertEqual((Limit(99), Limit(99).name, str(Limit(99))), (99, "UNKNOWN_99", "unknown"))
        self.assertEqual(f"{gputide.LogLevel.INFO:>6}", "  info")
