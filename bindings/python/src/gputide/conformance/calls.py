"""Each call of protocol 1 as a user of this package would write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import gputide
from gputide import numbers

from . import values

if TYPE_CHECKING:
    from .case import Call

CALLS: dict[str, Callable[[Call], None]] = {}


def call(name: str) -> Callable[[Callable[[Call], None]], Callable[[Call], None]]:
    """Registers a call under its C function's name without gputide_, the first underscore a dot."""

    def register(function: Callable[[Call], None]) -> Callable[[Call], None]:
        CALLS[name] = function
        return function

    return register


def _gives(name: str, member: str, value: Callable[[Call], Any]) -> None:
    """A call whose result is one member."""

    def run(one: Call) -> None:
        one.result[member] = value(one)

    CALLS[name] = run


def _opens(name: str, make: Callable[[Call], Any]) -> None:
    """A call that opens a handle."""
    CALLS[name] = lambda one: one.opens(lambda: make(one))


def _does(name: str, act: Callable[[Call], None]) -> None:
    CALLS[name] = act


def _release_number() -> int:
    major, minor, patch = map(int, gputide.library_version().split("."))
    return major * 1_000_000 + minor * 1_000 + patch


def _feature_bits() -> int:
    return sum(1 << bit for bit, name in enumerate(("yaml", "http2")) if name in gputide.features())


# ---- 1 version, 2 names
_gives("version", "version", lambda one: gputide.library_version())
_gives("version.number", "number", lambda one: _release_number())
_gives("abi.version", "number", lambda one: gputide.ABI_VERSION)
_gives("features", "features", lambda one: _feature_bits())
_gives("build.info", "json", lambda one: gputide.build_info())
_gives("status.name", "name", lambda one: str(numbers.Status(one.integer("status"))))
_gives("action.name", "name", lambda one: str(numbers.Action(one.integer("action"))))
_gives("sample.state_name", "name", lambda one: str(numbers.SampleState(one.integer("state"))))
_gives("limit.name", "name", lambda one: str(numbers.Limit(one.integer("limit"))))
_gives("condition.name", "name", lambda one: str(numbers.Condition(one.integer("condition"))))
_gives("reason.name", "name", lambda one: str(numbers.Reason(one.integer("reason"))))
_gives("event.name", "name", lambda one: str(numbers.ScaleEvent(one.integer("event"))))
_gives("event.kind_name", "name", lambda one: str(numbers.EventKind(one.integer("kind"))))

# ---- 4 credential
_opens("credential.open", lambda one: gputide.Credential(one.text("text"), one.options()))
_does(
    "credential.invalidate",
    lambda one: one.handle("credential", gputide.Credential).invalidate(one.word("scope"), one.text("token")),
)
_gives("token.claims", "json", lambda one: gputide.token_claims(one.text("token")))


@call("credential.token")
def _token(one: Call) -> None:
    credential = one.handle("credential", gputide.Credential)
    token = credential.token(one.word("scope"), timeout=one.seconds("timeout_ms"))
    one.result["token"] = token.value
    one.result["info"] = {
        "expires_at_ms": values.out_integer(token.expires_ms),
        "refresh_at_ms": values.out_integer(token.refresh_ms),
        "usable_until_ms": values.out_integer(token.usable_until_ms),
    }


# ---- 5 source
def _source(one: Call) -> gputide.Source:
    return one.handle("source", gputide.Source)


def _samples(one: Call) -> gputide.Samples:
    return one.handle("samples", gputide.Samples)


def _read(one: Call, read: Callable[[], gputide.Sample]) -> None:
    """A failed read gives its sample beside the error."""
    try:
        one.result["sample"] = values.sample(read())
    except gputide.Error as error:
        sample = getattr(error, "sample", None)
        if sample is not None:
            one.result["sample"] = values.sample(sample)
        raise


_opens("source.open", lambda one: gputide.Source(one.text("text"), one.options()))
_opens(
    "source.fetch_all",
    lambda one: _source(one).fetch_all(now=one.integer("now_ms"), timeout=one.seconds("timeout_ms")),
)
_opens(
    "source.parse_all",
    lambda one: _source(one).parse_all(one.integer("http_status"), one.text("body"), one.text("headers")),
)
_gives("source.request", "json", lambda one: _source(one).request(now=one.integer("now_ms")))
_gives("source.describe", "json", lambda one: _source(one).describe())
_gives("samples.count", "count", lambda one: len(_samples(one)))
_gives("samples.get", "sample", lambda one: values.sample(_samples(one).sample(one.integer("index"))))
_gives("samples.labels", "labels", lambda one: _samples(one).labels(one.integer("index")))
_gives("samples.describe", "json", lambda one: _samples(one).describe())
_gives("quantity", "milli", lambda one: values.out_integer(gputide.quantity(one.text("text"))))


