//! Parts that every call of a C function needs: buffer for its error, its text outputs, its text inputs.

use crate::error::{Error, Result};
use gputide_sys::{gputide_error, gputide_status, gputide_text, gputide_text_free, GPUTIDE_OK};
use std::cell::UnsafeCell;
use std::ffi::{c_char, CStr, CString};

thread_local! {
    /// Made once: on entry the library reads its size alone.
    static BUFFER: UnsafeCell<gputide_error> = const { UnsafeCell::new(gputide_error::zeroed()) };
}

/// One C function that returns a status: `call` hands it the error as its last argument, and calls nothing else.
#[inline]
pub(crate) fn check(call: impl FnOnce(*mut gputide_error) -> gputide_status) -> Result<()> {
    BUFFER.with(|buffer| {
        if call(buffer.get()) == GPUTIDE_OK {
            return Ok(());
        }
        // SAFETY: this thread's own, and the call that wrote it has returned.
        Err(Error::of(unsafe { &*buffer.get() }))
    })
}

/// A `gputide_text` that the library fills, freed (and overwritten) when it goes.
pub(crate) struct Text(gputide_text);

// SAFETY: bytes that this value alone owns.
unsafe impl Send for Text {}
// SAFETY: shared, they are only read.
unsafe impl Sync for Text {}

impl Text {
    pub(crate) const fn new() -> Self {
        Self(gputide_text::zeroed())
    }

    pub(crate) fn buffer(&mut self) -> *mut gputide_text {
        &mut self.0
    }

    /// None where nothing was written.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        // SAFETY: the library's bytes, as many as it says.
        (!self.0.data.is_null())
            .then(|| unsafe { std::slice::from_raw_parts(self.0.data.cast(), self.0.size_bytes as usize) })
    }

    /// None where nothing was written.
    pub(crate) fn take(self) -> Option<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        if !self.0.data.is_null() {
            // SAFETY: filled by the library, and not freed yet.
            unsafe { gputide_text_free(&mut self.0) };
        }
    }
}

/// A C function with one text as its output.
pub(crate) fn text_of(call: impl FnOnce(*mut gputide_text, *mut gputide_error) -> gputide_status) -> Result<String> {
    let mut text = Text::new();
    check(|err| call(text.buffer(), err))?;
    Ok(text.take().unwrap_or_default())
}

/// The C arguments of a text that goes with its size.  Never NULL, which some functions read as "not given".
pub(crate) fn sized(bytes: &[u8]) -> (*const c_char, i64) {
    (bytes.as_ptr().cast(), bytes.len() as i64)
}

/// A text for C functions that stop at a NUL: one inside is refused.
pub(crate) fn terminated(text: impl Into<Vec<u8>>, name: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::nul(name))
}

pub(crate) fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(std::ptr::null(), |text| text.as_ptr())
}

/// Returns the name of a number; `"unknown"` where there is no library to ask.
#[cfg(not(any(feature = "dlopen", not(target_os = "linux"))))]
pub(crate) fn spelled(function: unsafe extern "C" fn(i32) -> *const c_char, code: i32) -> &'static str {
    // SAFETY: takes any number, and gives a static text.
    unsafe { static_text(function(code)) }
}

/// Returns the name of a number; `"unknown"` where there is no library to ask.
#[cfg(any(feature = "dlopen", not(target_os = "linux")))]
pub(crate) fn spelled(function: unsafe fn(i32) -> *const c_char, code: i32) -> &'static str {
    // SAFETY: takes any number, and gives a static text.
    crate::library::ensure().map_or("unknown", |()| unsafe { static_text(function(code)) })
}

/// # Safety
/// text is a static text of the library.
pub(crate) unsafe fn static_text(text: *const c_char) -> &'static str {
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("unknown")
}

/// A text that lives as long as its handle; none for NULL.
///
/// # Safety
/// text is NULL, or ends with a NUL and is there during the call.
pub(crate) unsafe fn borrowed_text(text: *const c_char) -> Option<String> {
    // SAFETY: the caller's.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
