//! What calls are given: protocol 1's JSON to this crate's values.

use super::call::{Answer, Problem};
use super::values::{instant, integer, member, real, text};
use crate::json::Json;
use gputide::{Observation, Options, Pod, PodSample, RuntimeOptions, Sample, UsageSample};
use std::time::Duration;

pub fn options(given: &Json) -> Answer<Options> {
    let Json::Object(members) = given else { return Ok(Options::new()) };
    let mut out = permissions(member(given, "flags")?)?;
    for (name, value) in members {
        let word = || value.text().ok_or_else(|| Problem::fault(format!("{name}: expected a text")));
        let list = || word().map(|names| names.split(','));
        out = match name.as_str() {
            "flags" => out,
            "text_name" => out.text_name(word()?),
            "scaler" => out.scaler(word()?),
            "allowed_environment" => out.allowed_environment(list()?),
            "allowed_token_hosts" => out.allowed_token_hosts(list()?),
            "allowed_programs" => out.allowed_programs(list()?),
            "secrets_dir" => out.secrets_dir(word()?),
            "ca_file" => out.ca_file(word()?),
            "ca_pem" => out.ca_pem(text(value)?),
            "proxy" => out.proxy(word()?),
            "user_agent" => out.user_agent(word()?),
            "kubeconfig" => out.kubeconfig(word()?),
            "kube_context" => out.kube_context(word()?),
            "service_account_dir" => out.service_account_dir(word()?),
            "files" => {
                for file in value.items() {
                    out = out.file(file.get("name").text(), text(file.get("text"))?);
                }
                out
            }
            _ => return Err(Problem::fault(format!("options: {name}"))),
        };
    }
    Ok(out)
}

fn permissions(flags: u32) -> Answer<Options> {
    only_named_bits(flags, 7)?;
    Ok(Options::new()
        .allow_environment(flags & 1 != 0)
        .allow_plain_http(flags & 2 != 0)
        .allow_custom_authority(flags & 4 != 0)
        .enable_azure_proxy(flags & 8 != 0)
        .strict(flags & 16 != 0)
        .verified_peers(flags & 32 != 0)
        .allow_unverified_peers(flags & 64 != 0))
}

/// What Rust's functions have no words for cannot be said to C.
fn only_named_bits(flags: u32, count: u32) -> Answer {
    if flags >> count == 0 {
        return Ok(());
    }
    Err(Problem::fault(format!("flags: {flags} has bits without a name")))
}

pub fn samples(given: &Json) -> Answer<Vec<Sample>> {
    given.items().iter().map(sample).collect()
}

fn sample(given: &Json) -> Answer<Sample> {
    let value = given.get("value");
    let state: i32 = match given.get("state") {
        Json::Null => i32::from(!value.is_null()),
        state => integer(state)?,
    };
    let value = if value.is_null() { 0.0 } else { real(value)? };
    let mut out = Sample::with_state(state.into(), value)
        .with_status(member::<i32>(given, "status")?.into())
        .null_as_zero(member::<u32>(given, "flags")? != 0);
    if !given.get("time_ms").is_null() {
        out = out.at(instant(member(given, "time_ms")?));
    }
    if let Some(message) = given.get("message").text() {
        out = out.with_message(message);
    }
    Ok(out)
}

pub fn usage(given: &Json) -> Answer<Vec<UsageSample>> {
    given.items().iter().map(usage_sample).collect()
}

fn usage_sample(given: &Json) -> Answer<UsageSample> {
    let flags: u32 = member(given, "flags")?;
    only_named_bits(flags, 3)?;
    let mut out = UsageSample::at(instant(member(given, "time_ms")?))
        .container(member(given, "container")?)
        .unit(member(given, "unit")?);
    if flags & 1 != 0 {
        let busy = given.get("busy");
        out = out.busy(if busy.is_null() { 0.0 } else { real(busy)? });
    }
    let memory_bytes = member(given, "memory_bytes")?;
    if flags & 2 != 0 {
        out = out.memory_bytes(memory_bytes);
    }
    if flags & 4 != 0 {
        out = out.out_of_memory((memory_bytes != 0).then_some(memory_bytes));
    }
    Ok(out)
}

pub fn observation(given: &Json) -> Answer<Observation> {
    let flags: u32 = member(given, "flags")?;
    let now = instant(member(given, "now_ms")?);
    let mut out = Observation::at(now, member(given, "current_replicas")?);
    if flags & 4 != 0 {
        out = Observation::unreadable(now);
    }
    let (status, ready) = (member(given, "status_replicas")?, member(given, "ready_replicas")?);
    if status != 0 || flags & 1 != 0 {
        out = out.status_replicas(status);
    }
    if ready != 0 || flags & 2 != 0 {
        out = out.ready_replicas(ready);
    }
    if let Some(message) = given.get("message").text() {
        out = out.because(message);
    }
    let pods = given.get("pods").items().iter().map(pod).collect::<Answer<Vec<_>>>()?;
    if flags & 8 != 0 || !pods.is_empty() {
        out = out.pods(pods);
    }
    Ok(out
        .samples(samples(given.get("samples"))?)
        .pod_samples(given.get("pod_samples").items().iter().map(pod_sample).collect::<Answer<Vec<_>>>()?))
}

fn pod(given: &Json) -> Answer<Pod> {
    let mut out = Pod::new(given.get("name").text())
        .phase(member::<i32>(given, "phase")?.into())
        .ready(member::<i32>(given, "ready")?.into())
        .deleting(member::<i32>(given, "deleting")? != 0);
    let (start, change) = (member(given, "start_time_ms")?, member(given, "ready_change_time_ms")?);
    if start != 0 {
        out = out.started(instant(start));
    }
    if change != 0 {
        out = out.ready_changed(instant(change));
    }
    Ok(out)
}

fn pod_sample(given: &Json) -> Answer<PodSample> {
    let mut out = PodSample::new(member(given, "metric")?, member(given, "pod")?)
        .value_milli(member(given, "value_milli")?)
        .request_milli(member(given, "request_milli")?)
        .window_s(member(given, "window_s")?);
    if let Some(container) = given.get("container").text() {
        out = out.container(container);
    }
    let time = member(given, "time_ms")?;
    Ok(if time == 0 { out } else { out.at(instant(time)) })
}

pub fn runtime_options(given: &Json) -> Answer<RuntimeOptions> {
    let flags: u32 = member(given, "flags")?;
    let mut out = RuntimeOptions::new()
        .every_decision(flags & 1 != 0)
        .reports(flags & 2 != 0)
        .no_sharing(flags & 4 != 0)
        .observe_first(flags & 8 != 0)
        .seed(member(given, "seed")?)
        .most_in_flight(member(given, "most_in_flight")?)
        .most_per_endpoint(member(given, "most_per_endpoint")?)
        .breaker_failures(member(given, "breaker_failures")?);
    type Set = fn(RuntimeOptions, Duration) -> RuntimeOptions;
    let durations: [(&str, Set); 6] = [
        ("poll_timeout_ms", RuntimeOptions::poll_timeout),
        ("start_spread_ms", RuntimeOptions::start_spread),
        ("share_window_ms", RuntimeOptions::share_window),
        ("breaker_base_ms", RuntimeOptions::breaker_base),
        ("breaker_cap_ms", RuntimeOptions::breaker_cap),
        ("gather_ms", RuntimeOptions::gather),
    ];
    for (name, set) in durations {
        if !given.get(name).is_null() {
            out = set(out, Duration::from_millis(member(given, name)?));
        }
    }
    Ok(out)
}
