//! The error of a failed call.

use crate::numbers::{Action, Status};
use crate::sample::Sample;
use crate::time::optional_instant;
use gputide_sys::gputide_error;
use std::ffi::c_char;
use std::fmt;
use std::time::SystemTime;

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed call: what happened, where, and what to do about it.  Never holds a secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: ErrorKind,
    status: Option<Status>,
    action: Action,
    retryable: bool,
    http_status: Option<i32>,
    retry_at_ms: i64,
    service_code: String,
    place: String,
    message: String,
    detail: String,
    sample: Option<Sample>,
}

/// The kinds of errors that callers tell apart: one for each [`Status`], and what never reached the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A manifest, setting or argument is wrong.
    Invalid,
    /// Credentials were refused.
    Auth,
    /// Credentials are good, a role is missing.
    Forbidden,
    /// Too many requests: wait until [`Error::retry_at`].
    Throttled,
    /// Network or service, for now.
    Unavailable,
    /// This credential source does not exist on this machine.
    Unsupported,
    /// The caller's deadline, or the peer's own.
    Timeout,
    /// The call was canceled, or its handle closed.
    Cancelled,
    /// The peer refuses this query for good.
    Rejected,
    /// An answer that cannot be used.
    Protocol,
    /// Going on would have been unsafe.
    Security,
    /// The query works and there is no value.
    NoData,
    /// Several where one is needed.
    Ambiguous,
    /// The peer says that its answer is incomplete.
    Partial,
    /// A size, depth or count limit of the library.
    Limit,
    /// A saved state that is damaged or foreign; a call that does not fit what was done before; a handle of the parent
    /// process.
    State,
    /// The library does not know what was asked of it: it is older than this crate.
    TooNew,
    /// Memory ran out.
    NoMemory,
    /// Ours: please report it with the message.
    Bug,
    /// An id or name that is not there.
    NotFound,
    /// A NUL, or in an element of a list a comma, which C would cut the text at; nothing was called.
    Nul,
    /// No usable libgputide-full.so.1; the message has each place that was tried.
    Library,
    /// A status that this release has no kind for: see [`Error::status`].
    Other,
}

impl ErrorKind {
    fn of(status: Status) -> Self {
        match status {
            Status::INVALID => Self::Invalid,
            Status::AUTH => Self::Auth,
            Status::FORBIDDEN => Self::Forbidden,
            Status::THROTTLED => Self::Throttled,
            Status::UNAVAILABLE => Self::Unavailable,
            Status::UNSUPPORTED => Self::Unsupported,
            Status::TIMEOUT => Self::Timeout,
            Status::CANCELLED => Self::Cancelled,
            Status::REJECTED => Self::Rejected,
            Status::PROTOCOL => Self::Protocol,
            Status::SECURITY => Self::Security,
            Status::NO_DATA => Self::NoData,
            Status::AMBIGUOUS => Self::Ambiguous,
            Status::PARTIAL => Self::Partial,
            Status::LIMIT => Self::Limit,
            Status::STATE => Self::State,
            Status::TOO_NEW => Self::TooNew,
            Status::NO_MEMORY => Self::NoMemory,
            Status::BUG => Self::Bug,
            Status::NOT_FOUND => Self::NotFound,
            _ => Self::Other,
        }
    }
}

impl Error {
    /// The kind of event, to match on.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The library's number for it; none where nothing was called.
    pub fn status(&self) -> Option<Status> {
        self.0.status
    }

    /// The next action.
    pub fn action(&self) -> Action {
        self.0.action
    }

    /// The same call, unchanged, may work later.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// The HTTP status of the answer, where there was one over HTTP.
    pub fn http_status(&self) -> Option<i32> {
        self.0.http_status
    }

    /// When to try again, if it is known.
    pub fn retry_at(&self) -> Option<SystemTime> {
        optional_instant(self.0.retry_at_ms)
    }

    /// The peer's own: `"AADSTS700024"`, `"bad_data"`; or empty.
    pub fn service_code(&self) -> &str {
        &self.0.service_code
    }

    /// `"so.yaml:17 spec.triggers[0].metadata.threshold"`; or empty.  C calls it where.
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// Which thing, what was expected, what came, what to do.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// JSON: class, and what else the peer said; empty where there was nothing to add, or too much for its buffer.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The error of a failed read: the same as the sample that a decision takes.
    pub fn sample(&self) -> Option<&Sample> {
        self.0.sample.as_ref()
    }

    /// A text with a NUL inside, which C would end there.
    pub(crate) fn nul(name: &str) -> Self {
        Self::here(ErrorKind::Nul, format!("{name} holds a NUL character"))
    }

    pub(crate) fn comma(name: &str, element: &str) -> Self {
        Self::here(ErrorKind::Nul, format!("{name}: a comma in {element:?}; give a list"))
    }

    pub(crate) fn library(message: String) -> Self {
        Self::here(ErrorKind::Library, message)
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn shut_down() -> Self {
        Self::here(ErrorKind::Cancelled, "the tokio runtime shuts down".to_owned())
    }

    #[cfg(all(feature = "tokio", unix))]
    pub(crate) fn reactor(problem: &std::io::Error) -> Self {
        Self::here(ErrorKind::Unavailable, format!("tokio cannot watch the runtime's descriptor: {problem}"))
    }

    fn here(kind: ErrorKind, message: String) -> Self {
        Self(Box::new(Inner {
            kind,
            status: None,
            action: Action::NONE,
            retryable: false,
            http_status: None,
            retry_at_ms: 0,
            service_code: String::new(),
            place: String::new(),
            message,
            detail: String::new(),
            sample: None,
        }))
    }

    #[cold]
    pub(crate) fn of(raw: &gputide_error) -> Self {
        let status = Status::from(raw.status);
        Self(Box::new(Inner {
            kind: ErrorKind::of(status),
            status: Some(status),
            action: raw.action.into(),
            retryable: raw.retryable != 0,
            http_status: (raw.http_status != 0).then_some(raw.http_status),
            retry_at_ms: raw.retry_at_ms,
            service_code: text(&raw.service_code),
            place: text(&raw.r#where),
            message: text(&raw.message),
            detail: text(&raw.detail),
            sample: None,
        }))
    }

    pub(crate) fn with_sample(mut self, sample: Option<Sample>) -> Self {
        self.0.sample = sample;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.place.is_empty() {
            write!(out, "{}: ", self.0.place)?;
        }
        out.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        use std::io::ErrorKind as Io;
        let kind = match error.kind() {
            ErrorKind::Timeout => Io::TimedOut,
            ErrorKind::Cancelled => Io::Interrupted,
            ErrorKind::Invalid | ErrorKind::Nul => Io::InvalidInput,
            ErrorKind::Auth | ErrorKind::Forbidden => Io::PermissionDenied,
            ErrorKind::NotFound => Io::NotFound,
            ErrorKind::NoMemory => Io::OutOfMemory,
            _ => Io::Other,
        };
        Self::new(kind, error)
    }
}

/// Returns the text in a buffer of C before its NUL; the library cuts on a character's boundary.
pub(crate) fn text(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as u8).collect();
    String::from_utf8(bytes).unwrap_or_else(|odd| String::from_utf8_lossy(odd.as_bytes()).into_owned())
}