@call("source.fetch")
def _fetch(one: Call) -> None:
    source = _source(one)
    _read(one, lambda: source.fetch(now=one.integer("now_ms"), timeout=one.seconds("timeout_ms")))


@call("source.parse")
def _parse(one: Call) -> None:
    source = _source(one)
    _read(one, lambda: source.parse(one.integer("http_status"), one.text("body")))


# ---- 6 policy and state, 7 decide
def _state(one: Call) -> gputide.State:
    return one.handle("state", gputide.State)


def _decision(one: Call) -> gputide.Decision:
    return one.handle("decision", gputide.Decision)


def _metric_name(metrics: tuple[str, ...], index: int) -> Any:
    return metrics[index] if index < len(metrics) else None


_opens("policy.open", lambda one: gputide.Policy(one.text("text"), one.options()))
_gives("policy.metric_count", "count", lambda one: len(one.policy().metrics))
_gives("policy.metric_name", "name", lambda one: _metric_name(one.policy().metrics, one.integer("index")))
_gives("policy.describe", "json", lambda one: one.policy().describe())
_gives("state.save", "text", lambda one: _state(one).save())
_gives("state.describe", "json", lambda one: _state(one).describe())
_gives("trace.render", "lines", lambda one: gputide.render(one.word("report")))
_does("decide", lambda one: one.decided(_state(one).decide(one.seen(), report=one.flag("report"))))


@call("state.new")
def _new_state(one: Call) -> None:
    one.opens(lambda: one.policy().new_state(one.integer("created_ms")))
    one.case.policies[one.arguments["as"]] = one.arguments["policy"]


@call("state.clone")
def _clone_state(one: Call) -> None:
    one.opens(_state(one).clone)
    one.case.policies[one.arguments["as"]] = one.case.policies[one.arguments["state"]]


@call("state.load")
def _load_state(one: Call) -> None:
    one.opens(lambda: one.policy().load_state(one.text("text"), unchecked=bool(one.integer("flags"))))
    one.case.policies[one.arguments["as"]] = one.arguments["policy"]


@call("decide.values")
def _decide_values(one: Call) -> None:
    numbers_now = [values.real(value) for value in one.arguments.get("values", [])]
    now, current = one.integer("now_ms"), one.integer("current_replicas")
    one.decided(_state(one).decide(current=current, samples=numbers_now, now=now))


@call("state.record")
def _record(one: Call) -> None:
    decision = _decision(one)
    _state(one).record(decision, applied=bool(one.integer("applied")), now=one.integer("now_ms"))
    one.result["decision"] = values.decision(decision)


# ---- 8 scaler
def _scaler(one: Call) -> gputide.Scaler:
    return one.handle("scaler", gputide.Scaler)


_opens("scaler.open", lambda one: gputide.Scaler(one.text("manifest"), one.options()))
_does(
    "scaler.tick",
    lambda one: one.decided(_scaler(one).tick(one.seen(), timeout=one.seconds("timeout_ms"), report=one.flag("report"))),
)
_does("scaler.decide", lambda one: one.decided(_scaler(one).decide(one.seen(), report=one.flag("report"))))
_gives(
    "scaler.fetch",
    "samples",
    lambda one: [
        values.sample(sample) for sample in _scaler(one).fetch(now=one.integer("now_ms"), timeout=one.seconds("timeout_ms"))
    ],
)
_gives("scaler.metric_count", "count", lambda one: len(_scaler(one).metrics))
_gives("scaler.metric_name", "name", lambda one: _metric_name(_scaler(one).metrics, one.integer("index")))
_gives("scaler.conditions", "json", lambda one: _scaler(one).conditions())
_gives("scaler.metrics", "json", lambda one: _scaler(one).last_metrics())
_gives("scaler.describe", "json", lambda one: _scaler(one).describe())
_gives("scaler.save", "text", lambda one: _scaler(one).save())
_does("scaler.load", lambda one: _scaler(one).load(one.text("text")))


@call("manifest.check")
def _check(one: Call) -> None:
    findings = gputide.check_manifest(one.text("manifest"), one.options())
    if findings.report:
        one.result.update(report=findings.report, lines=findings.lines)
    if findings.error is not None:
        raise findings.error


