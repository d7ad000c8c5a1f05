//! The thread that drives a runtime, its own thread or the host's loop, and how it ends.

use super::Runtime;
use crate::call::check;
use crate::error::{Error, ErrorKind, Result};
use crate::time::{instant, unix_ms};
use crate::wait::Wait;
use gputide_sys::*;
#[cfg(unix)]
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

impl Runtime {
    /// Starts the runtime's own thread.
    pub fn start(&self) -> Result<()> {
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_start(self.get(), err) })
    }

    /// Ends it.  Blocks; [`ErrorKind::Timeout`] where it is still stopping: call again.
    pub fn stop<'a>(&self, wait: impl Into<Wait<'a>>) -> Result<()> {
        let wait = wait.into();
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_stop(self.get(), wait.timeout_ms(), err) })
    }

    /// Does what is due at that time and what the network has brought, without waiting.  When to call again at the latest;
    /// none: when something was changed.
    pub fn step(&self, time: SystemTime) -> Result<Option<SystemTime>> {
        let mut next_ms = 0;
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_step(self.get(), unix_ms(time), &mut next_ms, err) })?;
        Ok((next_ms != i64::MAX).then(|| instant(next_ms)))
    }

    /// A descriptor for poll, epoll and the like, readable while an event waits and, unless the runtime's thread drives
    /// it, while [`step`](Self::step) should be called.  Neither read nor close it.
    #[cfg(unix)]
    pub fn wake_fd(&self) -> Result<BorrowedFd<'_>> {
        let mut fd: RawFd = -1;
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_wake_fd(self.get(), &mut fd, err) })?;
        // SAFETY: the descriptor is the runtime's until it is freed.
        Ok(unsafe { BorrowedFd::borrow_raw(fd) })
    }

    /// Ends the runtime for good: other calls are refused from now on, those inside end soon, a wait for events included.
    /// Blocks; may be repeated.  [`ErrorKind::Timeout`] while a call is inside: call again.
    pub fn close<'a>(&self, wait: impl Into<Wait<'a>>) -> Result<()> {
        let wait = wait.into();
        self.closed.store(true, Ordering::Release);
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_runtime_close(self.get(), wait.timeout_ms(), err) })
    }

    /// The end of a wait for events: canceled, or, once [`close`](Self::close) was called, refused.
    pub(crate) fn is_end(&self, error: &Error) -> bool {
        match error.kind() {
            ErrorKind::Cancelled => true,
            ErrorKind::State => self.closed.load(Ordering::Acquire),
            _ => false,
        }
    }
}
