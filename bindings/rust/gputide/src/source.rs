//! One metric: where it is, how it is asked for, how its answer becomes one number.

use crate::call::{borrowed_text, check, sized, text_of};
use crate::error::Result;
use crate::handle::{Exclusive, Owned};
use crate::library::ensure;
use crate::options::Options;
use crate::sample::Sample;
use crate::time::unix_ms;
use crate::wait::Wait;
use gputide_sys::*;
use std::fmt;
use std::time::SystemTime;

/// One entry of a ScaledObject's triggers, and beside it the TriggerAuthentication that it names.
///
/// ```
/// use gputide::{ErrorKind, Source};
///
/// # fn main() -> gputide::Result<()> {
/// let source = Source::open(
///     r#"{"type": "prometheus", "metadata": {"serverAddress": "http://prometheus:9090", "query": "up", "threshold": "5"}}"#,
/// )?;
/// let body = r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"42.5"]}]}}"#;
/// assert_eq!(source.parse(200, body)?.value(), Some(42.5));
/// assert_eq!(source.parse(401, "who are you").unwrap_err().kind(), ErrorKind::Auth);
/// # Ok(())
/// # }
/// ```
pub struct Source(Exclusive<gputide_source>);

impl Source {
    /// From the text of one trigger.  Nothing is sent.
    pub fn open(text: impl AsRef<[u8]>) -> Result<Self> {
        Self::open_with(text, &Options::new())
    }

    /// The same with options.
    pub fn open_with(text: impl AsRef<[u8]>, options: &Options) -> Result<Self> {
        let ((text, size), options) = (sized(text.as_ref()), options.raw()?);
        // SAFETY: text and options outlive the call.
        Owned::open(|out, err| unsafe { gputide_source_open(text, size, options.get(), out, err) })
            .map(|handle| Self(Exclusive::new(handle)))
    }

    /// Reads one value at the time of the query.  Blocks.  The error of a read that fails has its
    /// [`sample`](crate::Error::sample), which says so too.
    pub fn fetch<'a>(&mut self, time: SystemTime, wait: impl Into<Wait<'a>>) -> Result<Sample> {
        let wait = wait.into();
        let source = self.0.lock();
        // SAFETY: an open source, which this call has to itself.
        read(|out, err| unsafe {
            gputide_source_fetch(source.get(), unix_ms(time), wait.timeout_ms(), wait.native(), out, err)
        })
    }

    /// The whole answer: several series and none are both fine.  Blocks.
    pub fn fetch_all<'a>(&mut self, time: SystemTime, wait: impl Into<Wait<'a>>) -> Result<Samples> {
        let wait = wait.into();
        let source = self.0.lock();
        // SAFETY: an open source, which this call has to itself.
        Owned::open(|out, err| unsafe {
            gputide_source_fetch_all(source.get(), unix_ms(time), wait.timeout_ms(), wait.native(), out, err)
        })
        .map(Samples)
    }

    /// As [`fetch`](Self::fetch), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn fetch_async(&mut self, time: SystemTime, timeout: std::time::Duration) -> Result<Sample> {
        let mut source = Self(self.0.share());
        crate::asynchronous::blocking(move |cancel| source.fetch(time, Wait::of(timeout).cancel(cancel))).await
    }

    /// As [`fetch_all`](Self::fetch_all), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn fetch_all_async(&mut self, time: SystemTime, timeout: std::time::Duration) -> Result<Samples> {
        let mut source = Self(self.0.share());
        crate::asynchronous::blocking(move |cancel| source.fetch_all(time, Wait::of(timeout).cancel(cancel))).await
    }

    /// What would be sent, as JSON: method, url, headers, body.  A cloud token is not in it.
    pub fn request(&self, time: SystemTime) -> Result<String> {
        let source = self.0.lock();
        // SAFETY: an open source.
        text_of(|out, err| unsafe { gputide_source_request(source.get(), unix_ms(time), out, err) })
    }

    /// What an answer comes to, by the trigger's rules.
    pub fn parse(&self, http_status: i32, body: impl AsRef<[u8]>) -> Result<Sample> {
        let (source, (body, size)) = (self.0.lock(), sized(body.as_ref()));
        // SAFETY: an open source; the body goes with its size.
        read(|out, err| unsafe { gputide_source_parse(source.get(), http_status, body, size, out, err) })
    }

    /// The answer as it came.  headers: lines `Name: value`, or empty.
    pub fn parse_all(&self, http_status: i32, headers: impl AsRef<[u8]>, body: impl AsRef<[u8]>) -> Result<Samples> {
        let ((headers, headers_size), (body, size)) = (sized(headers.as_ref()), sized(body.as_ref()));
        let source = self.0.lock();
        // SAFETY: an open source; the texts go with their sizes.
        Owned::open(|out, err| unsafe {
            gputide_source_parse_all(source.get(), http_status, headers, headers_size, body, size, out, err)
        })
        .map(Samples)
    }

    /// What the trigger came to, as JSON: target, metric name, type, settings with every default.  Holds no secret.
    pub fn describe(&self) -> Result<String> {
        let source = self.0.lock();
        // SAFETY: an open source.
        text_of(|out, err| unsafe { gputide_source_describe(source.get(), out, err) })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Source")
    }
}

/// A failed read tells its reason twice: as the error, and as the sample that a decision takes.
fn read(call: impl FnOnce(*mut gputide_sample, *mut gputide_error) -> gputide_status) -> Result<Sample> {
    let mut raw = gputide_sample::zeroed();
    let done = check(|err| call(&mut raw, err));
    let sample = Sample::from_raw(&raw);
    match done {
        Ok(()) => Ok(sample),
        Err(error) => Err(error.with_sample((raw.state != GPUTIDE_SAMPLE_NOT_GIVEN).then_some(sample))),
    }
}

/// An answer as it came: the newest point of each series, with its labels.  Threads may share it.
pub struct Samples(Owned<gputide_samples>);

impl Samples {
    /// How many series.
    pub fn len(&self) -> u32 {
        // SAFETY: open.
        unsafe { gputide_samples_count(self.0.get()) }
    }

    /// No series came.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest point of one series; [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) beyond the last.
    pub fn get(&self, index: u32) -> Result<Sample> {
        let mut raw = gputide_sample::zeroed();
        // SAFETY: open.
        check(|err| unsafe { gputide_samples_get(self.0.get(), index, &mut raw, err) })?;
        Ok(Sample::from_raw(&raw))
    }

    /// `{"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}`; none beyond the last.
    pub fn labels(&self, index: u32) -> Option<String> {
        // SAFETY: open; the text lives as long as it is.
        unsafe { borrowed_text(gputide_samples_labels(self.0.get(), index)) }
    }

    /// The newest points, one series after another.
    pub fn iter(&self) -> impl Iterator<Item = Result<Sample>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The whole answer as JSON: type of result, every point and histogram of every series, warnings, infos, partial.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: open.
        text_of(|out, err| unsafe { gputide_samples_describe(self.0.get(), out, err) })
    }
}

impl fmt::Debug for Samples {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Samples({})", self.len())
    }
}

/// A Kubernetes quantity (`"1500m"`, `"2Ki"`, `"0.1"`) in thousandths, rounded away from zero as Kubernetes does.
pub fn quantity(text: impl AsRef<[u8]>) -> Result<i64> {
    ensure()?;
    let ((text, size), mut milli) = (sized(text.as_ref()), 0);
    // SAFETY: the text goes with its size.
    check(|err| unsafe { gputide_quantity(text, size, &mut milli, err) })?;
    Ok(milli)
}
