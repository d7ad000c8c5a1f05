//! The time that a call may wait, and how it is ended from elsewhere.

use crate::error::Result;
use crate::handle::Owned;
use crate::time::duration_ms;
use gputide_sys::{gputide_cancel, gputide_cancel_fire, gputide_cancel_new, GPUTIDE_FOREVER};
use std::fmt;
use std::time::Duration;

/// Ends calls that wait, from any thread.  One may serve several calls.
///
/// ```
/// use gputide::{Cancel, ErrorKind, Runtime, Wait};
///
/// # fn main() -> gputide::Result<()> {
/// let (runtime, cancel) = (Runtime::new()?, Cancel::new()?);
/// std::thread::scope(|scope| {
///     scope.spawn(|| cancel.fire());
///     let ended = runtime.next_event(Wait::forever().cancel(&cancel)).unwrap_err();
///     assert_eq!(ended.kind(), ErrorKind::Cancelled);
/// });
/// # Ok(())
/// # }
/// ```
pub struct Cancel(Owned<gputide_cancel>);

impl Cancel {
    /// One that has not been fired.
    pub fn new() -> Result<Self> {
        // SAFETY: out and err are buffers.
        Owned::open(|out, err| unsafe { gputide_cancel_new(out, err) }).map(Self)
    }

    /// Ends the calls that use it, and those that will, with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).  Takes
    /// a lock: not for a signal handler.
    pub fn fire(&self) {
        // SAFETY: any thread, any time.
        unsafe { gputide_cancel_fire(self.0.get()) };
    }

    pub(crate) fn get(&self) -> *const gputide_cancel {
        self.0.get()
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Cancel")
    }
}

/// The time that a call may wait at most, over all of it (token, DNS, retries, body): made of a [`Duration`], and with
/// [`cancel`](Self::cancel) ended from elsewhere.  Rounded up to milliseconds; 24.8 days are the longest.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    timeout_ms: i32,
    cancel: Option<&'a Cancel>,
}

impl<'a> Wait<'a> {
    /// At most so long.
    pub fn of(timeout: Duration) -> Self {
        Self { timeout_ms: duration_ms(timeout), cancel: None }
    }

    /// Until it comes, or is canceled.  For events, logs and a runtime's end; other calls refuse it.
    pub fn forever() -> Self {
        Self { timeout_ms: GPUTIDE_FOREVER, cancel: None }
    }

    /// Or until this is fired.
    #[must_use]
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    pub(crate) fn timeout_ms(&self) -> i32 {
        self.timeout_ms
    }

    pub(crate) fn native(&self) -> *const gputide_cancel {
        self.cancel.map_or(std::ptr::null(), Cancel::get)
    }
}

impl From<Duration> for Wait<'_> {
    fn from(timeout: Duration) -> Self {
        Self::of(timeout)
    }
}
