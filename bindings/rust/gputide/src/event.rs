//! The events of a runtime about its scalers.

use crate::decision::Decision;
use crate::error::{text, Result};
use crate::numbers::EventKind;
use crate::runtime::{Runtime, ScalerId};
use crate::time::optional_instant;
use crate::wait::{Cancel, Wait};
use gputide_sys::gputide_event;
use std::fmt;
use std::time::SystemTime;

/// A report of a runtime about one scaler: a decision, or ([`is_due`](Self::is_due)) that it wants an observation.
#[derive(Clone)]
pub struct Event {
    raw: Box<gputide_event>,
    decision: Decision,
}

impl Event {
    pub(crate) fn new(raw: Box<gputide_event>, decision: Decision) -> Self {
        Self { raw, decision }
    }

    /// The subject.
    pub fn kind(&self) -> EventKind {
        self.raw.kind.into()
    }

    /// The scaler's, as [`Runtime::add`] gave it.
    pub fn id(&self) -> ScalerId {
        self.raw.id.into()
    }

    /// The host's own number for the scaler.
    pub fn tag(&self) -> u64 {
        self.raw.tag
    }

    /// `"namespace/name"`.
    pub fn name(&self) -> String {
        text(&self.raw.name)
    }

    /// 1, 2, 3, ... in the order in which events are taken.
    pub fn sequence(&self) -> u64 {
        self.raw.sequence
    }

    /// When the host saw what the decision stands on.
    pub fn observed(&self) -> Option<SystemTime> {
        optional_instant(self.raw.observed_ms)
    }

    /// Earlier decisions of this scaler that the host did not take in time; this one stands for them.
    pub fn replaced(&self) -> u32 {
        self.raw.replaced
    }

    /// The runtime waits for [`Runtime::observe`]; there is no decision.
    pub fn is_due(&self) -> bool {
        self.kind() == EventKind::DUE
    }

    /// The decision.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// The same, for [`Runtime::record_decision`].
    pub fn decision_mut(&mut self) -> &mut Decision {
        &mut self.decision
    }

    /// The size that the decision stands on.
    pub fn current(&self) -> i32 {
        self.decision.current()
    }

    /// The size to write.
    pub fn desired(&self) -> i32 {
        self.decision.desired()
    }

    /// There is a decision, and its size is not the present one.
    pub fn wants_write(&self) -> bool {
        !self.is_due() && self.decision.wants_write()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Event")
            .field("kind", &self.kind())
            .field("name", &self.name())
            .field("decision", &self.decision)
            .finish_non_exhaustive()
    }
}

/// Every event until the runtime is closed or the cancel is fired.
#[derive(Debug)]
pub struct Events<'a> {
    runtime: &'a Runtime,
    cancel: Option<&'a Cancel>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(runtime: &'a Runtime, cancel: Option<&'a Cancel>) -> Self {
        Self { runtime, cancel }
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Self::Item> {
        let wait = self.cancel.map_or(Wait::forever(), |cancel| Wait::forever().cancel(cancel));
        match self.runtime.next_event(wait) {
            Ok(event) => event.map(Ok),
            Err(error) if self.runtime.is_end(&error) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
