"""The call table of C#: a method of the C function's name in Pascal case."""

from __future__ import annotations

from model import Call, Language, camel, flags, members, results, table

_READ = {
    "text": "c.Text({})",
    "word": "c.Word({})",
    "time": "c.Time({})",
    "timeout": "c.Span({})",
    "duration": "c.Span({})",
    "real": "c.Real({})",
    "reals": "c.Reals({})",
    "times": "c.Integers({})",
    "integers": "Array.ConvertAll(c.Integers({}), number => (int) number)",
    "truth": "c.Truth({})",
    "options": "c.Options({})",
    "runtime_options": "c.RuntimeOptions({})",
    "observation": "c.Observation({})",
    "samples": "c.Samples({})",
    "usage_sample": "c.UsageSamples({})",
    "int64": "(long) c.Number({})",
    "uint64": "(ulong) c.Number({})",
    "int32": "(int) c.Small({})",
    "uint32": "(uint) c.Small({})",
    "sample_state": "(int) c.Small({})",
    "status": "(int) c.Small({})",
    "action": "(int) c.Small({})",
}
_CLASSES = {"runtime": "ScalerRuntime", "event": "ScaleEvent", "action": "NextAction"}
_EXPRESSIONS = {
    "version": "Library.Version",
    "abi.version": "Library.AbiVersion",
    "features": "FeatureBits()",
    "build.info": "Library.BuildInfo()",
    "token.claims": "Token.Claims($token)",
    "quantity": "Library.Quantity($text)",
    "policy.metric_count": "c.Handle<Policy>().Metrics.Count",
    "policy.metric_name": "At(c.Handle<Policy>().Metrics, $metric)",
    "state.new": "c.Handle<Policy>().NewState($created_ms)",
    "state.load": "c.Handle<Policy>().LoadState($text, $flags != 0)",
    "decide": "c.Handle<State>().Decide($seen, c.HasReport)",
    "decide.values": "c.Handle<State>().Decide($now_ms, $current_replicas, $values)",
    "scaler.tick": "c.Handle<Scaler>().Tick($seen, $timeout_ms, default(CancellationToken), c.HasReport)",
    "manifest.check": "Manifest.Check($manifest, $options)",
    "doctor": 'Manifest.Doctor($manifest, $options, c.Has("seen") ? $seen : null, $timeout_ms)',
    "reason.name": "new Reason($reason).ToString()",
    "report.render": "Decision.RenderReport($report)",
    "cluster.attach": "c.Handle<ScalerRuntime>().AttachCluster($settings, $options)",
    "cluster.detach": "c.Handle<ScalerRuntime>().DetachCluster($timeout_ms)",
    "cluster.describe": "c.Handle<ScalerRuntime>().DescribeCluster()",
    "runtime.new": "new ScalerRuntime($options)",
    "runtime.replace": 'c.Handle<ScalerRuntime>().Replace($id, $manifest, $options, c.Has("tag") ? $tag : (ulong?) null)',
    "series.new": "new Series()",
    "series.read": "c.Handle<Series>().Read($text, $metric == -1 ? (int?) null : $metric, (string) c.Given(\"scaler\"))",
    "replay.record": 'c.Handle<Replay>().Record($time_ms, $samples, c.Has("replicas") ? $replicas : (int?) null)',
    "forecast.charge": 'c.Handle<Forecast>().Charge(c.Has("floor") ? c.Named<Floor>("floor").Replicas : $written_replicas, '
    "$shadow_replicas)",
    "nodes.plan": "NodesPlan.Of($text, $state, $now_ms)",
    "scaled.job_decide": "Jobs.Decide($text, $seen, $options)",
}


def _class(name: str) -> str:
    return _CLASSES.get(name) or camel(f"_{name}")


def _argument(name: str, kind: str) -> str:
    if kind.startswith("handle:"):
        return f'c.Named<{_class(kind.removeprefix("handle:"))}>("{name}")'
    if kind == "decision":
        return 'c.Named<Decision>("decision")'
    return _READ[kind].format(f'"{name}"')


def _method(call: Call, arguments: list[str]) -> str:
    kind, _, name = call.name.partition(".")
    if call.name.endswith("name") and call.values:
        number = call.name.removesuffix("name").rstrip("_.").replace(".", "_")
        return f"(({_class(number)}) ({', '.join(arguments)})).Spelled()"
    given = ", ".join(arguments)
    if call.results.get("decision") == "recorded":
        given += ', (string) c.Given("message")'
    target = f"c.Handle<{_class(call.receiver)}>()" if call.receiver else _class(kind)
    return f"{target}.{_class(name)}({given})"


def _entry(call: Call, expression: str) -> str:
    receiver = f'"{call.receiver}"' if call.receiver else "null"
    if call.results:
        return f'        Gives("{call.name}", {receiver}, "{call.member}", c => {expression});'
    return f'        Does("{call.name}", {receiver}, c => {expression});'


def lines() -> list[str]:
    entries = table(Language(_argument, _method, _EXPRESSIONS, _entry))
    structs = {**results(), "GputideException": members("error")}
    names = [f'        Members.Add(typeof({kind}), "{text}");' for kind, text in structs.items()]
    return [
        "using System;",
        "using System.Threading;",
        "using Gputide;",
        "",
        "internal sealed class Calls : CallTable {",
        f'    internal const string OptionFlags = "{flags("option")}";',
        f'    internal const string RuntimeFlags = "{flags("runtime_flag")}";',
        f'    internal const string FeatureNames = "{flags("feature")}";',
        "",
        "    internal Calls() {",
        *names,
        *entries,
        "    }",
        "}",
    ]
