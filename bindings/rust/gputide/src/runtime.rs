//! Many scalers in one process: polled at their intervals, over shared connections and tokens; decisions come as events.

mod driving;

use crate::call::{check, sized, terminated, text_of, Text};
use crate::decision::Decision;
use crate::error::{ErrorKind, Result};
use crate::event::{Event, Events};
use crate::handle::Owned;
use crate::observation::Observation;
use crate::options::Options;
use crate::runtime_options::RuntimeOptions;
use crate::sample::{raw_samples, Sample};
use crate::time::unix_ms;
use crate::wait::{Cancel, Wait};
use gputide_sys::*;
use std::fmt;
use std::mem::size_of;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// A scaler's number in its runtime: never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScalerId(u64);

impl From<u64> for ScalerId {
    fn from(id: u64) -> Self {
        Self(id)
    }
}

impl From<ScalerId> for u64 {
    fn from(id: ScalerId) -> Self {
        id.0
    }
}

impl fmt::Display for ScalerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Many scalers in one process.  Every method may be called from any thread.
///
/// It is driven in one of three ways: by a thread of its own ([`start`](Self::start)), by the host's loop
/// ([`step`](Self::step), with [`wake_fd`](Self::wake_fd)), or, with neither, by the caller that waits in
/// [`next_event`](Self::next_event).  Dropping it ends its thread and gives up requests under way; save states before.
///
/// ```no_run
/// use gputide::{Observation, Runtime};
///
/// # fn write(_: &str, _: i32) -> bool { true }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::new()?;
/// let scaler = runtime.add(std::fs::read("so.yaml")?)?;
/// runtime.observe(scaler, &Observation::now(3))?;
/// for event in runtime.events() {
///     let mut event = event?;
///     if event.wants_write() {
///         let applied = write(&event.name(), event.desired());
///         runtime.record(&mut event, applied)?;
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Runtime {
    handle: Owned<gputide_runtime>,
    closed: AtomicBool,
}

impl Runtime {
    /// Nothing is sent and no thread is started.
    pub fn new() -> Result<Self> {
        Self::with_options(&RuntimeOptions::new())
    }

    /// The same with options.
    pub fn with_options(options: &RuntimeOptions) -> Result<Self> {
        let options = options.raw();
        // SAFETY: the options outlive the call.
        Owned::open(|out, err| unsafe { gputide_runtime_new(&options, out, err) })
            .map(|handle| Self { handle, closed: AtomicBool::new(false) })
    }

    pub(crate) fn get(&self) -> *mut gputide_runtime {
        self.handle.get()
    }

    /// One more scaler; its id.  It is polled from the first observation on.
    pub fn add(&self, manifest: impl AsRef<[u8]>) -> Result<ScalerId> {
        self.add_with(manifest, &Options::new(), 0)
    }

    /// The same with options, and with a number of the host's own that comes back in each of its events.
    pub fn add_with(&self, manifest: impl AsRef<[u8]>, options: &Options, tag: u64) -> Result<ScalerId> {
        let ((text, size), options, mut id) = (sized(manifest.as_ref()), options.raw()?, 0);
        // SAFETY: manifest and options outlive the call.
        check(|err| unsafe { gputide_runtime_add(self.get(), text, size, options.get(), tag, &mut id, err) })?;
        Ok(ScalerId(id))
    }

    /// Another manifest for the same name; observation, schedule and, where it fits, state stay, and the tag where there
    /// is not a new one.
    pub fn replace(&self, id: ScalerId, manifest: impl AsRef<[u8]>, options: &Options, tag: Option<u64>) -> Result<()> {
        let ((text, size), options) = (sized(manifest.as_ref()), options.raw()?);
        let tag = tag.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: manifest, options and tag outlive the call.
        check(|err| unsafe { gputide_runtime_replace(self.get(), id.0, text, size, options.get(), tag, err) })
    }

