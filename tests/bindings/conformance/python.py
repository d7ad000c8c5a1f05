"""The call table of Python: a method of the C function's name, with now= and timeout= as keywords."""

from __future__ import annotations

from model import Call, Language, flags, members, table

_READ = {
    "text": "text",
    "word": "word",
    "timeout": "seconds",
    "duration": "seconds",
    "real": "real",
    "truth": "truth",
    "decision": "decision",
}
_OWN = ("options", "runtime_options", "observation", "samples", "usage_sample", "reals", "times", "integers")
_KEYWORDS = {"now_ms": "now=", "timeout_ms": "timeout="}

_EXPRESSIONS = {
    "version": "gputide.library_version()",
    "abi.version": "gputide.ABI_VERSION",
    "features": "feature_bits()",
    "build.info": "gputide.build_info()",
    "source.parse_all": "c.handle('source').parse_all($http_status, $body, $headers)",
    "policy.metric_count": "len(c.handle('policy').metrics)",
    "policy.metric_name": "at(c.handle('policy').metrics, $metric)",
    "state.new": "c.handle('policy').new_state($created_ms)",
    "state.load": "c.handle('policy').load_state($text, unchecked=$flags != 0)",
    "decide": "c.handle('state').decide($seen, report=c.reports)",
    "decide.values": "c.handle('state').decide(now=$now_ms, current=$current_replicas, samples=$values)",
    "scaler.tick": "c.handle('scaler').tick($seen, timeout=$timeout_ms, report=c.reports)",
    "manifest.check": "gputide.check_manifest($manifest, $options)",
    "doctor": "gputide.doctor($manifest, $options, observation=$seen if 'seen' in c else None, timeout=$timeout_ms)",
    "runtime.add": "c.handle('runtime').add($manifest, $options, tag=$tag)",
    "runtime.replace": "c.handle('runtime').replace($id, $manifest, $options, tag=$tag if 'tag' in c else None)",
    "cluster.attach": "c.handle('runtime').attach_cluster($settings, $options)",
    "cluster.detach": "c.handle('runtime').detach_cluster(timeout=$timeout_ms)",
    "cluster.describe": "c.handle('runtime').describe_cluster()",
    "reason.name": "str(gputide.Reason($reason))",
    "report.render": "gputide.render_report($report)",
    "runtime.step": "c.handle('runtime').step($now_ms)",
    "runtime.close": "c.handle('runtime').close($timeout_ms)",
    "series.read": "c.handle('series').read($text, no_metric($metric), $scaler or None)",
    "series.fetch": "c.handle('series').fetch($scaler, $metric, $from_ms, $to_ms, $step_ms, timeout=$timeout_ms)",
    "replay.open": "gputide.Replay($manifest, $options, $settings)",
    "replay.record": "c.handle('replay').record($time_ms, $samples, replicas=$replicas if 'replicas' in c else None)",
    "forecast.floor": "c.handle('forecast').floor($target, "
    "reactive_replicas=$reactive_replicas, current_replicas=$current_replicas, max_replicas=$max_replicas)",
    "forecast.add": "c.handle('forecast').add($now_ms, $load)",
    "forecast.charge": "c.handle('forecast')"
    ".charge(c.handle('floor').replicas if 'floor' in c else $written_replicas, $shadow_replicas)",
    "rightsize.recommend": "c.handle('rightsize').recommend($now_ms, container=$container)",
    "rightsize.save": "c.handle('rightsize').save($now_ms, container=$container)",
    "rightsize.load": "c.handle('rightsize').load($text, container=$container)",
    "nodes.plan": "gputide.plan_nodes($text, $state, now=$now_ms)",
    "scaled.job_decide": "gputide.decide_scaled_job($text, $seen, $options)",
}


def _argument(name: str, kind: str) -> str:
    if kind.startswith("handle:") or kind == "decision":
        return f"c.handle({name!r})"
    if kind in _OWN:
        return f"c.{kind}({name!r})"
    return f"c.{_READ.get(kind, 'integer')}({name!r})"


def _method(call: Call, arguments: list[str]) -> str:
    name = call.name.split(".")[-1]
    given = ", ".join(_KEYWORDS.get(value, "") + text for value, text in zip(call.values, arguments))
    if call.name.endswith("name") and call.values:
        return f"str(gputide.numbers.{_number(call)}({given}))"
    if call.results.get("decision") == "recorded":
        given = given.replace("c.truth", "applied=c.truth") + ", message=c.word('message')"
    if call.receiver:
        return f"c.handle({call.receiver!r}).{name}({given})"
    if call.results == {"as": "handle"}:
        return f"gputide.{call.name.split('.')[0].capitalize()}({given})"
    return f"gputide.{call.name.replace('.', '_')}({given})"


def _number(call: Call) -> str:
    name = call.name.replace(".", "_").removesuffix("_name")
    return {"event": "ScaleEvent"}.get(name, "".join(part.capitalize() for part in name.split("_")))


def _entry(call: Call, expression: str) -> str:
    return f'    "{call.name}": (lambda c: {expression}, "{call.member}"),'


def lines() -> list[str]:
    language = Language(_argument, _method, _EXPRESSIONS, _entry)
    names = {"OPTION_FLAGS": flags("option"), "RUNTIME_FLAGS": flags("runtime_flag"), "FEATURES": flags("feature")}
    lists = {**names, "SUMMARY": members("nodes_summary")}
    return [*(f"{name} = {text.split()}" for name, text in lists.items()), "CALLS = {", *table(language), "}"]
