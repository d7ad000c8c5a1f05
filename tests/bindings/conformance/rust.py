"""The call table of Rust: a method of the C function's name; a handle is borrowed for the call."""

from __future__ import annotations

import json
import re

from model import ABI, Call, Language, camel, flags, members, table

_KEYWORDS = {"type", "where", "match", "ref", "move", "use"}
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


# Structs of results: their type, and the members that are not a method, or with "." a field, of the member's name.
_RESULTS = {
    "error": (
        "Error",
        {"status": "status().unwrap_or(gputide::Status::INVALID)", "retryable": "is_retryable()", "where": "place()"},
    ),
    "sample": ("Sample", {"flags": "is_null_as_zero()", "value": "value().unwrap_or(0.0)"}),
    "decision": ("Decision", {"forecast_need": "forecast_need().unwrap_or(-1)", "conditions": "all_conditions()"}),
    "condition": ("ConditionState.", {}),
    "floor": ("Floor.", {"need_replicas": "need_replicas.unwrap_or(-1)", "floor_load": "floor_load.unwrap_or(f64::NAN)"}),
    "event": ("Event", {}),
    "token_info": ("Token", {}),
    "nodes_summary": ("NodesPlan.", {}),
}
_LIST = ".split(',')"
_OPTIONS = {"ca_pem": "out.ca_pem(values::text(value)?)", "files": "values::with_files(out, value)?", "flags": "out"}


def _written(struct: str) -> list[str]:
    """Returns the implementation of Out for a struct of results."""
    kind, others = _RESULTS[struct]
    call = "" if kind.endswith(".") else "()"
    lines = [f"impl Out for gputide::{kind.rstrip('.')} {{", "    fn out(&self) -> Json {", "        object(["]
    for member in members(struct, *(["message"] if struct in ("sample", "decision") else [])).split():
        plain = re.sub("_ms$" if struct == "error" else "_at_ms$|_ms$|_replicas$", "", member)
        lines.append(f'            ("{member}", self.{others.get(member) or plain + call}.out()),')
    return [*lines, "        ])", "    }", "}"]


def _read() -> list[str]:
    """Returns the functions that read options of a scaler and of a runtime."""
    lines = []
    for kind, struct, enum in (("Options", "options", "option"), ("RuntimeOptions", "runtime_options", "runtime_flag")):
        bits = [f"        .{name}(flags & {1 << bit} != 0)" for bit, name in enumerate(flags(enum).split())]
        lines += [f"pub fn {struct}(given: &Json) -> Answer<gputide::{kind}> {{"]
        lines += [f"    let flags = values::bits(given, {len(bits)})?;", f"    let mut out = gputide::{kind}::new()"]
        lines += [*bits, "    ;", "    let Json::Object(members) = given else { return Ok(out) };"]
        lines += ["    for (name, value) in members {", "        out = match name.as_str() {"]
        for member in members(struct, "file_count", "file_size", "ca_pem_bytes").split():
            lines.append(f'            "{member}" => {_OPTIONS.get(member) or _option(member, struct)},')
        lines.append('            _ => return Err(Problem::fault(format!("options: {name}"))),')
        lines += ["        };", "    }", "    Ok(out)", "}"]
    return lines


def _option(member: str, struct: str) -> str:
    if struct == "runtime_options":
        if member.endswith("_ms"):
            return f"out.{member.removesuffix('_ms')}(std::time::Duration::from_millis(integer(value)?))"
        return f"out.{member}(integer(value)?)"
    return f"out.{member}(values::word(value)?{_LIST if member.startswith('allowed_') else ''})"


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
    results = [line for struct in _RESULTS for line in _written(struct)]
    calls = table(Language(_argument, _method, _EXPRESSIONS, _entry))
    return [*results, *_read(), "pub const CALLS: &[(&str, Run)] = &[", *calls, "];"]


def layout_lines() -> list[str]:
    """The layout test: sizes and offsets of bindings/abi.json, held against gputide-sys."""
    abi = json.loads(ABI.read_text(encoding="utf-8"))
    out = []
    for struct in abi["structs"]:
        name = struct["name"]
        out += ["#[test]", f"fn {name.removeprefix('gputide_')}_lies_as_in_c() {{"]
        size, alignment = struct["size_bytes"], struct["alignment_bytes"]
        out.append(f"    assert_eq!((size_of::<{name}>(), align_of::<{name}>()), ({size}, {alignment}));")
        for member in struct["members"]:
            out.append(f"    assert_eq!(offset_of!({name}, {_field(member['name'])}), {member['offset_bytes']});")
        out.append("}")
    out += ["#[test]", "fn each_table_is_as_long_as_in_c() {"]
    out += [f"    assert_eq!(size_of::<{table['name']}_table>(), {8 + 8 * len(table['functions'])});" for table in abi["tables"]]
    return [*out, "}"]


def _field(name: str) -> str:
    return f"r#{name}" if name in _KEYWORDS else name
