//! `load` on systems other than Linux: programs that use this crate compile there, and nothing can be called.

use crate::{gputide_api_table, gputide_kubernetes_api_table, gputide_plan_api_table, GPUTIDE_ABI_VERSION};
use std::fmt;
use std::path::Path;

/// No usable libgputide-full.so.1: what the library runs on, and what this program was built for.
#[derive(Clone, Debug)]
pub struct LoadError;

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        write!(
            out,
            "gputide: libgputide-full.so.{GPUTIDE_ABI_VERSION} runs on 64-bit Linux; this is {system}/{machine}: the program \
             compiles here, run it on Linux"
        )
    }
}

impl std::error::Error for LoadError {}

/// Returns an error: no library can be opened on this system.
pub fn load(_file: Option<&Path>) -> Result<(), LoadError> {
    Err(LoadError)
}

/// Never returns: every caller promises that `load` has given `Ok`.
pub(crate) fn gputide_api() -> &'static gputide_api_table {
    panic!("{LoadError}")
}

/// As [`gputide_api`].
pub(crate) fn gputide_plan_api() -> &'static gputide_plan_api_table {
    panic!("{LoadError}")
}

/// As [`gputide_api`].
pub(crate) fn gputide_kubernetes_api() -> &'static gputide_kubernetes_api_table {
    panic!("{LoadError}")
}

/// The number to compare with [`GPUTIDE_ABI_VERSION`].
///
/// # Safety
/// [`load`] has given `Ok` before.
pub unsafe fn gputide_abi_version() -> i32 {
    gputide_api().abi_version
}
