//! Protocol 1's JSON, to and from this crate's values.

use crate::call::{Answer, Problem};
use gputide::{
    Action, Condition, ConditionState, Decision, DecisionSource, EventKind, FloorReason, ForecastState, Limit,
    Observation, Options, Pod, PodSample, Reason, Sample, SampleState, ScaleEvent, ScalerId, Status, Truth,
    UsageSample,
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

fn out_integer(value: i128) -> Json {
    if (-EXACT..=EXACT).contains(&value) {
        Json::Number(value.to_string())
    } else {
        Json::Text(value.to_string())
    }
}

// ---- what is read

pub fn word(value: &Json) -> Answer<&str> {
    value.text().ok_or_else(|| Problem::fault(format!("expected a text, got {value}")))
}

pub fn with_files(mut options: Options, files: &Json) -> Answer<Options> {
    for file in files.items() {
        options = options.file(file.get("name").text(), text(file.get("text"))?);
    }
    Ok(options)
}

/// The flags of a struct.  Bits that Rust's functions have no name for cannot be set in C.
pub fn bits(given: &Json, count: u32) -> Answer<u32> {
    let flags = member(given, "flags")?;
    if flags >> count == 0 {
        return Ok(flags);
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
    let flags = bits(given, 3)?;
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

// ---- what is written

/// Values that a result holds.  Absent ones are 0.
pub trait Out {
    fn out(&self) -> Json;
}

macro_rules! integers {
    ($number:expr, $($kind:ty)*) => {$(
        impl Out for $kind {
            fn out(&self) -> Json {
                let number: fn($kind) -> i128 = $number;
                out_integer(number(*self))
            }
        }
    )*};
}

integers! { i128::from, bool i32 u32 i64 u64 }
integers! { |number| number.code().into(), Action Condition DecisionSource EventKind FloorReason ForecastState }
integers! { |number| number.code().into(), Limit Reason SampleState ScaleEvent Status Truth }
integers! { |id| u64::from(id).into(), ScalerId }
integers! {
    |time| match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_millis() as i128,
        Err(before) => -(before.duration().as_millis() as i128),
    },
    SystemTime
}

impl<T: Out> Out for Option<T> {
    fn out(&self) -> Json {
        self.as_ref().map_or(0.into(), T::out)
    }
}

impl Out for str {
    fn out(&self) -> Json {
        self.into()
    }
}

impl Out for String {
    fn out(&self) -> Json {
        self.as_str().into()
    }
}

impl Out for f64 {
    fn out(&self) -> Json {
        match *self {
            nan if nan.is_nan() => "NaN".into(),
            f64::INFINITY => "+Inf".into(),
            f64::NEG_INFINITY => "-Inf".into(),
            finite => Json::Number(format!("{finite:?}")),
        }
    }
}

impl<T: Out> Out for Vec<T> {
    fn out(&self) -> Json {
        self.iter().map(T::out).collect()
    }
}

pub trait AllConditions {
    fn all_conditions(&self) -> Vec<ConditionState>;
}

impl AllConditions for Decision {
    fn all_conditions(&self) -> Vec<ConditionState> {
        (0..16).map(|index| self.condition(index.into())).collect()
    }
}

/// The error of a call that this program refuses itself.
pub fn error_of(status: Status, message: &str) -> Json {
    object([
        ("status", status.out()),
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
