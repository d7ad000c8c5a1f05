//! A manifest as a working pipeline.

use crate::call::{borrowed_text, check, sized, text_of};
use crate::decision::Decision;
use crate::error::Result;
use crate::handle::{Exclusive, Owned};
use crate::observation::Observation;
use crate::options::Options;
use crate::sample::Sample;
use crate::time::unix_ms;
use crate::wait::Wait;
use gputide_sys::*;
use std::fmt;
use std::mem::size_of;
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
///     let applied = true; // write decision.desired() to the target, and say how that went
///     scaler.record(&mut decision, applied)?;
/// }
/// # Ok(())
/// # }
/// ```
pub struct Scaler {
    pub(crate) handle: Exclusive<gputide_scaler>,
    metrics: Vec<String>,
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
        let scaler = handle.get();
        // SAFETY: an open scaler, an index below its count.
        let metrics = (0..unsafe { gputide_scaler_metric_count(scaler) })
            .filter_map(|index| unsafe { borrowed_text(gputide_scaler_metric_name(scaler, index)) })
            .collect();
        Ok(Self { handle: Exclusive::new(handle), metrics, reports: false })
    }

    /// What the host allows, to be ended with [`Options::open`].
    pub fn options() -> Options {
        Options::new()
    }

    /// Its metrics: the words for them in every JSON text, in the order in which samples are given.
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }

    /// From now on [`tick`](Self::tick) and [`decide`](Self::decide) give each decision its report, or do not.
    pub fn set_reports(&mut self, reports: bool) -> &mut Self {
        self.reports = reports;
        self
    }

    /// Fetches every trigger that is due, and decides.  Blocks.  Samples of the observation are the values of triggers
    /// whose numbers the host pushes (type `values`).  A trigger that fails does not fail the call:
    /// [`Decision::has_failed`], and [`last_metrics`](Self::last_metrics) has each error.
    pub fn tick<'a>(&mut self, seen: &Observation, wait: impl Into<Wait<'a>>) -> Result<Decision> {
        let (seen, wait, scaler) = (seen.raw()?, wait.into(), self.handle.lock());
        // SAFETY: an open scaler, which this call has to itself; what the observation points to outlives it.
        Decision::of(self.reports, |out, report, err| unsafe {
            gputide_scaler_tick(scaler.get(), seen.get(), wait.timeout_ms(), wait.native(), out, report, err)
        })
    }

    /// The first half of a tick: one sample per metric; a read that fails is a sample that says so.  Blocks.
    pub fn fetch<'a>(&mut self, time: SystemTime, wait: impl Into<Wait<'a>>) -> Result<Vec<Sample>> {
        let (wait, scaler) = (wait.into(), self.handle.lock());
        let mut samples = vec![gputide_sample::zeroed(); self.metrics.len()];
        let mut count = 0;
        // SAFETY: an open scaler, which this call has to itself; room for as many samples as are said.
        check(|err| unsafe {
            gputide_scaler_fetch(
                scaler.get(),
                unix_ms(time),
                wait.timeout_ms(),
                wait.native(),
                samples.as_mut_ptr(),
                size_of::<gputide_sample>() as u32,
                samples.len() as u32,
                &mut count,
                err,
            )
        })?;
        Ok(samples.iter().take(count as usize).map(Sample::from_raw).collect())
    }

    /// As [`tick`](Self::tick), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn tick_async(&mut self, seen: &Observation, timeout: std::time::Duration) -> Result<Decision> {
        let (mut scaler, seen) = (self.share(), seen.clone());
        crate::asynchronous::blocking(move |cancel| scaler.tick(&seen, Wait::of(timeout).cancel(cancel))).await
    }

    /// As [`fetch`](Self::fetch), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn fetch_async(&mut self, time: SystemTime, timeout: std::time::Duration) -> Result<Vec<Sample>> {
        let mut scaler = self.share();
        crate::asynchronous::blocking(move |cancel| scaler.fetch(time, Wait::of(timeout).cancel(cancel))).await
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn share(&self) -> Self {
        Self { handle: self.handle.share(), metrics: self.metrics.clone(), reports: self.reports }
    }

    /// The second half: the observation's samples as [`fetch`](Self::fetch) gave them.
    pub fn decide(&mut self, seen: &Observation) -> Result<Decision> {
        let (seen, scaler) = (seen.raw()?, self.handle.lock());
        // SAFETY: an open scaler, which this call has to itself; what the observation points to outlives it.
        Decision::of(self.reports, |out, report, err| unsafe {
            gputide_scaler_decide(scaler.get(), seen.get(), out, report, err)
        })
    }

    /// How the write of the decision's size went, once, now.
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

    /// JSON: a list of {type, status, reason, message, since}.
    pub fn conditions(&self) -> Result<String> {
        let scaler = self.handle.lock();
        // SAFETY: an open scaler.
        text_of(|out, err| unsafe { gputide_scaler_conditions(scaler.get(), out, err) })
    }

    /// JSON: a list with one object per metric, the last value with its age, state, latency, and the error where it
    /// failed.
    pub fn last_metrics(&self) -> Result<String> {
        let scaler = self.handle.lock();
        // SAFETY: an open scaler.
        text_of(|out, err| unsafe { gputide_scaler_metrics(scaler.get(), out, err) })
    }

    /// The policy as JSON, each default filled in.
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

    /// What [`save`](Self::save) gave, in place of the state.
    pub fn load(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        let (scaler, (text, size)) = (self.handle.lock(), sized(text.as_ref()));
        // SAFETY: an open scaler, which this call has to itself; the text goes with its size.
        check(|err| unsafe { gputide_scaler_load(scaler.get(), text, size, err) })
    }
}

impl fmt::Debug for Scaler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Scaler").field("metrics", &self.metrics).finish_non_exhaustive()
    }
}
