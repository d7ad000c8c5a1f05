//! Decisions from numbers alone: no I/O, no clock.

use crate::call::{borrowed_text, sized, text_of};
use crate::decision::Decision;
use crate::error::Result;
use crate::handle::Owned;
use crate::observation::Observation;
use crate::options::Options;
use crate::time::{optional_ms, unix_ms};
use gputide_sys::*;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// The rules of decisions: bounds, thresholds, behavior and cooldown of a ScaledObject or HorizontalPodAutoscaler.
/// Immutable; cloning it is cheap, and any number of threads may use it.
///
/// ```
/// use gputide::{Observation, Policy};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// # fn main() -> gputide::Result<()> {
/// let policy = Policy::parse(
///     r#"{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "demo"},
///         "spec": {"scaleTargetRef": {"name": "demo"}, "minReplicaCount": 1, "maxReplicaCount": 20,
///                  "triggers": [{"type": "values", "metadata": {"threshold": "5"}}]}}"#,
/// )?;
/// let mut state = policy.new_state()?;
/// let now = UNIX_EPOCH + Duration::from_secs(1_795_255_200);
/// let decision = state.decide(&Observation::at(now, 3).values(&[42.5]))?;
/// assert_eq!((decision.proposed(), decision.desired()), (9, 6)); // ceil(42.5 / 5) = 9; at most 6 in one step
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Policy {
    shared: Arc<PolicyParts>,
}

struct PolicyParts {
    handle: Owned<gputide_policy>,
    metrics: Vec<String>,
}

impl Policy {
    /// From the text of a ScaledObject or HorizontalPodAutoscaler; no source is opened, so addresses and credentials may
    /// be missing.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self> {
        Self::parse_with(text, &Options::new())
    }

    /// The same with options.
    pub fn parse_with(text: impl AsRef<[u8]>, options: &Options) -> Result<Self> {
        let ((text, size), options) = (sized(text.as_ref()), options.raw()?);
        // SAFETY: text and options outlive the call.
        let handle = Owned::open(|out, err| unsafe { gputide_policy_open(text, size, options.get(), out, err) })?;
        let policy = handle.get();
        // SAFETY: an open policy, an index below its count.
        let metrics = (0..unsafe { gputide_policy_metric_count(policy) })
            .filter_map(|index| unsafe { borrowed_text(gputide_policy_metric_name(policy, index as i32)) })
            .collect();
        Ok(Self { shared: Arc::new(PolicyParts { handle, metrics }) })
    }

    /// The metrics that it takes, in the order in which samples are given: the words for them in every JSON text.
    pub fn metrics(&self) -> &[String] {
        &self.shared.metrics
    }

    /// The policy as JSON, each default filled in.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: an open policy.
        text_of(|out, err| unsafe { gputide_policy_describe(self.get(), out, err) })
    }

    /// A scaler's memory, empty; the first decision's time is its beginning.
    pub fn new_state(&self) -> Result<State> {
        self.state_created(None)
    }

    /// The same for an object with that creationTimestamp, for `initialCooldownPeriod`.
    pub fn new_state_created(&self, created: SystemTime) -> Result<State> {
        self.state_created(Some(created))
    }

    fn state_created(&self, created: Option<SystemTime>) -> Result<State> {
        let created_ms = optional_ms(created);
        // SAFETY: an open policy.
        State::open(self, |out, err| unsafe { gputide_state_new(self.get(), created_ms, out, err) })
    }

    /// The text that [`State::save`] gave, also by an older release.
    pub fn load_state(&self, text: impl AsRef<[u8]>) -> Result<State> {
        self.loaded(text.as_ref(), 0)
    }

    /// The text that [`State::describe`] gave.  Members may be left out, which are fresh then; no decision of before can be
    /// recorded.
    pub fn load_state_unchecked(&self, text: impl AsRef<[u8]>) -> Result<State> {
        self.loaded(text.as_ref(), GPUTIDE_STATE_UNCHECKED)
    }

    fn loaded(&self, text: &[u8], flags: u32) -> Result<State> {
        let (text, size) = sized(text);
        // SAFETY: an open policy; the text goes with its size.
        State::open(self, |out, err| unsafe { gputide_state_load(self.get(), text, size, flags, out, err) })
    }

    fn get(&self) -> *const gputide_policy {
        self.shared.handle.get()
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Policy").field("metrics", &self.metrics()).finish_non_exhaustive()
    }
}

/// The memory of one scaler: activity, stabilization windows, scale events, failure counts.  It keeps its policy.
pub struct State {
    handle: Owned<gputide_state>,
    policy: Policy,
    reports: bool,
}

impl State {
    fn open(
        policy: &Policy,
        call: impl FnOnce(*mut *mut gputide_state, *mut gputide_error) -> gputide_status,
    ) -> Result<Self> {
        Ok(Self { handle: Owned::open(call)?, policy: policy.clone(), reports: false })
    }

    /// The policy that it decides by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// From now on [`decide`](Self::decide) gives each decision its report, or does not.
    pub fn set_reports(&mut self, reports: bool) -> &mut Self {
        self.reports = reports;
        self
    }

    /// The replica count that KEDA and the HPA would write.
    pub fn decide(&mut self, observation: &Observation) -> Result<Decision> {
        let observation = observation.raw()?;
        // SAFETY: both are open; what the observation points to outlives the call.
        Decision::of(self.reports, |out, report, err| unsafe {
            gputide_decide(self.policy.get(), self.handle.get(), observation.get(), out, report, err)
        })
    }

    /// The same from one number per metric, all of them true at that time, and without a report: allocates nothing.  NaN
    /// and the infinities: that metric has no number.
    pub fn decide_values(&mut self, time: SystemTime, current: i32, values: &[f64]) -> Result<Decision> {
        // SAFETY: both are open; as many values as are said.
        Decision::of(false, |out, _, err| unsafe {
            gputide_decide_values(
                self.policy.get(),
                self.handle.get(),
                unix_ms(time),
                current,
                values.as_ptr(),
                values.len() as u32,
                out,
                err,
            )
        })
    }

    /// Records how the write of the decision's size went, once; its conditions and event follow.  One that wanted no write needs
    /// no record.
    pub fn record(&mut self, decision: &mut Decision, applied: bool, time: SystemTime) -> Result<()> {
        // SAFETY: both are open; the decision is borrowed.
        decision.record(|raw, err| unsafe {
            gputide_state_record(self.policy.get(), self.handle.get(), raw, applied.into(), unix_ms(time), err)
        })
    }

    /// Text that survives a restart, for [`Policy::load_state`].
    pub fn save(&self) -> Result<String> {
        // SAFETY: both are open.
        text_of(|out, err| unsafe { gputide_state_save(self.policy.get(), self.handle.get(), out, err) })
    }

    /// The same for people and programs that look into it, as JSON.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: both are open.
        text_of(|out, err| unsafe { gputide_state_describe(self.policy.get(), self.handle.get(), out, err) })
    }
}

impl fmt::Debug for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("State").field("policy", &self.policy).finish_non_exhaustive()
    }
}
