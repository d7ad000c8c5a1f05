//! libgputide's C API as C has it: types, numbers and functions. The headers of `include/gputide` document them. The crate
//! `gputide` is the one to use; this is its raw layer.
//!
//! How the library is found:
//!
//! | | |
//! |---|---|
//! | by default | linked: from the folder in `GPUTIDE_LIB_DIR`, else as `pkg-config gputide-full` says |
//! | feature `vendored` | built by CMake from the source tree around this crate, linked in whole; `GPUTIDE_LIB_DIR` goes before it |
//! | feature `dlopen` | opened when `load` is called; functions go through the tables of `gputide_api` and the other components |
//! | on other systems than Linux | not at all: programs compile, and `load` returns an error |
#![cfg_attr(not(any(feature = "dlopen", not(target_os = "linux"))), no_std)]
#![allow(non_camel_case_types)]

#[cfg(all(target_os = "linux", not(target_pointer_width = "64")))]
compile_error!("gputide runs on 64-bit Linux alone");

mod functions;
#[cfg(any(feature = "dlopen", not(target_os = "linux")))]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod loading;

#[allow(missing_docs, clippy::missing_safety_doc, clippy::too_many_arguments)] // documented in the headers
#[rustfmt::skip]
mod abi;

pub use abi::*;
pub(crate) use functions::{functions, zeroed};
#[cfg(any(feature = "dlopen", not(target_os = "linux")))]
pub use loading::{gputide_abi_version, load, LoadError};

#[cfg(not(any(feature = "dlopen", not(target_os = "linux"))))]
extern "C" {
    /// The number to compare with [`GPUTIDE_ABI_VERSION`], before anything else.
    pub fn gputide_abi_version() -> i32;
}

/// The struct of a handle: nothing that Rust may look at, move or share.
#[repr(C)]
struct Opaque {
    _bytes: [u8; 0],
    _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Returns whether a release ("0.3.1") is this crate's minor or a later one.
pub fn is_new_enough(release: &str) -> bool {
    let mut parts = release.split('.').map(|part| part.parse::<i32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next()) >= (GPUTIDE_VERSION_MAJOR, GPUTIDE_VERSION_MINOR)
}
