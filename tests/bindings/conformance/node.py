"""The call table of Node: a method of the C function's name in camel case; now and timeout are members of an object."""

from __future__ import annotations

from model import Call, Language, camel, flags, table

_OWN = ("options", "runtime_options", "observation", "samples", "usage_sample", "reals", "times", "integers")
_READ = {"text": "text", "word": "text", "real": "real", "truth": "truth"}
_IN_OBJECT = {"now_ms": "now", "timeout_ms": "timeout", "container": "container"}
_SEEN = "{ options: $options, observation: c.has('seen') ? $seen : undefined, timeout: $timeout_ms }"

_EXPRESSIONS = {
    "version": "gputide.libraryVersion()",
    "abi.version": "gputide.ABI_VERSION",
    "features": "featureBits()",
    "source.request": "c.handle('source').request($now_ms)",
    "source.parse_all": "c.handle('source').parseAll($http_status, $body, $headers)",
    "policy.metric_count": "c.handle('policy').metrics.length",
    "policy.metric_name": "c.handle('policy').metrics[$metric]",
    "state.load": "c.handle('policy').loadState($text, { unchecked: $flags !== 0 })",
    "state.new": "c.handle('policy').newState($created_ms)",
    "decide": "c.handle('state').decide($seen, { report: c.reports })",
    "decide.values": "c.handle('state').decide({ current: $current_replicas, samples: $values, now: $now_ms })",
    "scaler.tick": "c.handle('scaler').tick($seen, { timeout: $timeout_ms, report: c.reports })",
    "manifest.check": "gputide.checkManifest($manifest, $options)",
    "doctor": f"gputide.doctor($manifest, {_SEEN})",
    "runtime.add": "c.handle('runtime').add($manifest, { ...$options, tag: $tag })",
    "runtime.replace": "c.handle('runtime').replace($id, $manifest, { ...$options, tag: c.has('tag') ? $tag : undefined })",
    "cluster.attach": "c.handle('runtime').attachCluster($settings, $options)",
    "cluster.detach": "c.handle('runtime').detachCluster({ timeout: $timeout_ms })",
    "cluster.describe": "c.handle('runtime').describeCluster()",
    "report.render": "gputide.renderReport($report)",
    "runtime.step": "c.handle('runtime').step($now_ms)",
    "runtime.record": "c.handle('runtime').recordDecision($id, $decision, $applied, $now_ms, c.arguments.message)",
    "series.read": "c.handle('series').read($text, { metric: noMetric($metric), scaler: $scaler || null })",
    "series.fetch": "c.handle('series').fetch($scaler, "
    "{ metric: $metric, from: $from_ms, to: $to_ms, step: $step_ms, timeout: $timeout_ms })",
    "replay.open": "new gputide.Replay($manifest, { ...$options, settings: $settings || null })",
    "replay.record": "c.handle('replay').record($time_ms, $samples, c.has('replicas') ? { replicas: $replicas } : undefined)",
    "forecast.open": "new gputide.Forecast($settings || null)",
    "forecast.add": "c.handle('forecast').add($now_ms, $load)",
    "forecast.floor": "c.handle('forecast').floor($target, "
    "{ reactiveReplicas: $reactive_replicas, currentReplicas: $current_replicas, maxReplicas: $max_replicas })",
    "forecast.charge": "c.handle('forecast')"
    ".charge(c.has('floor') ? c.handle('floor').replicas : $written_replicas, $shadow_replicas)",
    "nodes.plan": "gputide.planNodes($text, { state: $state || null, now: $now_ms })",
    "scaled.job_decide": "gputide.decideScaledJob($text, $seen, $options)",
}


def _argument(name: str, kind: str) -> str:
    if kind.startswith("handle:") or kind == "decision":
        return f"c.handle('{name}')"
    if kind in _OWN:
        return f"c.{camel(kind)}('{name}')"
    return f"c.{_READ.get(kind, 'integer')}('{name}')"


def _method(call: Call, arguments: list[str]) -> str:
    name = camel(call.name.split(".")[-1])
    given = dict(zip(call.values, arguments))
    if call.name.endswith("name") and call.values:
        return f"word('{call.name.replace('.', '_')}', {arguments[0]})"
    if call.results.get("decision") == "recorded":
        return f"c.handle('{call.receiver}').{name}({', '.join(arguments)}, c.arguments.message)"
    inside = ", ".join(f"{member}: {given.pop(key)}" for key, member in _IN_OBJECT.items() if key in given)
    written = ", ".join([*given.values(), *([f"{{ {inside} }}"] if inside else [])])
    if call.receiver:
        return f"c.handle('{call.receiver}').{name}({written})"
    if call.results == {"as": "handle"}:
        return f"new gputide.{call.name.split('.')[0].capitalize()}({written})"
    return f"gputide.{camel(call.name.replace('.', '_'))}({written})"


def _entry(call: Call, expression: str) -> str:
    return f"  '{call.name}': [(c) => {expression}, '{call.member}'],"


def lines() -> list[str]:
    names = {"OPTION_FLAGS": flags("option"), "RUNTIME_FLAGS": flags("runtime_flag"), "FEATURES": flags("feature")}
    lists = [f"exports.{name} = '{text}';" for name, text in names.items()]
    head = "exports.calls = (gputide, { word, featureBits, noMetric }) => ({"
    return ["'use strict';", "", *lists, head, *table(Language(_argument, _method, _EXPRESSIONS, _entry)), "});"]
