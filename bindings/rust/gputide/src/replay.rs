//! Shows what a manifest would have done, over recorded metrics: the code that decides live, with the clock as a parameter.

use crate::call::{check, pointer, sized, terminated, text_of};
use crate::decision::Decision;
use crate::error::{ErrorKind, Result};
use crate::handle::{Exclusive, Owned};
use crate::options::Options;
use crate::sample::{raw_samples, Sample};
use crate::scaler::Scaler;
use crate::time::unix_ms;
use crate::wait::{Cancel, Wait};
use gputide_sys::*;
use std::fmt;
use std::mem::size_of;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Recorded values of each metric over time, and the workload's size meanwhile.  At most 20 million points, in any order;
/// duplicates, gaps and NaN are sorted out and counted.
pub struct Series(Exclusive<gputide_series>);

impl Series {
    /// One without a point.
    pub fn new() -> Result<Self> {
        // SAFETY: out and err are buffers.
        Owned::open(|out, err| unsafe { gputide_series_new(out, err) }).map(|handle| Self(Exclusive::new(handle)))
    }

    /// Points of one metric, in any order.  A NaN or an infinity is a point without a number.
    pub fn add(&mut self, metric: i32, points: impl IntoIterator<Item = (SystemTime, f64)>) -> Result<()> {
        let (times, values) = unzip(points);
        let series = self.0.lock();
        // SAFETY: an open series, which this call has to itself; as many times as values.
        check(|err| unsafe {
            gputide_series_add(series.get(), metric, times.as_ptr(), values.as_ptr(), values.len() as u64, err)
        })
    }

    /// Replica counts that the workload had: what a closed loop needs.
    pub fn add_replicas(&mut self, points: impl IntoIterator<Item = (SystemTime, i32)>) -> Result<()> {
        let (times, replicas) = unzip(points);
        let series = self.0.lock();
        // SAFETY: an open series, which this call has to itself; as many times as sizes.
        check(|err| unsafe {
            let count = replicas.len() as u64;
            gputide_series_add_replicas(series.get(), times.as_ptr(), replicas.as_ptr(), count, err)
        })
    }

    /// Adds what a text holds, from that metric on: CSV (`time,value[,value...][,replicas]`), a saved answer of Prometheus'
    /// `query_range` with one series, or the log of `gputided run`.
    ///
    /// metric: none for the replica counts alone, and of a run log its decisions.  scaler: of a run log that holds
    /// several, `"namespace/name"`; none: the first one's.
    pub fn read(&mut self, metric: Option<i32>, text: impl AsRef<[u8]>, scaler: Option<&str>) -> Result<()> {
        let scaler = scaler.map(|name| terminated(name, "scaler")).transpose()?;
        let ((text, size), series) = (sized(text.as_ref()), self.0.lock());
        let metric = metric.unwrap_or(GPUTIDE_NO_METRIC);
        // SAFETY: an open series, which this call has to itself; the text goes with its size, the name ends with a NUL.
        check(|err| unsafe { gputide_series_read(series.get(), metric, text, size, pointer(scaler.as_ref()), err) })
    }

    /// The past of one metric straight from its source, both ends included, at most 11,000 steps.  Blocks.
    pub fn fetch<'a>(
        &mut self,
        scaler: &mut Scaler,
        metric: i32,
        range: std::ops::RangeInclusive<SystemTime>,
        step: Duration,
        wait: impl Into<Wait<'a>>,
    ) -> Result<()> {
        let (wait, series, scaler) = (wait.into(), self.0.lock(), scaler.handle.lock());
        let step_ms = i64::try_from(step.as_millis()).unwrap_or(i64::MAX);
        // SAFETY: an open series and an open scaler, which this call has to itself.
        check(|err| unsafe {
            gputide_series_fetch(
                series.get(),
                scaler.get(),
                metric,
                unix_ms(*range.start()),
                unix_ms(*range.end()),
                step_ms,
                wait.timeout_ms(),
                wait.native(),
                err,
            )
        })
    }

    /// As [`fetch`](Self::fetch), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn fetch_async(
        &mut self,
        scaler: &mut Scaler,
        metric: i32,
        range: std::ops::RangeInclusive<SystemTime>,
        step: Duration,
        timeout: Duration,
    ) -> Result<()> {
        let (mut series, mut scaler) = (Self(self.0.share()), scaler.share());
        crate::asynchronous::blocking(move |cancel| {
            series.fetch(&mut scaler, metric, range, step, Wait::of(timeout).cancel(cancel))
        })
        .await
    }

    /// The series as CSV, which [`read`](Self::read) takes.
    pub fn write(&mut self) -> Result<String> {
        let series = self.0.lock();
        // SAFETY: an open series, which this call has to itself.
        text_of(|out, err| unsafe { gputide_series_write(series.get(), out, err) })
    }

    /// JSON: points, from, to, gaps, duplicates and the like.
    pub fn describe(&mut self) -> Result<String> {
        describe(&self.0.lock())
    }

    /// The series in order, for any number of replays, also at the same time.
    pub fn seal(self) -> Result<Sealed> {
        let handle = self.0.into_owned();
        match describe(&handle) {
            Err(error) if error.kind() != ErrorKind::NoData => Err(error), // one without a point is in order
            _ => Ok(Sealed(Arc::new(SealedSeries(handle)))),
        }
    }
}

