#!/usr/bin/env python3
"""gputide from Python with nothing but ctypes: a decision from numbers, and one from a manifest.

    decide.py path/to/libgputide.so.1                     from numbers
    decide.py path/to/libgputide.so.1 so.yaml REPLICAS    from a manifest: fetch, decide, print the report
"""
import ctypes as c
import sys
import time

TEXT = -1  # GPUTIDE_TEXT: NUL-terminated
ALLOW_ENVIRONMENT = 1
SAMPLE_OK = 1


class Error(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("status", c.c_int32), ("action", c.c_int32), ("retryable", c.c_int32),
                ("http_status", c.c_int32), ("reserved", c.c_int32), ("retry_at_ms", c.c_int64),
                ("service_code", c.c_char * 64), ("where", c.c_char * 128), ("message", c.c_char * 2048),
                ("detail", c.c_char * 4096)]


class Text(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size_bytes", c.c_uint64)]


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("text_name", c.c_char_p), ("scaler", c.c_char_p),
                ("files", c.c_void_p), ("file_count", c.c_uint32), ("file_size", c.c_uint32),
                ("allowed_environment", c.c_char_p), ("allowed_token_hosts", c.c_char_p), ("allowed_programs", c.c_char_p),
                ("secrets_dir", c.c_char_p), ("ca_file", c.c_char_p), ("ca_pem", c.c_char_p), ("ca_pem_bytes", c.c_int64),
                ("proxy", c.c_char_p), ("user_agent", c.c_char_p), ("kubeconfig", c.c_char_p),
                ("kube_context", c.c_char_p), ("service_account_dir", c.c_char_p)]


class Sample(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("state", c.c_int32), ("status", c.c_int32), ("flags", c.c_uint32),
                ("value", c.c_double), ("time_ms", c.c_int64), ("message", c.c_char_p)]


class Observation(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("now_ms", c.c_int64),
                ("current_replicas", c.c_int32), ("status_replicas", c.c_int32), ("ready_replicas", c.c_int32),
                ("sample_count", c.c_uint32), ("samples", c.POINTER(Sample)), ("pods", c.c_void_p),
                ("pod_samples", c.c_void_p), ("pod_count", c.c_uint32), ("pod_sample_count", c.c_uint32),
                ("sample_size", c.c_uint32), ("pod_size", c.c_uint32), ("pod_sample_size", c.c_uint32),
                ("reserved", c.c_uint32)]


class Condition(c.Structure):
    _fields_ = [("truth", c.c_int32), ("reason", c.c_int32), ("since_ms", c.c_int64)]


class Decision(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("id", c.c_uint64), ("now_ms", c.c_int64),
                ("next_due_ms", c.c_int64),
                ("current_replicas", c.c_int32), ("desired_replicas", c.c_int32), ("proposed_replicas", c.c_int32),
                ("limited_by", c.c_int32), ("source", c.c_int32), ("winner", c.c_int32), ("failed_metric", c.c_int32),
                ("event", c.c_int32), ("conditions", Condition * 16)]


def sized(kind, **members):
    return kind(struct_size=c.sizeof(kind), **members)


class Failure(Exception):
    pass


class Gputide:
    """The library, with failures as exceptions."""

    def __init__(self, path):
        self.library = c.CDLL(path)
        self.library.gputide_limit_name.restype = c.c_char_p
        if self.library.gputide_abi_version() != 1:
            raise Failure("this script was written for ABI 1")

    def call(self, name, *arguments):
        err = sized(Error)
        if getattr(self.library, "gputide_" + name)(*arguments, c.byref(err)) != 0:
            raise Failure(f"{err.where.decode()}: {err.message.decode()}")

    def limit(self, decision):
        return self.library.gputide_limit_name(decision.limited_by).decode()


def from_numbers(tide):
    text = b"""{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},
        "spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,
        "triggers":[{"type":"values","metadata":{"threshold":"5"}}]}}"""
    policy, state, decision = c.c_void_p(), c.c_void_p(), sized(Decision)
    busy = sized(Sample, state=SAMPLE_OK, value=42.5)
    seen = sized(Observation, now_ms=1795255200000, current_replicas=3, samples=c.pointer(busy), sample_count=1,
                 sample_size=c.sizeof(Sample))
    tide.call("policy_open", text, c.c_int64(TEXT), None, c.byref(policy))
    tide.call("state_new", policy, c.c_int64(0), c.byref(state))
    tide.call("decide", policy, state, c.byref(seen), c.byref(decision), None)
    print(f"{decision.current_replicas} -> {decision.desired_replicas}, proposed {decision.proposed_replicas}, "
          f"limited by {tide.limit(decision)}")
    tide.library.gputide_state_free(state)
    tide.library.gputide_policy_free(policy)


def from_manifest(tide, path, replicas):
    with open(path, "rb") as file:
        text = file.read()
    scaler, decision, report = c.c_void_p(), sized(Decision), Text()
    options = sized(Options, flags=ALLOW_ENVIRONMENT, text_name=path.encode())
    seen = sized(Observation, now_ms=int(time.time() * 1000), current_replicas=replicas)
    tide.call("scaler_open", text, c.c_int64(len(text)), c.byref(options), c.byref(scaler))
    tide.call("scaler_tick", scaler, c.byref(seen), 5000, None, c.byref(decision), c.byref(report))
    print(c.string_at(report.data, report.size_bytes).decode())
    tide.library.gputide_text_free(c.byref(report))
    tide.library.gputide_scaler_free(scaler)


def main(arguments):
    if len(arguments) not in (2, 4):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        tide = Gputide(arguments[1])
        if len(arguments) == 2:
            from_numbers(tide)
        else:
            from_manifest(tide, arguments[2], int(arguments[3]))
    except Failure as failed:
        print(failed, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
