//! A manifest as a working pipeline.

use crate::call::{check, sized, text_of};
use crate::decision::Decision;
use crate::error::Result;
use crate::handle::{Exclusive, Owned};
use crate::observation::Observation;
use crate::options::Options;
use crate::time::unix_ms;
use crate::wait::Wait;
use gputide_sys::*;
use std::fmt;
use std::time::SystemTime;

/// Sources, credentials, policy and state of one ScaledObject or HorizontalPodAutoscaler.
///
/// ```no_run
/// use gputide::{Observation, Scaler};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut scaler = Scaler::options().allow_environment(true).open(std::fs::read("so.yaml")?)?;
/// let mut decision = scaler.tick(&Observation::now(3), Duration::from_secs(5))?;
/// if decision.wants_write() {
///     let applied = true; // write decision.desired() to the target, and record whether it succeeded
///     scaler.record(&mut decision, applied)?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct Scaler {
    pub(crate) handle: Exclusive<gputide_scaler>,
    reports: bool,
}

impl Scaler {
    /// From a manifest, YAML (several documents) or JSON.  Nothing is sent.
    pub fn open(manifest: impl AsRef<[u8]>) -> Result<Self> {
        Self::open_with(manifest, &Options::new())
    }

    /// The same with options.
    pub fn open_with(manifest: impl AsRef<[u8]>, options: &Options) -> Result<Self> {
        let ((text, size), options) = (sized(manifest.as_ref()), options.raw()?);
        // SAFETY: manifest and options outlive the call.
        let handle = Owned::open(|out, err| unsafe { gputide_scaler_open(text, size, options.get(), out, err) })?;
        Ok(Self { handle: Exclusive::new(handle), reports: false })
    }

    /// The permissions of the host, to be ended with [`Options::open`].
    pub fn options() -> Options {
        Options::new()
    }

    /// From now on [`tick`](Self::tick) gives each decision its report, or does not.
    pub fn set_reports(&mut self, reports: bool) -> &mut Self {
        self.reports = reports;
        self
    }

    /// Fetches every trigger that is due, and decides.  Blocks.  Samples of the observation are the values of triggers
    /// of type `values`, which the host pushes.  A trigger that fails does not fail the call:
    /// [`Decision::has_failed`], and [`describe`](Self::describe) has each error.
    pub fn tick<'a>(&mut self, observation: &Observation, wait: impl Into<Wait<'a>>) -> Result<Decision> {
        let (observation, wait, scaler) = (observation.raw()?, wait.into(), self.handle.lock());
        // SAFETY: an open scaler, which this call has to itself; what the observation points to outlives it.
        Decision::of(self.reports, |out, report, err| unsafe {
            gputide_scaler_tick(scaler.get(), observation.get(), wait.timeout_ms(), wait.native(), out, report, err)
        })
    }

    /// As [`tick`](Self::tick), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn tick_async(&mut self, observation: &Observation, timeout: std::time::Duration) -> Result<Decision> {
        let (mut scaler, observation) = (self.share(), observation.clone());
        crate::asynchronous::blocking(move |cancel| scaler.tick(&observation, Wait::of(timeout).cancel(cancel))).await
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn share(&self) -> Self {
        Self { handle: self.handle.share(), reports: self.reports }
    }

    /// Records how the write of the decision's size went, once, now.
    pub fn record(&mut self, decision: &mut Decision, applied: bool) -> Result<()> {
        self.record_at(decision, applied, SystemTime::now())
    }

    /// The same at another time than now.
    pub fn record_at(&mut self, decision: &mut Decision, applied: bool, time: SystemTime) -> Result<()> {
        let scaler = self.handle.lock();
        // SAFETY: an open scaler, which this call has to itself; the decision is borrowed.
        decision
            .record(|raw, err| unsafe { gputide_scaler_record(scaler.get(), raw, applied.into(), unix_ms(time), err) })
    }

    /// Returns JSON: policy (as [`Policy::describe`](crate::Policy::describe)), conditions (type, status, reason, message,
    /// since), and for each metric its last value, age, state, latency and the error of a failed read.
    pub fn describe(&self) -> Result<String> {
        let scaler = self.handle.lock();
        // SAFETY: an open scaler.
        text_of(|out, err| unsafe { gputide_scaler_describe(scaler.get(), out, err) })
    }

    /// The state as text that survives a restart.
    pub fn save(&self) -> Result<String> {
        let scaler = self.handle.lock();
        // SAFETY: an open scaler.
        text_of(|out, err| unsafe { gputide_scaler_save(scaler.get(), out, err) })
    }

    /// The text that [`save`](Self::save) gave, in place of the state.
    pub fn load(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        let (scaler, (text, size)) = (self.handle.lock(), sized(text.as_ref()));
        // SAFETY: an open scaler, which this call has to itself; the text goes with its size.
        check(|err| unsafe { gputide_scaler_load(scaler.get(), text, size, err) })
    }
}

impl fmt::Debug for Scaler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Scaler")
    }
}
