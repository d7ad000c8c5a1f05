//! The decision and its reasons.

use crate::call::{check, pointer, sized, terminated, text_of, Text};
use crate::error::Result;
use crate::library::ensure;
use crate::number::number;
use crate::numbers::{Condition, DecisionSource, ForecastState, Limit, ScaleEvent, Truth};
use crate::time::{instant, optional_instant};
use gputide_sys::*;
use std::ffi::CString;
use std::fmt;
use std::time::SystemTime;

/// Write [`desired`](Self::desired) to the target where [`wants_write`](Self::wants_write), then record how that went:
/// scale events and cooldown follow what was applied, not what was wished.
#[derive(Clone)]
pub struct Decision {
    raw: gputide_decision, // its message is null but during a record
    report: Option<String>,
    message: Option<CString>,
}

// SAFETY: plain values; the one pointer is null outside of a record, which has the decision to itself.
unsafe impl Send for Decision {}
// SAFETY: as above.
unsafe impl Sync for Decision {}

impl Decision {
    pub(crate) fn new(raw: gputide_decision, report: Option<String>) -> Self {
        Self { raw, report, message: None }
    }

    /// function(arguments..., &out, report, &err), with a report where it is wanted.
    pub(crate) fn of(
        wants_report: bool,
        call: impl FnOnce(*mut gputide_decision, *mut gputide_text, *mut gputide_error) -> gputide_status,
    ) -> Result<Self> {
        let (mut raw, mut report) = (gputide_decision::zeroed(), Text::new());
        let buffer = if wants_report { report.buffer() } else { std::ptr::null_mut() };
        check(|err| call(&mut raw, buffer, err))?;
        Ok(Self::new(raw, report.take()))
    }

    /// For a record of a failed write: why it failed, for the conditions; gone after it.
    pub fn because(&mut self, message: &str) -> Result<&mut Self> {
        self.message = Some(terminated(message, "a decision's message")?);
        Ok(self)
    }

    /// A record, which updates conditions and event and leaves all as it is where it fails.
    pub(crate) fn record(
        &mut self,
        call: impl FnOnce(*mut gputide_decision, *mut gputide_error) -> gputide_status,
    ) -> Result<()> {
        self.raw.message = pointer(self.message.as_ref());
        let done = check(|err| call(&mut self.raw, err));
        self.raw.message = std::ptr::null();
        done?;
        self.message = None;
        Ok(())
    }

    /// Its number in the state; never 0.
    pub fn id(&self) -> u64 {
        self.raw.id
    }

    /// When it was made, by the observation's time.
    pub fn now(&self) -> SystemTime {
        instant(self.raw.now_ms)
    }

    /// When the next decision is due; earlier ones answer [`Limit::NOT_DUE`].
    pub fn next_due(&self) -> Option<SystemTime> {
        optional_instant(self.raw.next_due_ms)
    }

    /// The size that the decision stands on.
    pub fn current(&self) -> i32 {
        self.raw.current_replicas
    }

    /// The size to write.
    pub fn desired(&self) -> i32 {
        self.raw.desired_replicas
    }

    /// The size that the metrics ask for, before stabilization, limits and bounds.
    pub fn proposed(&self) -> i32 {
        self.raw.proposed_replicas
    }

    /// The desired size is not the present one.
    pub fn wants_write(&self) -> bool {
        self.raw.desired_replicas != self.raw.current_replicas
    }

    /// The limit that held it back.
    pub fn limited_by(&self) -> Limit {
        self.raw.limited_by.into()
    }

    /// The scaler that it belongs to; none before anything was decided.
    pub fn source(&self) -> Option<DecisionSource> {
        (self.raw.source != 0).then(|| self.raw.source.into())
    }

    /// Index of the metric that asked for the most; -1: none; -2: the formula of `scalingModifiers`.
    pub fn winner(&self) -> i32 {
        self.raw.winner
    }

    /// Index of the first metric that failed; -1: none; -2: the formula.
    pub fn failed_metric(&self) -> i32 {
        self.raw.failed_metric
    }

    /// The text that KEDA would report as an event of the object.
    pub fn event(&self) -> ScaleEvent {
        self.raw.event.into()
    }