@call("scaler.record")
def _record_scaler(one: Call) -> None:
    decision = _decision(one)
    _scaler(one).record(decision, applied=bool(one.integer("applied")), now=one.integer("now_ms"))
    one.result["decision"] = values.decision(decision)


@call("doctor")
def _doctor(one: Call) -> None:
    seen = one.seen() if "seen" in one.arguments else None
    found = gputide.doctor(one.text("manifest"), one.options(), seen=seen, timeout=one.seconds("timeout_ms"))
    one.result.update(report=found.report, lines=found.lines)


# ---- 9 runtime
def _runtime(one: Call) -> gputide.Runtime:
    return one.handle("runtime", gputide.Runtime)


_opens("runtime.new", lambda one: gputide.Runtime(values.runtime_options(one.arguments.get("options", {}))))
_gives(
    "runtime.add",
    "id",
    lambda one: values.out_integer(_runtime(one).add(one.text("manifest"), one.options(), tag=one.integer("tag"))),
)
_does("runtime.remove", lambda one: _runtime(one).remove(one.integer("id")))
_gives("runtime.find", "id", lambda one: values.out_integer(_runtime(one).find(one.word("name"))))
_gives("runtime.next_scaler", "id", lambda one: values.out_integer(_runtime(one).next_scaler(one.integer("after_id"))))
_does("runtime.observe", lambda one: _runtime(one).observe(one.integer("id"), one.seen()))
_does("runtime.push", lambda one: _runtime(one).push(one.integer("id"), values.samples(one.arguments["samples"])))
_gives("runtime.save", "text", lambda one: _runtime(one).save(one.integer("id")))
_does("runtime.load", lambda one: _runtime(one).load(one.integer("id"), one.text("text")))
_gives("runtime.describe", "json", lambda one: _runtime(one).describe(one.integer("id")))
_gives("runtime.stats", "json", lambda one: _runtime(one).stats())
_does("runtime.attach_cluster", lambda one: _runtime(one).attach_cluster(one.text("settings"), one.options()))
_does("runtime.detach_cluster", lambda one: _runtime(one).detach_cluster(timeout=one.seconds("timeout_ms")))
_gives("runtime.describe_cluster", "json", lambda one: _runtime(one).describe_cluster())
_does("runtime.start", lambda one: _runtime(one).start())
_does("runtime.stop", lambda one: _runtime(one).stop(timeout=one.seconds("timeout_ms")))
_does("runtime.close", lambda one: _runtime(one).close(one.seconds("timeout_ms")))
_gives("runtime.wake_fd", "fd", lambda one: _runtime(one).wake_fd())


@call("runtime.replace")
def _replace(one: Call) -> None:
    tag = one.integer("tag") if "tag" in one.arguments else None
    _runtime(one).replace(one.integer("id"), one.text("manifest"), one.options(), tag=tag)


@call("runtime.next_event")
def _next_event(one: Call) -> None:
    event = _runtime(one).next_event(timeout=one.seconds("timeout_ms"))
    if event is None:
        one.result["error"] = values.error_of(numbers.Status.NO_DATA, "no event came in time")
        return
    one.result["event"] = values.event(event)
    one.decided(event.decision)
    if event.report is not None:
        one.result["report"] = event.report


@call("runtime.record")
def _record_runtime(one: Call) -> None:
    decision = _decision(one)
    applied, now = bool(one.integer("applied")), one.integer("now_ms")
    _runtime(one).record(one.integer("id"), decision, applied=applied, now=now)
    one.result["decision"] = values.decision(decision)


@call("runtime.step")
def _step(one: Call) -> None:
    next_ms = _runtime(one).step(one.integer("now_ms"))
    one.result["next_ms"] = values.out_integer(2**63 - 1 if next_ms is None else next_ms)


# ---- 13 nodes
@call("nodes.plan")
def _plan_nodes(one: Call) -> None:
    plan = gputide.plan_nodes(one.text("text"), one.text("state"), now=one.integer("now_ms"))
    counts = ("nodes_to_add", "nodes_to_remove", "pods_pending", "pods_on_existing", "pods_on_new", "pods_left")
    summary = {name: getattr(plan, name) for name in ("errors", "warnings")}
    summary.update({name: values.out_integer(getattr(plan, name)) for name in counts})
    one.result.update(summary=summary, json=plan.json, state=plan.state)


