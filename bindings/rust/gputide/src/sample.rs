//! One number of a metric, or the reason that there is none.

use crate::call::{pointer, terminated};
use crate::error::Result;
use crate::numbers::{SampleState, Status};
use crate::time::{optional_instant, optional_ms};
use gputide_sys::{gputide_sample, GPUTIDE_SAMPLE_NULL_AS_ZERO};
use std::ffi::CString;
use std::time::SystemTime;

/// One number of a metric, or the reason that there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    state: SampleState,
    status: Status,
    value: f64,
    time: Option<SystemTime>,
    message: Option<String>,
    null_as_zero: bool,
}

impl Sample {
    /// A number; of NaN and the infinities, that there is none.
    pub fn of(value: f64) -> Self {
        let state = if value.is_finite() { SampleState::OK } else { SampleState::NOT_A_NUMBER };
        Self::with_state(state, if value.is_finite() { value } else { 0.0 })
    }

    /// Nothing is said of that metric.
    pub fn not_given() -> Self {
        Self::with_state(SampleState::NOT_GIVEN, 0.0)
    }

    /// A read that failed, and why.
    pub fn failed(state: SampleState, status: Status, message: impl Into<String>) -> Self {
        Self::with_state(state, 0.0).with_status(status).with_message(message)
    }

    /// A sample as it is; the value holds where the state is [`SampleState::OK`].
    pub fn with_state(state: SampleState, value: f64) -> Self {
        Self { state, status: Status::OK, value, time: None, message: None, null_as_zero: false }
    }

    /// The error of the failed read.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// Why there is no number, for reports and conditions.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// When it was true.
    #[must_use]
    pub fn at(mut self, time: SystemTime) -> Self {
        self.time = Some(time);
        self
    }

    /// Nothing, NaN or an infinity came, and `ignoreNullValues` made 0 of it.
    #[must_use]
    pub fn null_as_zero(mut self, null_as_zero: bool) -> Self {
        self.null_as_zero = null_as_zero;
        self
    }

    /// The number, where there is one.
    pub fn value(&self) -> Option<f64> {
        (self.state == SampleState::OK).then_some(self.value)
    }

    /// The result of the read.
    pub fn state(&self) -> SampleState {
        self.state
    }

    /// The error of the failed read; [`Status::OK`] where there is a number.
    pub fn status(&self) -> Status {
        self.status
    }

    /// When it was true, where that is known.
    pub fn time(&self) -> Option<SystemTime> {
        self.time
    }

    /// `ignoreNullValues` made 0 of nothing, NaN or an infinity.
    pub fn is_null_as_zero(&self) -> bool {
        self.null_as_zero
    }

    pub(crate) fn from_raw(raw: &gputide_sample) -> Self {
        Self {
            state: raw.state.into(),
            status: raw.status.into(),
            value: raw.value,
            time: optional_instant(raw.time_ms),
            message: None,
            null_as_zero: raw.flags & GPUTIDE_SAMPLE_NULL_AS_ZERO != 0,
        }
    }

    /// As C takes it; its message is kept in `texts`.
    fn raw(&self, texts: &mut Vec<CString>) -> Result<gputide_sample> {
        let message = self.message.as_ref().map(|text| terminated(text.as_str(), "a sample's message"));
        let message = message.transpose()?;
        let raw = gputide_sample {
            state: self.state.code(),
            status: self.status.code(),
            flags: if self.null_as_zero { GPUTIDE_SAMPLE_NULL_AS_ZERO } else { 0 },
            value: self.value,
            time_ms: optional_ms(self.time),
            message: pointer(message.as_ref()),
            ..gputide_sample::zeroed()
        };
        texts.extend(message);
        Ok(raw)
    }
}

impl From<f64> for Sample {
    fn from(value: f64) -> Self {
        Self::of(value)
    }
}

/// Samples as C takes them.  The pointers in them hold for as long as `texts`.
pub(crate) fn raw_samples(samples: &[Sample], texts: &mut Vec<CString>) -> Result<Vec<gputide_sample>> {
    samples.iter().map(|sample| sample.raw(texts)).collect()
}
