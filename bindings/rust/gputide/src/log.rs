//! The library's log lines, pulled: no callback of the library enters Rust.

use crate::call::{check, Text};
use crate::error::{ErrorKind, Result};
use crate::handle::Owned;
use crate::numbers::LogLevel;
use crate::wait::Wait;
use gputide_sys::{gputide_log_close, gputide_log_next, gputide_log_open, gputide_log_reader};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// The severity.
    pub level: LogLevel,
    /// Without a line feed.
    pub text: String,
}

/// Every line of the whole process from its opening on; up to 256 wait, then the oldest give way.
///
/// ```no_run
/// use gputide::{LogLevel, LogReader};
///
/// # fn main() -> gputide::Result<()> {
/// let mut reader = LogReader::open(LogLevel::INFO)?;
/// let closer = reader.closer();
/// let lines = std::thread::spawn(move || reader.lines().for_each(|line| eprintln!("{}: {}", line.level, line.text)));
/// // ...
/// closer.close();
/// lines.join().unwrap();
/// # Ok(())
/// # }
/// ```
pub struct LogReader {
    shared: Arc<Reader>,
    not_sync: PhantomData<Cell<()>>,
}

struct Reader {
    handle: Owned<gputide_log_reader>,
    turn: Mutex<()>, // of a wait that a future has left behind, and the next
}

impl LogReader {
    /// Lines of this level and more severe ones.
    pub fn open(level: LogLevel) -> Result<Self> {
        // SAFETY: out and err are buffers.
        let handle = Owned::open(|out, err| unsafe { gputide_log_open(level.code(), out, err) })?;
        Ok(Self { shared: Arc::new(Reader { handle, turn: Mutex::new(()) }), not_sync: PhantomData })
    }

    /// The next line; none where none came in time.  Blocks; a duration of zero looks and does not wait.
    pub fn next_line<'a>(&mut self, wait: impl Into<Wait<'a>>) -> Result<Option<LogLine>> {
        let wait = wait.into();
        let (mut text, mut level) = (Text::new(), 0);
        let _turn = self.shared.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: an open reader, which this call has to itself.
        let done = check(|err| unsafe {
            gputide_log_next(self.shared.handle.get(), wait.timeout_ms(), wait.native(), text.buffer(), &mut level, err)
        });
        match done {
            Ok(()) => Ok(Some(LogLine { level: level.into(), text: text.take().unwrap_or_default() })),
            Err(error) if error.kind() == ErrorKind::NoData => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// As [`next_line`](Self::next_line), for a task of tokio's.
    #[cfg(feature = "tokio")]
    pub async fn next_line_async(&mut self, timeout: std::time::Duration) -> Result<Option<LogLine>> {
        let mut reader = Self { shared: Arc::clone(&self.shared), not_sync: PhantomData };
        crate::asynchronous::blocking(move |cancel| reader.next_line(Wait::of(timeout).cancel(cancel))).await
    }

    /// Lines until the reader is closed.
    pub fn lines(&mut self) -> impl Iterator<Item = LogLine> + '_ {
        std::iter::from_fn(|| self.next_line(Wait::forever()).ok().flatten())
    }

    /// Ends this reader's waits, from any thread.
    pub fn closer(&self) -> LogCloser {
        LogCloser(Arc::clone(&self.shared))
    }
}

impl fmt::Debug for LogReader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LogReader")
    }
}

/// Ends the waits of a [`LogReader`], now and from now on.
#[derive(Clone)]
pub struct LogCloser(Arc<Reader>);

impl LogCloser {
    /// Ends them.  May be repeated.
    pub fn close(&self) {
        // SAFETY: any thread, also during a call.
        unsafe { gputide_log_close(self.0.handle.get()) };
    }
}

impl fmt::Debug for LogCloser {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LogCloser")
    }
}