# ---- 15 jobs
@call("jobs.decide")
def _decide_jobs(one: Call) -> None:
    one.result["decision"] = gputide.decide_jobs(one.text("text"), one.text("seen"), one.options())


# ---- 10 replay
def _series(one: Call) -> gputide.Series:
    return one.handle("series", gputide.Series)


def _replay(one: Call) -> gputide.Replay:
    return one.handle("replay", gputide.Replay)


_opens("series.new", lambda one: gputide.Series())
_gives("series.write", "csv", lambda one: _series(one).write())
_gives("series.describe", "json", lambda one: _series(one).describe())
_opens("replay.open", lambda one: gputide.Replay(one.text("manifest"), one.options(), one.text("settings")))
_does("replay.run", lambda one: _replay(one).run(_series(one)))
_gives("replay.report", "json", lambda one: _replay(one).report())


@call("series.add")
def _add(one: Call) -> None:
    times = [values.integer(time) for time in one.arguments["times_ms"]]
    _series(one).add(one.integer("metric"), times, [values.real(value) for value in one.arguments["values"]])


@call("series.add_replicas")
def _add_replicas(one: Call) -> None:
    times = [values.integer(time) for time in one.arguments["times_ms"]]
    _series(one).add_replicas(times, [values.integer(value) for value in one.arguments["replicas"]])


@call("series.read")
def _read_series(one: Call) -> None:
    metric = one.integer("metric")
    chosen = None if metric == 2**32 - 1 else metric
    _series(one).read(one.text("text"), chosen, one.word("scaler") or None)


@call("series.fetch")
def _fetch_series(one: Call) -> None:
    start, end = one.integer("from_ms"), one.integer("to_ms")
    timeout = one.seconds("timeout_ms")
    _series(one).fetch(_scaler(one), one.integer("metric"), start, end, one.seconds("step_ms"), timeout=timeout)


@call("replay.record")
def _record_moment(one: Call) -> None:
    replicas = one.integer("replicas") if "replicas" in one.arguments else None
    given = values.samples(one.arguments.get("samples", []))
    one.result["decision"] = values.decision(_replay(one).record(one.integer("time_ms"), given, replicas=replicas))


# ---- 12 forecast
def _forecast(one: Call) -> gputide.Forecast:
    return one.handle("forecast", gputide.Forecast)


_opens("forecast.open", lambda one: gputide.Forecast(one.text("settings")))
_does("forecast.step", lambda one: _forecast(one).step(one.integer("now_ms"), values.real(one.arguments["load"])))
_gives("forecast.describe", "json", lambda one: _forecast(one).describe())
_gives("forecast.save", "text", lambda one: _forecast(one).save())
_does("forecast.load", lambda one: _forecast(one).load(one.text("text")))


@call("forecast.ask")
def _ask(one: Call) -> None:
    names = ("reactive_replicas", "current_replicas", "max_replicas")
    floor = _forecast(one).ask(values.real(one.arguments["target"]), **{name: one.integer(name) for name in names})
    if "as" in one.arguments:
        one.case.keep(one.arguments["as"], floor)
    one.result["floor"] = values.floor(floor)


@call("forecast.book")
def _book(one: Call) -> None:
    written = one.handle("floor", gputide.Floor).replicas if "floor" in one.arguments else one.integer("written_replicas")
    _forecast(one).book(written, one.integer("shadow_replicas"))


# ---- 14 rightsize
def _rightsize(one: Call) -> gputide.Rightsize:
    return one.handle("rightsize", gputide.Rightsize)


def _container(one: Call) -> int:
    return one.integer("container")


_opens("rightsize.open", lambda one: gputide.Rightsize(one.text("settings"), one.options()))
_gives("rightsize.describe", "json", lambda one: _rightsize(one).describe())
_gives("rightsize.container", "number", lambda one: _rightsize(one).container(one.word("name")))
_gives("rightsize.add", "taken", lambda one: _rightsize(one).add(values.usage(one.arguments["samples"])))
_gives(
    "rightsize.recommend",
    "json",
    lambda one: _rightsize(one).recommend(one.integer("now_ms"), container=_container(one)),
)
_gives(
    "rightsize.fit",
    "json",
    lambda one: _rightsize(one).fit(one.integer("memory_bytes"), values.real(one.arguments["util_percent"])),
)
_gives("rightsize.save", "text", lambda one: _rightsize(one).save(one.integer("now_ms"), container=_container(one)))
_does("rightsize.load", lambda one: _rightsize(one).load(one.text("text"), container=_container(one)))