fn unzip<T>(points: impl IntoIterator<Item = (SystemTime, T)>) -> (Vec<i64>, Vec<T>) {
    points.into_iter().map(|(time, value)| (unix_ms(time), value)).unzip()
}

/// Puts the series in order, too.
fn describe(series: &Owned<gputide_series>) -> Result<String> {
    // SAFETY: an open series, which the caller has to itself.
    text_of(|out, err| unsafe { gputide_series_describe(series.get(), out, err) })
}

impl fmt::Debug for Series {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Series")
    }
}

/// A series that nothing is added to any more.  Threads may share it, and a clone is the same series.
#[derive(Clone)]
pub struct Sealed(Arc<SealedSeries>);

struct SealedSeries(Owned<gputide_series>);

// SAFETY: it was described, and from then on is only read.
unsafe impl Sync for SealedSeries {}

impl Sealed {
    /// The series to add to again, where this is the last of its clones; else itself.
    pub fn unseal(self) -> Result<Series, Self> {
        Arc::try_unwrap(self.0).map(|series| Series(Exclusive::new(series.0))).map_err(Self)
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Sealed")
    }
}

/// One replay: a manifest's policy, a model, and the sums so far.
pub struct Replay(Exclusive<gputide_replay>);

impl Replay {
    /// settings: JSON, every member and its default in docs/replay.md; none: the defaults.
    pub fn open(manifest: impl AsRef<[u8]>, options: &Options, settings: Option<&str>) -> Result<Self> {
        let ((text, size), options) = (sized(manifest.as_ref()), options.raw()?);
        let (settings, settings_size) = settings.map_or((std::ptr::null(), 0), |text| sized(text.as_bytes()));
        // SAFETY: the texts go with their sizes, and outlive the call as the options do.
        Owned::open(|out, err| unsafe {
            gputide_replay_open(text, size, options.get(), settings, settings_size, out, err)
        })
        .map(|handle| Self(Exclusive::new(handle)))
    }

    /// All of a series, once.  Takes as long as it takes.
    pub fn run(&mut self, series: &Sealed, cancel: Option<&Cancel>) -> Result<()> {
        let replay = self.0.lock();
        let cancel = cancel.map_or(std::ptr::null(), Cancel::get);
        // SAFETY: an open replay, which this call has to itself, and a series that is only read.
        check(|err| unsafe { gputide_replay_run(replay.get(), series.0 .0.get(), cancel, err) })
    }

    /// As [`run`](Self::run), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn run_async(&mut self, series: &Sealed) -> Result<()> {
        let (mut replay, series) = (Self(self.0.share()), series.clone());
        crate::asynchronous::blocking(move |cancel| replay.run(&series, Some(cancel))).await
    }

    /// Adds what was recorded at a time, which must not go back: one sample per metric, and the size where it is known.  Gives
    /// the last decision taken so far; it has no source before the first.
    pub fn record(&mut self, time: SystemTime, samples: &[Sample], replicas: Option<i32>) -> Result<Decision> {
        let (mut texts, replay) = (Vec::new(), self.0.lock());
        let samples = raw_samples(samples, &mut texts)?;
        let mut last = gputide_decision::zeroed();
        // SAFETY: an open replay, which this call has to itself; as many samples as are said.
        check(|err| unsafe {
            gputide_replay_record(
                replay.get(),
                unix_ms(time),
                samples.as_ptr(),
                size_of::<gputide_sample>() as u32,
                samples.len() as u32,
                replicas.unwrap_or(-1),
                &mut last,
                err,
            )
        })?;
        Ok(Decision::new(last, None))
    }

    /// The result, as JSON.  Ends the replay: nothing can be recorded after it.
    pub fn report(&mut self) -> Result<String> {
        let replay = self.0.lock();
        // SAFETY: an open replay, which this call has to itself.
        text_of(|out, err| unsafe { gputide_replay_report(replay.get(), out, err) })
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Replay")
    }
}
