"""The call table of Rust: a method of the C function's name; a handle is borrowed for the call."""

from __future__ import annotations

from model import Call, Language, camel, table

_READ = {
    "text": "c.text({})?",
    "word": "&c.word({})?",
    "time": "c.time({})?",
    "timeout": "c.wait()?",
    "duration": "c.duration({})?",
    "truth": "c.truth({})?",
    "real": "c.real({})?",
    "reals": "&c.list({}, real)?",
    "options": "&c.options()?",
    "observation": "&c.observation()?",
    "samples": "&c.samples()?",
    "usage_sample": "&c.usage()?",
    "decision": "&mut c.decision()?.borrow_mut()",
}
_STATE = 'c.handle::<State>("state")?.borrow_mut()'
_SCALER = 'c.handle::<Scaler>("scaler")?.borrow_mut()'
_SERIES = 'c.handle::<Recorded>("series")?.borrow_mut().open()?'
_RUNTIME = 'c.handle::<Runtime>("runtime")?.borrow_mut()'
_SETTINGS = 'c.optional("settings")?.as_deref()'

# Without a Result of the crate: Ok::<_, Problem>(…).
_PLAIN = {
    "abi.version": "gputide::ABI_VERSION",
    "policy.metric_count": 'c.handle::<Policy>("policy")?.borrow().metrics().len()',
    "policy.metric_name": 'c.handle::<Policy>("policy")?.borrow().metrics().get(c.integer::<i32>("metric")? as usize).cloned()',
}
_EXPRESSIONS = {
    **{name: f"Ok::<_, Problem>({text})" for name, text in _PLAIN.items()},
    "features": "gputide::features().map(|found| found.bits())",
    "state.new": "c.new_state()",
    "state.load": "c.load_state()",
    "decide": f"{_STATE}.set_reports(c.reports()).decide($seen)",
    "decide.values": f"{_STATE}.decide_values($now_ms, $current_replicas, $values)",
    "scaler.tick": f"{_SCALER}.set_reports(c.reports()).tick($seen, $timeout_ms)",
    "scaler.record": f"{_SCALER}.record_at($decision, $applied, $now_ms)",
    "manifest.check": "gputide::check_manifest($manifest, $options)",
    "doctor": "gputide::doctor($manifest, $options, c.observation_if_any()?.as_ref(), $timeout_ms)",
    "report.render": "gputide::render_report($report)",
    "cluster.attach": f"{_RUNTIME}.attach_cluster($settings, $options)",
    "cluster.detach": f"{_RUNTIME}.detach_cluster($timeout_ms)",
    "cluster.describe": f"{_RUNTIME}.describe_cluster()",
    "runtime.new": "Runtime::with_options(&c.runtime_options()?)",
    "runtime.add": f"{_RUNTIME}.add_with($manifest, $options, $tag)",
    "runtime.replace": f'{_RUNTIME}.replace($id, $manifest, $options, c.optional_integer("tag")?)',
    "runtime.next_scaler": f'{_RUNTIME}.next_scaler(c.optional_integer::<u64>("after_id")?.map(Into::into))',
    "runtime.record": f"{_RUNTIME}.record_decision($id, $decision, $applied, $now_ms)",
    "runtime.wake_fd": f"{_RUNTIME}.wake_fd().map(|fd| std::os::fd::AsRawFd::as_raw_fd(&fd))",
    "series.new": "Series::new().map(|series| Recorded(Some(series)))",
    "series.add": f'{_SERIES}.add($metric, c.points("values", real)?)',
    "series.add_replicas": f'{_SERIES}.add_replicas(c.points("replicas", integer)?)',
    "series.read": f'{_SERIES}.read(c.metric()?, $text, c.optional("scaler")?.as_deref())',
    "series.fetch": f"{_SERIES}.fetch(&mut {_SCALER}, $metric, $from_ms..=$to_ms, $step_ms, $timeout_ms)",
    "replay.open": f"Replay::open($manifest, $options, {_SETTINGS})",
    "replay.run": "c.replay()",
    "replay.record": 'c.handle::<Replay>("replay")?.borrow_mut().record($time_ms, $samples, c.optional_integer("replicas")?)',
    "forecast.open": f"Forecast::open({_SETTINGS})",
    "forecast.charge": 'c.handle::<Forecast>("forecast")?.borrow_mut().charge(c.written()?, $shadow_replicas)',
    "nodes.plan": 'gputide::plan_nodes($text, c.optional("state")?.as_deref(), $now_ms)',
    "scaled.job_decide": "gputide::decide_scaled_job($text, $seen, $options)",
}


def _argument(name: str, kind: str) -> str:
    if name in ("id", "after_id"):
        return f'c.integer::<u64>("{name}")?.into()'
    return _READ.get(kind, "c.integer({})?").format(f'"{name}"')


def _method(call: Call, arguments: list[str]) -> str:
    kind, _, name = call.name.partition(".")
    given = ", ".join(arguments)
    if call.name.endswith("name") and call.values:
        number = call.name.removesuffix("name").rstrip("_.").replace(".", "_")
        return f'c.name::<gputide::{ {"event": "ScaleEvent"}.get(number) or camel("_" + number) }>("{call.values[0]}")'
    if call.receiver:
        borrowed = _SERIES if kind == "series" else f'c.handle::<{camel("_" + call.receiver)}>("{call.receiver}")?.borrow_mut()'
        return f"{borrowed}.{name or kind}({given})"
    if name == "open":
        return f"{camel('_' + kind)}::{'parse_with' if kind == 'policy' else 'open_with'}({given})"
    return f"gputide::{call.name.replace('.', '_')}({given})"


def _entry(call: Call, expression: str) -> str:
    member = '"decision"' if call.member == "recorded" else f'"{call.member}"'
    return f'    ("{call.name}", |c| {{\n        let given = {expression}?;\n        c.give({member}, given)\n    }}),'


def lines() -> list[str]:
    return ["pub const CALLS: &[(&str, Run)] = &[", *table(Language(_argument, _method, _EXPRESSIONS, _entry)), "];"]
