//! Events on tokio's reactor.

use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::runtime::Runtime;
use std::fmt;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;

impl Runtime {
    /// Every event until the runtime is closed, as a stream that needs no thread: it drives the runtime, where nothing else
    /// does, whenever [`wake_fd`](Self::wake_fd) is readable.  Inside a tokio runtime with its I/O driver.
    pub fn events_stream(&self) -> Result<EventStream<'_>> {
        let fd = WakeFd(self.wake_fd()?); // borrowed from the runtime, so it stays open: what the later name asks for
        #[allow(deprecated)] // since tokio 1.54, which has another name for it
        let fd = AsyncFd::with_interest(fd, Interest::READABLE);
        let fd = fd.map_err(|problem| Error::reactor(&problem))?;
        Ok(EventStream { runtime: self, fd })
    }
}

struct WakeFd<'a>(BorrowedFd<'a>);

impl AsRawFd for WakeFd<'_> {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A runtime's events.  Dropping it between two of them loses none.
pub struct EventStream<'a> {
    runtime: &'a Runtime,
    fd: AsyncFd<WakeFd<'a>>,
}

impl EventStream<'_> {
    /// The next event; none once the runtime is closed.
    pub async fn next(&mut self) -> Option<Result<Event>> {
        std::future::poll_fn(|context| self.poll_event(context)).await
    }

    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Event>>> {
        loop {
            // Readiness first, and cleared only when nothing is left to do: what comes meanwhile is then news again.
            let mut ready = match std::task::ready!(self.fd.poll_read_ready(context)) {
                Ok(ready) => ready,
                Err(problem) => return Poll::Ready(Some(Err(Error::reactor(&problem)))),
            };
            match taken(self.runtime) {
                Ok(Some(event)) => return Poll::Ready(Some(Ok(event))),
                Ok(None) => ready.clear_ready(),
                Err(error) if self.runtime.is_end(&error) => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl futures_core::Stream for EventStream<'_> {
    type Item = Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_event(context)
    }
}

impl fmt::Debug for EventStream<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("EventStream")
    }
}

/// Does what is due, and takes what has come of it.
fn taken(runtime: &Runtime) -> Result<Option<Event>> {
    match runtime.step(SystemTime::now()) {
        // Its thread or another stream drives it; or it is closed, which the next call says.
        Err(error) if error.kind() != ErrorKind::State => Err(error),
        _ => runtime.next_event(Duration::ZERO),
    }
}
