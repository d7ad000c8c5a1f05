//! One metric: where it is, how it is asked for, how its answer becomes one number.

use crate::call::{check, sized, text_of};
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
/// assert_eq!(source.parse(401, "unknown token").unwrap_err().kind(), ErrorKind::Auth);
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

    /// Reads all series without reducing them to one number, as JSON: result type, every point and histogram of every
    /// series with its labels, warnings, infos, partial.  Several series and an empty response are allowed.  Blocks.
    pub fn fetch_all<'a>(&mut self, time: SystemTime, wait: impl Into<Wait<'a>>) -> Result<String> {
        let wait = wait.into();
        let source = self.0.lock();
        // SAFETY: an open source, which this call has to itself.
        text_of(|out, err| unsafe {
            gputide_source_fetch_all(source.get(), unix_ms(time), wait.timeout_ms(), wait.native(), out, err)
        })
    }

    /// As [`fetch`](Self::fetch), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn fetch_async(&mut self, time: SystemTime, timeout: std::time::Duration) -> Result<Sample> {
        let mut source = Self(self.0.share());
        crate::asynchronous::blocking(move |cancel| source.fetch(time, Wait::of(timeout).cancel(cancel))).await
    }

    /// As [`fetch_all`](Self::fetch_all), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn fetch_all_async(&mut self, time: SystemTime, timeout: std::time::Duration) -> Result<String> {
        let mut source = Self(self.0.share());
        crate::asynchronous::blocking(move |cancel| source.fetch_all(time, Wait::of(timeout).cancel(cancel))).await
    }

    /// Returns what would be sent, as JSON: method, url, headers, body.  A cloud token is not in it.
    pub fn request(&self, time: SystemTime) -> Result<String> {
        let source = self.0.lock();
        // SAFETY: an open source.
        text_of(|out, err| unsafe { gputide_source_request(source.get(), unix_ms(time), out, err) })
    }

    /// Parses a response by the trigger's rules.
    pub fn parse(&self, http_status: i32, body: impl AsRef<[u8]>) -> Result<Sample> {
        let (source, (body, size)) = (self.0.lock(), sized(body.as_ref()));
        // SAFETY: an open source; the body goes with its size.
        read(|out, err| unsafe { gputide_source_parse(source.get(), http_status, body, size, out, err) })
    }

    /// Parses a response as [`fetch_all`](Self::fetch_all) does.  headers: lines `Name: value`, or empty.
    pub fn parse_all(&self, http_status: i32, headers: impl AsRef<[u8]>, body: impl AsRef<[u8]>) -> Result<String> {
        let ((headers, headers_size), (body, size)) = (sized(headers.as_ref()), sized(body.as_ref()));
        let source = self.0.lock();
        // SAFETY: an open source; the texts go with their sizes.
        text_of(|out, err| unsafe {
            gputide_source_parse_all(source.get(), http_status, headers, headers_size, body, size, out, err)
        })
    }

    /// Describes the trigger, as JSON: target, metric name, type, settings with every default.  Holds no secret.
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

/// A Kubernetes quantity (`"1500m"`, `"2Ki"`, `"0.1"`) in thousandths, rounded away from zero as Kubernetes does.
pub fn quantity(text: impl AsRef<[u8]>) -> Result<i64> {
    ensure()?;
    let ((text, size), mut milli) = (sized(text.as_ref()), 0);
    // SAFETY: the text goes with its size.
    check(|err| unsafe { gputide_quantity(text, size, &mut milli, err) })?;
    Ok(milli)
}
