"""The call table of Java: a method of the C function's name in camel case."""

from __future__ import annotations

from model import Call, Language, camel, flags, results, table

_READ = {
    "text": "text",
    "word": "word",
    "time": "time",
    "timeout": "duration",
    "duration": "duration",
    "real": "real",
    "reals": "reals",
}
_OWN = ("options", "observation", "samples", "times", "integers", "truth")
_LONG = ("int64", "uint64")
_CLASSES = {"runtime": "ScalerRuntime", "event": "ScaleEvent"}

_EXPRESSIONS = {
    "version": "Gputide.version()",
    "abi.version": "Gputide.ABI_VERSION",
    "features": "Gputide.features().stream().mapToInt(feature -> 1 << feature.ordinal()).sum()",
    "token.claims": "Token.claims($token)",
    "quantity": 'Gputide.quantity(c.word("text"))',
    "policy.metric_count": "c.handle(Policy.class).metrics().size()",
    "policy.metric_name": "at(c.handle(Policy.class).metrics(), $metric)",
    "state.new": "c.handle(Policy.class).newState($created_ms)",
    "state.load": "$flags == 0 ? c.handle(Policy.class).loadState($text) : "
    'c.handle(Policy.class).loadDescribedState(c.word("text"))',
    "decide": "c.handle(State.class).decide($seen)",
    "decide.values": 'c.handle(State.class).decide(c.number("now_ms"), $current_replicas, $values)',
    "manifest.check": "Gputide.check($manifest, $options)",
    "doctor": 'Gputide.doctor($manifest, $options, c.has("seen") ? $seen : null, $timeout_ms)',
    "reason.name": "new Reason($reason).toString()",
    "report.render": 'Gputide.renderReport(c.word("report"))',
    "cluster.detach": "c.handle(ScalerRuntime.class).detachCluster($timeout_ms)",
    "cluster.describe": "c.handle(ScalerRuntime.class).describeCluster()",
    "runtime.new": "ScalerRuntime.create(c.runtimeOptions())",
    "runtime.replace": "c.replace()",
    "cluster.attach": 'c.handle(ScalerRuntime.class).attachCluster(c.word("settings"), $options)',
    "series.new": "Series.create()",
    "series.read": "c.readSeries()",
    "replay.open": 'Replay.open($manifest, $options, c.has("settings") ? $settings : null)',
    "replay.record": 'c.has("replicas") ? c.handle(Replay.class).record($time_ms, $samples, $replicas)'
    " : c.handle(Replay.class).record($time_ms, $samples)",
    "forecast.charge": "c.handle(Forecast.class)"
    '.charge(c.has("floor") ? c.named("floor", Floor.class).replicas() : $written_replicas, $shadow_replicas)',
    "nodes.plan": "NodesPlan.of($text, $state, $now_ms)",
    "rightsize.add": "c.handle(Rightsize.class).add(c.usage())",
    "scaled.job_decide": "Jobs.decide($text, $seen, $options)",
}


def _class(name: str) -> str:
    return _CLASSES.get(name) or camel(f"_{name}")


def _argument(name: str, kind: str) -> str:
    if kind.startswith("handle:"):
        return f'c.named("{name}", {_class(kind.removeprefix("handle:"))}.class)'
    if kind == "decision":
        return "c.decision()"
    method = kind if kind in _OWN else _READ.get(kind) or ("number" if kind in _LONG else "small")
    return f'c.{method}("{name}")'


def _method(call: Call, arguments: list[str]) -> str:
    name = camel(call.name.split(".")[-1])
    given = ", ".join(arguments)
    if call.name.endswith("name") and call.values:
        number = call.name.removesuffix("name").rstrip("_.").replace(".", "_")
        return f"{_class(number)}.of({given}).toString()"
    if call.receiver:
        return f"c.handle({_class(call.receiver)}.class).{name}({given})"
    return (
        f"{_class(call.name.split('.')[0]) if name == 'open' else 'Gputide'}.{name if name == 'open' else _name(call)}({given})"
    )


def _name(call: Call) -> str:
    return camel(call.name.replace(".", "_"))


def _entry(call: Call, expression: str) -> str:
    receiver = f'"{call.receiver}"' if call.receiver else "null"
    if not call.results:
        return f'        does("{call.name}", {receiver}, c -> {expression});'
    return f'        gives("{call.name}", {receiver}, "{call.member}", c -> {expression});'


def lines() -> list[str]:
    return [
        "import io.gputide.*;",
        "import java.util.Map;",
        "",
        "final class Calls extends CallTable {",
        f'    static final String OPTION_FLAGS = "{flags("option")}";',
        f'    static final String RUNTIME_FLAGS = "{flags("runtime_flag")}";',
        "    static final Map<Class<?>, String> MEMBERS = Map.of(",
        ",\n".join(f'            {kind}.class, "{text}"' for kind, text in results().items()) + ");",
        "",
        "    Calls() {",
        *table(Language(_argument, _method, _EXPRESSIONS, _entry)),
        "    }",
        "}",
    ]