    /// Ends a scaler, what it is asking and the event that waits for it.
    pub fn remove(&self, id: ScalerId) -> Result<()> {
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_remove(self.get(), id.0, err) })
    }

    /// The id of `"namespace/name"`.
    pub fn find(&self, name: &str) -> Result<ScalerId> {
        let (name, mut id) = (terminated(name, "name")?, 0);
        // SAFETY: the name ends with a NUL.
        check(|err| unsafe { gputide_runtime_find(self.get(), name.as_ptr(), &mut id, err) })?;
        Ok(ScalerId(id))
    }

    /// The id behind that one, none: the first.  [`ErrorKind::NotFound`] behind the last.
    pub fn next_scaler(&self, after: Option<ScalerId>) -> Result<ScalerId> {
        let mut id = 0;
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_next_scaler(self.get(), after.map_or(0, u64::from), &mut id, err) })?;
        Ok(ScalerId(id))
    }

    /// All ids; one that is there all the while comes exactly once, whatever is added and removed meanwhile.
    pub fn scalers(&self) -> impl Iterator<Item = ScalerId> + '_ {
        let after = |id: Option<ScalerId>| self.next_scaler(id).ok();
        std::iter::successors(after(None), move |id| after(Some(*id)))
    }

    /// Sets what is true of a scaler's target now; used until the next one.  The first starts the polling.
    pub fn observe(&self, id: ScalerId, observation: &Observation) -> Result<()> {
        let observation = observation.raw()?;
        // SAFETY: what the observation points to outlives the call.
        check(|err| unsafe { gputide_runtime_observe(self.get(), id.0, observation.get(), err) })
    }

    /// Numbers of metrics that the host brings, one per metric; one that is not given keeps what was.
    pub fn push(&self, id: ScalerId, samples: &[Sample]) -> Result<()> {
        let mut texts = Vec::new();
        let samples = raw_samples(samples, &mut texts)?;
        let (size, count) = (size_of::<gputide_sample>() as u32, samples.len() as u32);
        // SAFETY: as many samples as are said.
        check(|err| unsafe { gputide_runtime_push(self.get(), id.0, samples.as_ptr(), size, count, err) })
    }

    /// The next event; none where none came in time.  A duration of zero looks and does not wait.  Drives the runtime
    /// meanwhile where no thread does.  Blocks.
    pub fn next_event<'a>(&self, wait: impl Into<Wait<'a>>) -> Result<Option<Event>> {
        let (wait, mut raw) = (wait.into(), Box::new(gputide_event::zeroed()));
        let (mut decision, mut report) = (gputide_decision::zeroed(), Text::new());
        // SAFETY: buffers for what comes.
        let done = check(|err| unsafe {
            gputide_runtime_next_event(
                self.get(),
                wait.timeout_ms(),
                wait.native(),
                &mut *raw,
                &mut decision,
                report.buffer(),
                err,
            )
        });
        match done {
            Ok(()) => Ok(Some(Event::new(raw, Decision::new(decision, report.take())))),
            Err(error) if error.kind() == ErrorKind::NoData => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every event until the runtime is closed.
    pub fn events(&self) -> Events<'_> {
        Events::new(self, None)
    }

    /// Every event until the runtime is closed or the cancel is fired.
    pub fn events_until<'a>(&'a self, cancel: &'a Cancel) -> Events<'a> {
        Events::new(self, Some(cancel))
    }

    /// Records how the write of an event's decision went, once, now; where it was applied, its size is the target's from now on.
    pub fn record(&self, event: &mut Event, applied: bool) -> Result<()> {
        self.record_decision(event.id(), event.decision_mut(), applied, SystemTime::now())
    }

    /// The same for a decision without its event, or at another time than now.
    pub fn record_decision(
        &self,
        id: ScalerId,
        decision: &mut Decision,
        applied: bool,
        time: SystemTime,
    ) -> Result<()> {
        // SAFETY: the decision is borrowed.
        decision.record(|raw, err| unsafe {
            gputide_runtime_record(self.get(), id.0, raw, applied.into(), unix_ms(time), err)
        })
    }

    /// A scaler's state as text that survives a restart.
    pub fn save(&self, id: ScalerId) -> Result<String> {
        // SAFETY: an open runtime.
        text_of(|out, err| unsafe { gputide_runtime_save(self.get(), id.0, out, err) })
    }

    /// The text that [`save`](Self::save) gave, in place of the scaler's state.
    pub fn load(&self, id: ScalerId, text: impl AsRef<[u8]>) -> Result<()> {
        let (text, size) = sized(text.as_ref());
        // SAFETY: the text goes with its size.
        check(|err| unsafe { gputide_runtime_load(self.get(), id.0, text, size, err) })
    }

    /// One scaler as JSON: its numbers, its observation, its last decision, its metrics.
    pub fn describe(&self, id: ScalerId) -> Result<String> {
        // SAFETY: an open runtime.
        text_of(|out, err| unsafe { gputide_runtime_describe(self.get(), id.0, out, err) })
    }

    /// Counters of the whole as JSON: poll lag, errors by reason, queues, endpoints with their breakers.
    pub fn stats(&self) -> Result<String> {
        // SAFETY: an open runtime.
        text_of(|out, err| unsafe { gputide_runtime_stats(self.get(), out, err) })
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Runtime")
    }
}
