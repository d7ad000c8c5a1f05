//! Protocol 1's JSON, to and from this crate's values.

use crate::call::{Answer, Problem};
use gputide::{
    Decision, Error, Event, Floor, NodesPlan, Observation, Options, Pod, PodSample, RuntimeOptions, Sample, Status,
    Token, UsageSample,
};
use gputide_checks::json::{object, Json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const EXACT: i128 = 1 << 53; // integers beyond it are texts

pub fn integer<T: TryFrom<i128>>(value: &Json) -> Answer<T> {
    let digits = match value {
        Json::Number(digits) | Json::Text(digits) => digits.parse::<i128>().ok(),
        _ => None,
    };
    let number = digits.ok_or_else(|| Problem::fault(format!("expected an integer, got {value}")))?;
    T::try_from(number).map_err(|_| Problem::Refused(format!("{number} does not fit")))
}

/// A member; 0 where it is absent.
pub fn member<T: TryFrom<i128>>(value: &Json, name: &str) -> Answer<T> {
    match value.get(name) {
        Json::Null => integer(&0.into()),
        value => integer(value),
    }
}

pub fn real(value: &Json) -> Answer<f64> {
    match value {
        Json::Number(digits) => digits.parse().map_err(|_| Problem::fault(format!("expected a number, got {value}"))),
        Json::Text(name) if name == "NaN" => Ok(f64::NAN),
        Json::Text(name) if name == "+Inf" => Ok(f64::INFINITY),
        Json::Text(name) if name == "-Inf" => Ok(f64::NEG_INFINITY),
        _ => Err(Problem::fault(format!("expected a number, got {value}"))),
    }
}

pub fn text(value: &Json) -> Answer<Vec<u8>> {
    match (value, value.get("b64")) {
        (Json::Text(text), _) => Ok(text.clone().into_bytes()),
        (_, Json::Text(coded)) => bytes_of_base64(coded).ok_or_else(|| Problem::fault("not base64")),
        _ => Err(Problem::fault(format!("expected a text, got {value}"))),
    }
}

fn bytes_of_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').bytes().map(|byte| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    });
    let (mut out, mut buffer, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        buffer = (buffer << 6) | digit?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((buffer >> bits) as u8);
            buffer &= (1 << bits) - 1;
        }
    }
    Some(out)
}

pub fn instant(ms: i64) -> SystemTime {
    let distance = Duration::from_millis(ms.unsigned_abs());
    if ms < 0 {
        UNIX_EPOCH - distance
    } else {
        UNIX_EPOCH + distance
    }
}

pub fn out_integer(value: impl Into<i128>) -> Json {
    let value = value.into();
    if (-EXACT..=EXACT).contains(&value) {
        Json::Number(value.to_string())
    } else {
        Json::Text(value.to_string())
    }
}

pub fn out_time(time: Option<SystemTime>) -> Json {
    let ms = time.map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_millis() as i128,
        Err(before) => -(before.duration().as_millis() as i128),
    });
    out_integer(ms)
}

pub fn out_real(value: f64) -> Json {
    match value {
        nan if nan.is_nan() => "NaN".into(),
        f64::INFINITY => "+Inf".into(),
        f64::NEG_INFINITY => "-Inf".into(),
        finite => Json::Number(format!("{finite:?}")),
    }
}

// ---- what is read

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

/// Arguments that Rust's functions do not have cannot be given to C.
fn only_named_bits(flags: u32, count: u32) -> Answer {
    if flags >> count == 0 {
        return Ok(());
    }
    Err(Problem::fault(format!("flags: {flags} has bits without a name")))
}

