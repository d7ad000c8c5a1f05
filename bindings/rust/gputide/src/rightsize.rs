//! Finds what a workload really needs: samples of its GPUs in, bounds and what to run it on out.

use crate::call::{check, sized, terminated, text_of};
use crate::error::Result;
use crate::handle::Owned;
use crate::options::Options;
use crate::time::unix_ms;
use gputide_sys::*;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::size_of;
use std::time::SystemTime;

/// Finds what any number of containers need, by one set of settings: a number of GPUs, a MIG profile, a machine, or several
/// replicas on one GPU, with the evidence and the money (docs/rightsizing.md).  No I/O and no clock.
///
/// ```
/// use gputide::{Rightsize, UsageSample};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// # fn main() -> gputide::Result<()> {
/// let mut rightsize = Rightsize::open(r#"{"gpu_model": "A100", "gpu_memory_bytes": "80G"}"#)?;
/// let chat = rightsize.container("chat")?;
/// let time = UNIX_EPOCH + Duration::from_secs(1_795_255_200);
/// let sample = UsageSample::at(time).container(chat).busy(30.5).memory_bytes(5_000_000_000);
/// assert_eq!(rightsize.add(&[sample])?, 1);
/// let recommended = rightsize.recommend(chat, time)?; // JSON: verdict, recommendation, runner-up and the rest
/// assert!(recommended.contains(r#""verdict""#));
/// # Ok(())
/// # }
/// ```
pub struct Rightsize {
    handle: Owned<gputide_rightsize>,
    not_sync: PhantomData<Cell<()>>,
}

impl Rightsize {
    /// settings: YAML or JSON: settings of our own, a GpuCatalogue, a VerticalPodAutoscaler, each at most once.
    pub fn open(settings: impl AsRef<[u8]>) -> Result<Self> {
        Self::open_with(settings, &Options::new())
    }

    /// As [`open`](Self::open), with files, which may hold the same.
    pub fn open_with(settings: impl AsRef<[u8]>, options: &Options) -> Result<Self> {
        let ((text, size), options) = (sized(settings.as_ref()), options.raw()?);
        // SAFETY: settings and options outlive the call.
        let handle = Owned::open(|out, err| unsafe { gputide_rightsize_open(text, size, options.get(), out, err) })?;
        Ok(Self { handle, not_sync: PhantomData })
    }

    /// The settings as JSON, each default filled in, with what was found to remark of them.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: an open rightsize.
        text_of(|out, err| unsafe { gputide_rightsize_describe(self.handle.get(), out, err) })
    }

    /// The number of the container of that name, from 1; new on its first use.  0 is the one without a
    /// name, which is always there.
    pub fn container(&mut self, name: &str) -> Result<u32> {
        let (name, mut number) = (terminated(name, "name")?, 0);
        // SAFETY: an open rightsize, which this call has to itself; the name ends with a NUL.
        check(|err| unsafe { gputide_rightsize_container(self.handle.get(), name.as_ptr(), &mut number, err) })?;
        Ok(number)
    }

    /// Adds samples, those of one unit in the order of their times, and says of how many something counted: a value below
    /// 0, NaN, an infinity and what is older than the unit's last do not.
    pub fn add(&mut self, samples: &[UsageSample]) -> Result<u32> {
        let (first, count) = (samples.as_ptr().cast::<gputide_usage_sample>(), samples.len() as u32);
        let mut taken = 0;
        // SAFETY: an open rightsize, which this call has to itself; a UsageSample is C's sample and nothing else.
        check(|err| unsafe {
            let size = size_of::<gputide_usage_sample>() as u32;
            gputide_rightsize_add(self.handle.get(), first, size, count, &mut taken, err)
        })?;
        Ok(taken)
    }

    /// The recommendation from a container's samples, as JSON: verdict, recommendation and runner-up, evidence, money, and a sentence.
    pub fn recommend(&self, container: u32, time: SystemTime) -> Result<String> {
        // SAFETY: an open rightsize.
        text_of(|out, err| unsafe {
            gputide_rightsize_recommend(self.handle.get(), container, unix_ms(time), out, err)
        })
    }

    /// The machines for a known need of each GPU , as JSON: machines, MIG profile and sharing, the best one first.  Both
    /// with whatever margin they should have.
    pub fn fit(&self, memory_bytes: i64, util_percent: f64) -> Result<String> {
        // SAFETY: an open rightsize.
        text_of(|out, err| unsafe { gputide_rightsize_fit(self.handle.get(), memory_bytes, util_percent, out, err) })
    }

    /// One container's text that survives a restart, for [`load`](Self::load): the status of a
    /// VerticalPodAutoscalerCheckpoint with members of our own.
    pub fn save(&self, container: u32, time: SystemTime) -> Result<String> {
        // SAFETY: an open rightsize.
        text_of(|out, err| unsafe { gputide_rightsize_save(self.handle.get(), container, unix_ms(time), out, err) })
    }

    /// In place of what the container had: what [`save`](Self::save) gave under settings of the same profile and half-life,
    /// or the checkpoint object of a VPA.
    pub fn load(&mut self, container: u32, text: impl AsRef<[u8]>) -> Result<()> {
        let (text, size) = sized(text.as_ref());
        // SAFETY: an open rightsize, which this call has to itself; the text goes with its size.
        check(|err| unsafe { gputide_rightsize_load(self.handle.get(), container, text, size, err) })
    }
}

impl fmt::Debug for Rightsize {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Rightsize")
    }
}

/// One GPU, MIG instance or (profile vpa) container of a pod, at one time, for [`Rightsize::add`].
#[derive(Clone, Copy, Debug)]
#[must_use]
#[repr(transparent)]
pub struct UsageSample(gputide_usage_sample);

impl UsageSample {
    /// The state of the container without a name and its first GPU.  Nothing is told of it until it is given.
    pub fn at(time: SystemTime) -> Self {
        Self(gputide_usage_sample { time_ms: unix_ms(time), ..gputide_usage_sample::zeroed() })
    }

    /// Its number, as [`Rightsize::container`] gave it.
    pub fn container(mut self, number: u32) -> Self {
        self.0.container = number;
        self
    }

    /// Which of the container's GPUs, from 0 over all replicas, up to 4095.
    pub fn unit(mut self, unit: u32) -> Self {
        self.0.unit = unit;
        self
    }

    /// Percent of time or, better, of its engines; profile vpa: cores.
    pub fn busy(mut self, busy: f64) -> Self {
        (self.0.busy, self.0.flags) = (busy, self.0.flags | GPUTIDE_USAGE_BUSY);
        self
    }

    /// In use, of this GPU.
    pub fn memory_bytes(mut self, memory_bytes: i64) -> Self {
        (self.0.memory_bytes, self.0.flags) = (memory_bytes, self.0.flags | GPUTIDE_USAGE_MEMORY);
        self
    }

    /// It ran out of memory with so much requested; none: unknown.  Whatever else is told of it does not count.
    pub fn out_of_memory(mut self, requested_bytes: Option<i64>) -> Self {
        (self.0.memory_bytes, self.0.flags) = (requested_bytes.unwrap_or(0), self.0.flags | GPUTIDE_USAGE_OOM);
        self
    }
}