    /// The state of the policy's forecast; none where it has none.
    pub fn forecast_state(&self) -> Option<ForecastState> {
        (self.raw.forecast_state != 0).then(|| self.raw.forecast_state.into())
    }

    /// Replicas that the load to be ready for takes; none: the forecast asks for nothing.
    pub fn forecast_need(&self) -> Option<i32> {
        (self.raw.forecast_state != 0 && self.raw.forecast_need >= 0).then_some(self.raw.forecast_need)
    }

    /// A trigger is active.
    pub fn is_active(&self) -> bool {
        self.raw.flags & GPUTIDE_DECIDED_ACTIVE != 0
    }

    /// A trigger or metric failed and nothing took its place.
    pub fn has_failed(&self) -> bool {
        self.raw.flags & GPUTIDE_DECIDED_ERROR != 0
    }

    /// KEDA's half was due and ran.
    pub fn by_executor(&self) -> bool {
        self.raw.flags & GPUTIDE_DECIDED_EXECUTOR != 0
    }

    /// The HPA's half was due and ran.
    pub fn by_hpa(&self) -> bool {
        self.raw.flags & GPUTIDE_DECIDED_HPA != 0
    }

    /// The four above as bits, `GPUTIDE_DECIDED_*`, and what a newer library adds.
    pub fn flags(&self) -> u32 {
        self.raw.flags
    }

    /// One condition; [`Truth::ABSENT`] where it is not set.
    pub fn condition(&self, condition: Condition) -> ConditionState {
        usize::try_from(condition.code())
            .ok()
            .and_then(|index| self.raw.conditions.get(index))
            .map_or(ConditionState::of(&gputide_condition::zeroed()), ConditionState::of)
    }

    /// The conditions that are set.
    pub fn conditions(&self) -> impl Iterator<Item = (Condition, ConditionState)> + '_ {
        (0..)
            .zip(&self.raw.conditions)
            .filter(|(_, state)| state.truth != GPUTIDE_ABSENT)
            .map(|(index, state)| (Condition::from(index), ConditionState::of(state)))
    }

    /// The decision as one line of JSON with its conditions and trace (docs/decision.md), where the handle or the runtime
    /// was told to give reports.
    pub fn report(&self) -> Option<&str> {
        self.report.as_deref()
    }

    /// The report as lines for a person; none where there is no report.
    pub fn explain(&self) -> Result<Option<String>> {
        self.report().map(render_report).transpose()
    }
}

impl PartialEq for Decision {
    fn eq(&self, other: &Self) -> bool {
        let plain = |decision: &Self| {
            let raw = &decision.raw;
            let counts = [raw.current_replicas, raw.desired_replicas, raw.proposed_replicas, raw.limited_by];
            let causes = [raw.source, raw.winner, raw.failed_metric, raw.event];
            (raw.id, raw.flags, raw.now_ms, raw.next_due_ms, counts, causes)
        };
        plain(self) == plain(other) && self.conditions().eq(other.conditions()) && self.report == other.report
    }
}

impl Eq for Decision {}

impl fmt::Debug for Decision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Decision")
            .field("current", &self.current())
            .field("desired", &self.desired())
            .field("proposed", &self.proposed())
            .field("limited_by", &self.limited_by())
            .finish_non_exhaustive()
    }
}

number! {
    /// The reason of a condition; displayed as Kubernetes spells it (`ScaleDownStabilized`).
    Reason spelled gputide_reason_name {}
}

/// A condition as `kubectl describe` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConditionState {
    /// Whether it holds.
    pub truth: Truth,
    /// Why, in Kubernetes' and KEDA's words.
    pub reason: Reason,
    /// When truth last changed.
    pub since: Option<SystemTime>,
}

impl ConditionState {
    fn of(raw: &gputide_condition) -> Self {
        Self { truth: raw.truth.into(), reason: raw.reason.into(), since: optional_instant(raw.since_ms) }
    }
}

/// Formats a report as lines for people: conditions, then the trace.
pub fn render_report(report: impl AsRef<[u8]>) -> Result<String> {
    ensure()?;
    let (text, size) = sized(report.as_ref());
    // SAFETY: the text goes with its size.
    text_of(|out, err| unsafe { gputide_report_render(text, size, out, err) })
}