pub fn sample(given: &Json) -> Answer<Sample> {
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

pub fn usage_sample(given: &Json) -> Answer<UsageSample> {
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
        .samples(given.get("samples").items().iter().map(sample).collect::<Answer<Vec<_>>>()?)
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
        .max_in_flight(member(given, "max_in_flight")?)
        .max_per_endpoint(member(given, "max_per_endpoint")?)
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

// ---- what is written

pub fn error(error: &Error) -> Json {
    object([
        ("status", error.status().unwrap_or(Status::INVALID).code().into()),
        ("action", error.action().code().into()),
        ("retryable", i32::from(error.is_retryable()).into()),
        ("http_status", error.http_status().unwrap_or(0).into()),
        ("retry_at_ms", out_time(error.retry_at())),
        ("service_code", error.service_code().into()),
        ("where", error.place().into()),
        ("message", error.message().into()),
        ("detail", error.detail().into()),
    ])
}

/// Errors in this program's own words.
pub fn error_of(status: Status, message: &str) -> Json {
    object([
        ("status", status.code().into()),
        ("action", 0.into()),
        ("retryable", 0.into()),
        ("http_status", 0.into()),
        ("retry_at_ms", 0.into()),
        ("service_code", "".into()),
        ("where", "".into()),
        ("message", message.into()),
        ("detail", "".into()),
    ])
}

pub fn sample_out(given: &Sample) -> Json {
    object([
        ("state", given.state().code().into()),
        ("status", given.status().code().into()),
        ("flags", i32::from(given.is_null_as_zero()).into()),
        ("value", out_real(given.value().unwrap_or(0.0))),
        ("time_ms", out_time(given.time())),
    ])
}

pub fn decision_out(given: &Decision) -> Json {
    let conditions = (0..16).map(|index| {
        let condition = given.condition(index.into());
        object([
            ("truth", condition.truth.code().into()),
            ("reason", condition.reason.code().into()),
            ("since_ms", out_time(condition.since)),
        ])
    });
    object([
        ("flags", given.flags().into()),
        ("id", out_integer(given.id())),
        ("now_ms", out_time(Some(given.now()))),
        ("next_due_ms", out_time(given.next_due())),
        ("current_replicas", given.current().into()),
        ("desired_replicas", given.desired().into()),
        ("proposed_replicas", given.proposed().into()),
        ("limited_by", given.limited_by().code().into()),
        ("source", given.source().map_or(0, i32::from).into()),
        ("winner", given.winner().into()),
        ("failed_metric", given.failed_metric().into()),
        ("event", given.event().code().into()),
        ("conditions", conditions.collect()),
        ("forecast_state", given.forecast_state().map_or(0, i32::from).into()),
        ("forecast_need", given.forecast_need().unwrap_or(-1).into()),
    ])
}

pub fn floor_out(given: &Floor) -> Json {
    object([
        ("state", given.state.code().into()),
        ("reason", given.reason.code().into()),
        ("replicas", given.replicas.into()),
        ("need_replicas", given.need_replicas.unwrap_or(-1).into()),
        ("floor_load", out_real(given.floor_load.unwrap_or(f64::NAN))),
    ])
}

pub fn event_out(given: &Event) -> Json {
    object([
        ("kind", given.kind().code().into()),
        ("id", out_integer(u64::from(given.id()))),
        ("tag", out_integer(given.tag())),
        ("sequence", out_integer(given.sequence())),
        ("observed_ms", out_time(given.observed())),
        ("replaced", given.replaced().into()),
        ("name", given.name().into()),
    ])
}

pub fn token_out(given: &Token) -> Json {
    object([
        ("expires_at_ms", out_time(given.expires())),
        ("refresh_at_ms", out_time(given.refresh())),
        ("usable_until_ms", out_time(given.usable_until())),
    ])
}

pub fn summary_out(plan: &NodesPlan) -> Json {
    object([
        ("errors", plan.errors.into()),
        ("warnings", plan.warnings.into()),
        ("nodes_to_add", out_integer(plan.nodes_to_add)),
        ("nodes_to_remove", out_integer(plan.nodes_to_remove)),
        ("pods_pending", out_integer(plan.pods_pending)),
        ("pods_on_existing", out_integer(plan.pods_on_existing)),
        ("pods_on_new", out_integer(plan.pods_on_new)),
        ("pods_left", out_integer(plan.pods_left)),
    ])
}
