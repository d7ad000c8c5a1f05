//! The library behind this crate: which one it is, and whether it is the right one.

use crate::call::static_text;
use crate::error::{Error, Result};
use std::path::PathBuf;

/// The number of the binary interface that this crate was written for.
pub const ABI_VERSION: i32 = gputide_sys::GPUTIDE_ABI_VERSION;

/// `"0.3.0"`: the release of the library that runs.
pub fn version() -> Result<&'static str> {
    ensure()?;
    // SAFETY: static text.
    Ok(unsafe { static_text(gputide_sys::gputide_version()) })
}

/// The features of the library.
pub fn features() -> Result<Features> {
    ensure()?;
    // SAFETY: takes nothing.
    Ok(Features(unsafe { gputide_sys::gputide_features() }))
}

/// The features of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// Returns whether it has this one: `gputide_sys::GPUTIDE_FEATURE_PLAN` and the like.
    pub const fn has(self, feature: u32) -> bool {
        self.0 & feature != 0
    }

    /// Returns whether manifests may be YAML; without it only JSON.
    pub const fn yaml(self) -> bool {
        self.has(gputide_sys::GPUTIDE_FEATURE_YAML)
    }

    /// All of them as bits, `GPUTIDE_FEATURE_*`, and what a newer library adds.
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// JSON of compiler and dependency versions, for bug reports.
pub fn build_info() -> Result<&'static str> {
    ensure()?;
    // SAFETY: static text.
    Ok(unsafe { static_text(gputide_sys::gputide_build_info()) })
}

/// The file that the library's code comes from; the program itself where the library is inside it.
pub fn library_path() -> Result<PathBuf> {
    ensure()?;
    // SAFETY: a static text inside the library.
    place::file_of(unsafe { gputide_sys::gputide_version() }.cast())
        .ok_or_else(|| Error::library("the system cannot say where libgputide comes from".to_owned()))
}

#[cfg(target_os = "linux")]
mod place {
    use std::ffi::{c_char, c_int, c_void, CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;

    /// `Dl_info` of dladdr(3).
    #[repr(C)]
    struct Place {
        file: *const c_char,
        _base: *mut c_void,
        _name: *const c_char,
        _address: *mut c_void,
    }

    extern "C" {
        fn dladdr(address: *const c_void, place: *mut Place) -> c_int;
    }

    /// Returns the file that an address of the library is mapped from; none where the system cannot say.
    pub(super) fn file_of(address: *const c_void) -> Option<PathBuf> {
        let null = std::ptr::null_mut::<c_void>();
        let mut place = Place { file: null.cast(), _base: null, _name: null.cast(), _address: null };
        // SAFETY: dladdr as dladdr(3) has it; what it gives stays, as nothing is unloaded.
        unsafe {
            if dladdr(address, &mut place) == 0 || place.file.is_null() {
                return None;
            }
            Some(PathBuf::from(OsStr::from_bytes(CStr::from_ptr(place.file).to_bytes())))
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod place {
    /// Returns none: there is no library on this system.
    pub(super) fn file_of(_address: *const std::ffi::c_void) -> Option<std::path::PathBuf> {
        None
    }
}

/// Opens this library file and no other.  Before anything else of this crate; an error where another one is open already.
#[cfg(feature = "dlopen")]
pub fn load(file: impl AsRef<std::path::Path>) -> Result<()> {
    gputide_sys::load(Some(file.as_ref())).map_err(|problem| Error::library(problem.to_string()))
}

/// There is a library, and it is one for this crate.  Before the first call of a C function without a handle.
#[cfg(any(feature = "dlopen", not(target_os = "linux")))]
pub(crate) fn ensure() -> Result<()> {
    gputide_sys::load(None).map_err(|problem| Error::library(problem.to_string()))
}

/// There is a library, as the program runs: that it is one for this crate is observation once.
#[cfg(not(any(feature = "dlopen", not(target_os = "linux"))))]
pub(crate) fn ensure() -> Result<()> {
    use gputide_sys::{GPUTIDE_VERSION_MAJOR, GPUTIDE_VERSION_MINOR};
    static OLD: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let problem = OLD.get_or_init(|| {
        // SAFETY: they take nothing; the text is static.
        let (abi, release) =
            unsafe { (gputide_sys::gputide_abi_version(), static_text(gputide_sys::gputide_version())) };
        (abi != ABI_VERSION || !gputide_sys::is_new_enough(release)).then(|| {
            format!(
                "gputide: the libgputide that this program found has ABI {abi}, release {release}; it needs ABI \
                 {ABI_VERSION}, release {GPUTIDE_VERSION_MAJOR}.{GPUTIDE_VERSION_MINOR}.0 or newer. Install the \
                 library that belongs to the crate, or set LD_LIBRARY_PATH to its folder."
            )
        })
    });
    problem.as_ref().map_or(Ok(()), |problem| Err(Error::library(problem.clone())))
}
