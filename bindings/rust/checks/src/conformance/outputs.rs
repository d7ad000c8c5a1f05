//! What calls give: this crate's values to protocol 1's JSON.

use super::values::{out_integer, out_real, out_time};
use crate::json::{object, Json};
use gputide::{Decision, Error, Event, Floor, Sample, Status};

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

/// What this program refuses in words of its own.
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

pub fn sample(given: &Sample) -> Json {
    object([
        ("state", given.state().code().into()),
        ("status", given.status().code().into()),
        ("flags", i32::from(given.is_null_as_zero()).into()),
        ("value", out_real(given.value().unwrap_or(0.0))),
        ("time_ms", out_time(given.time())),
    ])
}

pub fn decision(given: &Decision) -> Json {
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

pub fn floor(given: &Floor) -> Json {
    object([
        ("state", given.state.code().into()),
        ("reason", given.reason.code().into()),
        ("replicas", given.replicas.into()),
        ("need_replicas", given.need_replicas.unwrap_or(-1).into()),
        ("floor_load", out_real(given.floor_load.unwrap_or(f64::NAN))),
    ])
}

pub fn event(given: &Event) -> Json {
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
