//! Handles of the library: freed when they are dropped, in any order.

use crate::call::check;
use crate::error::Result;
use crate::library::ensure;
use gputide_sys::*;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// The number of handles that this process has open: what a test for leaks asks.
pub fn alive() -> usize {
    ALIVE.load(Ordering::Relaxed)
}

/// A handle of C, and how it is freed.
pub(crate) trait Native {
    /// # Safety
    /// Once, while no call uses it.
    unsafe fn free(handle: *mut Self);
}

/// A handle with functions that take it as `const T *`, or may run side by side: threads share it.
pub(crate) trait Shared: Native {}

macro_rules! natives {
    ($($handle:ident freed by $free:ident;)*) => {
        $(impl Native for $handle {
            unsafe fn free(handle: *mut Self) {
                // SAFETY: the caller's.
                unsafe { $free(handle) }
            }
        })*
    };
}

natives! {
    gputide_cancel freed by gputide_cancel_free;
    gputide_credential freed by gputide_credential_free;
    gputide_forecast freed by gputide_forecast_free;
    gputide_log_reader freed by gputide_log_free;
    gputide_policy freed by gputide_policy_free;
    gputide_replay freed by gputide_replay_free;
    gputide_rightsize freed by gputide_rightsize_free;
    gputide_runtime freed by gputide_runtime_free;
    gputide_scaler freed by gputide_scaler_free;
    gputide_series freed by gputide_series_free;
    gputide_source freed by gputide_source_free;
    gputide_state freed by gputide_state_free;
}

impl Shared for gputide_cancel {}
impl Shared for gputide_credential {}
impl Shared for gputide_log_reader {} // by Mutex, and gputide_log_close, which any thread may call
impl Shared for gputide_policy {}
impl Shared for gputide_runtime {}

/// A handle that is freed when this is dropped.
pub(crate) struct Owned<T: Native> {
    handle: NonNull<T>,
}

// SAFETY: no function has thread affinity.
unsafe impl<T: Native> Send for Owned<T> {}
// SAFETY: the calls of such a handle may run side by side.
unsafe impl<T: Shared> Sync for Owned<T> {}

impl<T: Native> Owned<T> {
    /// function(arguments..., &out, &err).  Opens the library unless it is open.
    pub(crate) fn open(call: impl FnOnce(*mut *mut T, *mut gputide_error) -> gputide_status) -> Result<Self> {
        ensure()?;
        let mut out = std::ptr::null_mut();
        check(|err| call(&mut out, err))?;
        let handle = NonNull::new(out).expect("a handle, as the call succeeded");
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Ok(Self { handle })
    }

    #[inline]
    pub(crate) fn get(&self) -> *mut T {
        self.handle.as_ptr()
    }
}

impl<T: Native> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: open gave it, and every user of it borrows this.
        unsafe { T::free(self.handle.as_ptr()) };
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A handle with calls that wait.  They have it to themselves; one that a future has left behind is canceled, and the
/// next one waits for its end.
pub(crate) struct Exclusive<T: Native> {
    handle: Arc<Mutex<Owned<T>>>,
    not_sync: PhantomData<Cell<()>>,
}

impl<T: Native> Exclusive<T> {
    pub(crate) fn new(handle: Owned<T>) -> Self {
        Self { handle: Arc::new(Mutex::new(handle)), not_sync: PhantomData }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Owned<T>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a call on another thread, which keeps the handle alive until it has returned.
    #[cfg(feature = "tokio")]
    pub(crate) fn share(&self) -> Self {
        Self { handle: Arc::clone(&self.handle), not_sync: PhantomData }
    }

    /// The handle alone, once no call of before has it any more.
    pub(crate) fn into_owned(mut self) -> Owned<T> {
        loop {
            self.handle = match Arc::try_unwrap(self.handle) {
                Ok(alone) => return alone.into_inner().unwrap_or_else(PoisonError::into_inner),
                Err(shared) => shared,
            };
            std::thread::yield_now();
        }
    }
}
