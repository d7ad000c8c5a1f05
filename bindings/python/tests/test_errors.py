"""Failures as exceptions, and arguments that never reach C."""

from __future__ import annotations

import pickle
import unittest
from pathlib import Path
from typing import Any

import gputide
from gputide import (
    Action,
    Forecast,
    LogReader,
    Options,
    Policy,
    Replay,
    Rightsize,
    Runtime,
    Sample,
    Scaler,
    Source,
    Status,
    check_manifest,
    errors,
)
from gputide._abi import gputide_error

from .support import Case, run_python, scaled_object

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
                source.parse(401, "unknown token")
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


ANSWER = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795255200,"1"]}]}}'
TRIGGER = 'type: prometheus\nmetadata: {serverAddress: "http://127.0.0.1:9", query: q, threshold: "5"}'


class Texts(Case):
    def test_every_kind_of_bytes_is_a_text(self) -> None:
        raw = scaled_object().encode()
        for text in (raw.decode(), raw, bytearray(raw), memoryview(raw)):
            with Policy(text) as policy:
                self.assertEqual(len(policy.metrics), 1)

    def test_a_path_is_no_text_and_the_message_names_open(self) -> None:
        path = Path("so.yaml")
        for use in (Scaler, Policy, Source, Replay, gputide.check_manifest, gputide.doctor, gputide.plan_nodes, Forecast):
            with self.subTest(use.__name__), self.assertRaisesRegex(TypeError, r"PosixPath.*gputide\.open"):
                use(path)
        with Runtime() as runtime, self.assertRaisesRegex(TypeError, r"gputide\.open"):
            runtime.add(path)  # type: ignore[arg-type]

    def test_what_is_no_text_is_refused_by_its_type(self) -> None:
        for wrong in (5, 10**10, None, [1, 2], 1.5):
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, type(wrong).__name__):
                Scaler(wrong)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            gputide.render_report(5)  # type: ignore[arg-type]

    def test_options_take_paths(self) -> None:
        for given in ("/nonexistent/ca.pem", Path("/nonexistent/ca.pem")):
            raw = Options(ca_file=given, secrets_dir=given, kubeconfig=given, service_account_dir=given)._filled()
            self.assertEqual((raw.ca_file, raw.kubeconfig), (b"/nonexistent/ca.pem",) * 2)


class Numbers(Case):
    def test_an_id_beyond_64_bits_is_no_other_scaler(self) -> None:
        with Runtime() as runtime:
            scaler = runtime.add(scaled_object())
            for wrong in (2**64 + scaler, scaler - 2**64, -1):
                for use in self.uses(runtime, wrong):
                    with self.assertRaisesRegex(OverflowError, "id"):
                        use()
            for wrong in ("x", None, 1.0, b"1"):
                for use in self.uses(runtime, wrong):
                    with self.assertRaisesRegex(TypeError, "id"):
                        use()
            self.assertEqual(list(runtime.scalers()), [scaler])

    def uses(self, runtime: Runtime, scaler: Any) -> list[Any]:
        with Policy(scaled_object()) as policy, policy.new_state() as state:
            decision = state.decide(current=3, samples=[42.5], now=1_795_255_200_000)
        return [
            lambda: runtime.remove(scaler),
            lambda: runtime.replace(scaler, scaled_object()),
            lambda: runtime.observe(scaler, current=3),
            lambda: runtime.push(scaler, [1.0]),
            lambda: runtime.save(scaler),
            lambda: runtime.load(scaler, ""),
            lambda: runtime.describe(scaler),
            lambda: runtime.next_scaler(scaler),
            lambda: runtime.record(scaler, decision, applied=True),
        ]

    def test_other_numbers_do_not_wrap_either(self) -> None:
        with Source(TRIGGER) as source, Rightsize() as rightsize:
            for use in (
                lambda: rightsize.save(container=2**32),
                lambda: LogReader(2**32 + 2),  # type: ignore[arg-type]
            ):
                with self.assertRaises(OverflowError):
                    use()
            with self.assertRaisesRegex(TypeError, "http_status"):
                source.parse("200", ANSWER)  # type: ignore[arg-type]


class Warned(unittest.TestCase):
    def test_a_forgotten_handle_is_freed_also_if_its_warning_is_an_error(self) -> None:
        code = (
            "import gc, gputide\nfrom tests.support import scaled_object\n"
            "for _ in range(10): gputide.Policy(scaled_object())\n"
            "gc.collect(); print(gputide.alive())\n"
        )
        done = run_python(code, PYTHONWARNINGS="error::ResourceWarning")
        self.assertEqual(done.stdout, "0\n")
        self.assertIn("forgotten open", done.stderr)


class ForkAtFirstUse(unittest.TestCase):
    def test_a_child_loads_the_library_although_a_thread_was_about_to(self) -> None:
        code = """
import os, signal, threading
from gputide import _load
begun, found, find = threading.Event(), threading.Event(), _load._find
def held(path):
    begun.set()
    found.wait()
    return find(path)
_load._find = held
thread = threading.Thread(target=_load.library_path); thread.start(); begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    _load._find = find
    os._exit(0 if _load.library_path() else 1)
print(os.waitpid(child, 0)[1])
found.set(); thread.join()
"""
        done = run_python(code)
        self.assertEqual((done.stdout, done.returncode), ("0\n", 0), done.stderr)
