"""What a failed call raises."""

from __future__ import annotations

import pickle

import gputide
from gputide import Action, Policy, Sample, Source, Status, check_manifest, errors
from gputide._abi import gputide_error

from .support import Case, scaled_object

TRIGGER = 'type: prometheus\nmetadata: {serverAddress: "http://127.0.0.1:9", query: q, threshold: "5"}'


class Errors(Case):
    def test_an_error_says_where_what_and_what_to_do(self) -> None:
        with self.assertRaises(gputide.Invalid) as caught:
            Policy(scaled_object(maxReplicaCount=-1), gputide.Options(text_name="so.json"))
        error = caught.exception
        self.assertEqual((error.status, error.name), (Status.INVALID, "E_INVALID"))
        self.assertEqual((error.action, error.retryable, error.retry_at), (Action.FIX_CONFIGURATION, False, None))
        self.assertEqual(str(error), f"{error.where}: {error.message}")
        self.assertTrue(error.where.startswith("so.json:1"), error.where)
        self.assertEqual(error.detail["class"], "config")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), vars(again)), (type(error), vars(error)))

    def test_each_status_has_a_class_of_its_own(self) -> None:
        kinds = set()
        for status in list(Status)[1:]:
            error = errors.error_of(gputide_error(status=status, message=b"m"))
            self.assertIsInstance(error, gputide.Error)
            self.assertEqual((error.status, str(error)), (status, "m"))
            kinds.add(type(error))
        self.assertEqual(len(kinds), len(list(Status)) - 1)
        self.assertNotIn(gputide.Error, kinds)
        self.assertTrue(issubclass(gputide.Timeout, TimeoutError) and issubclass(gputide.NoMemory, MemoryError))

    def test_a_status_of_a_newer_library_is_an_error(self) -> None:
        error = errors.error_of(gputide_error(status=77, action=66, where=b"w", message=b"m"))
        self.assertIs(type(error), gputide.Error)
        self.assertEqual((error.status, error.action, error.name, str(error)), (77, 66, "E_UNKNOWN", "w: m"))

    def test_a_read_that_fails_has_its_sample(self) -> None:
        with Source(TRIGGER) as source:
            with self.assertRaises(gputide.Auth) as caught:
                source.parse(401, "who are you")
            self.assertEqual(caught.exception.http_status, 401)
            sample = caught.exception.sample  # type: ignore[attr-defined]
            self.assertIsInstance(sample, Sample)
            self.assertEqual((sample.state, sample.status, sample.value), (gputide.SampleState.AUTH, Status.AUTH, None))

    def test_findings_do_not_raise(self) -> None:
        good, bad = check_manifest(scaled_object()), check_manifest(scaled_object(minReplicaCount=30))
        self.assertTrue(good.ok and not bad.ok)
        self.assertEqual(good.report.data["scalers"][0]["name"], "demo")
        self.assertIn("minReplicaCount", bad.lines)
        assert bad.error is not None
        self.assertEqual(bad.error.status, Status.INVALID)

    def test_statuses_and_actions_have_their_words(self) -> None:
        self.assertEqual(str(Status.THROTTLED), "E_THROTTLED")
        self.assertEqual(str(Action.FIX_CREDENTIALS), "fix_credentials")
        self.assertEqual(str(gputide.SampleState.NOT_A_NUMBER), "not_a_number")
        self.assertEqual(str(gputide.ScaleEvent.ACTIVATED), "KEDAScaleTargetActivated")
