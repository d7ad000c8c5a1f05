//! Finds, checks and opens libgputide-full.so.1, once per process: the order of `docs/bindings.md`.

use crate::{
    gputide_api_table, gputide_error, gputide_kubernetes_api_table, gputide_plan_api_table, is_new_enough,
    GPUTIDE_ABI_VERSION, GPUTIDE_VERSION_MAJOR, GPUTIDE_VERSION_MINOR,
};
use core::ffi::{c_char, c_int, c_void, CStr};
use std::ffi::{CString, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;

#[link(name = "dl")]
extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn dladdr(address: *const c_void, place: *mut Place) -> c_int;
}

const RTLD_DEFAULT: *mut c_void = core::ptr::null_mut();
const RTLD_NOW: c_int = 2;
const RTLD_DEEPBIND: c_int = 8; // glibc's

type AbiVersion = unsafe extern "C" fn() -> i32;
type Version = unsafe extern "C" fn() -> *const c_char;
type Api<T> = unsafe extern "C" fn(u32, *mut gputide_error) -> *const T;

/// No usable libgputide-full.so.1: what was wanted, each place that was tried, what was found there, and the remedy.
#[derive(Clone, Debug)]
pub struct LoadError {
    message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}

static TABLE: AtomicPtr<gputide_api_table> = AtomicPtr::new(core::ptr::null_mut());
static PLAN_TABLE: AtomicPtr<gputide_plan_api_table> = AtomicPtr::new(core::ptr::null_mut());
static KUBERNETES_TABLE: AtomicPtr<gputide_kubernetes_api_table> = AtomicPtr::new(core::ptr::null_mut());
static OPENED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Opens the library unless it is open: this file and no other, or the one that `GPUTIDE_LIBRARY` names and no other, or
/// what the system's search finds.  Fails for a file where another one is open already.
pub fn load(file: Option<&Path>) -> Result<(), LoadError> {
    let mut opened = OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(there) = &*opened {
        return match file {
            Some(wanted) if !same_file(wanted, there) => Err(LoadError {
                message: format!(
                    "gputide: {} is open already, {} cannot take its place",
                    there.display(),
                    wanted.display()
                ),
            }),
            _ => Ok(()),
        };
    }
    *opened = Some(find(file)?);
    Ok(())
}

fn same_file(path: &Path, other: &Path) -> bool {
    matches!((path.canonicalize(), other.canonicalize()), (Ok(path), Ok(other)) if path == other)
}

/// Returns a table of the library that is open.  `load` has given `Ok` before.
macro_rules! table {
    ($api:ident $table:ident $place:ident) => {
        #[inline]
        pub(crate) fn $api() -> &'static $table {
            let table = $place.load(Ordering::Acquire);
            debug_assert!(!table.is_null(), "load() first");
            // SAFETY: `load` stores the library's static table; every caller promises that it was called.
            unsafe { &*table }
        }
    };
}

table!(gputide_api gputide_api_table TABLE);
table!(gputide_plan_api gputide_plan_api_table PLAN_TABLE);
table!(gputide_kubernetes_api gputide_kubernetes_api_table KUBERNETES_TABLE);

/// The number to compare with [`GPUTIDE_ABI_VERSION`].
///
/// # Safety
/// [`load`] has given `Ok` before.
pub unsafe fn gputide_abi_version() -> i32 {
    gputide_api().abi_version
}

fn find(file: Option<&Path>) -> Result<PathBuf, LoadError> {
    let soname = format!("libgputide-full.so.{GPUTIDE_ABI_VERSION}");
    let (label, name) = match (file, std::env::var_os("GPUTIDE_LIBRARY").filter(|named| !named.is_empty())) {
        (Some(file), _) => (file.display().to_string(), absolute(file)),
        (None, Some(named)) => {
            (format!("GPUTIDE_LIBRARY={}", Path::new(&named).display()), absolute(Path::new(&named)))
        }
        (None, None) => (format!("{soname} (the system's search)"), OsString::from(&soname)),
    };
    open(&name).map_err(|problem| LoadError {
        message: format!(
            "gputide: no usable {soname} for ABI {GPUTIDE_ABI_VERSION}, release \
             {GPUTIDE_VERSION_MAJOR}.{GPUTIDE_VERSION_MINOR}.0 or newer. Tried:\n  {label}   {problem}\n\
             Install Debian's libgputide-full{GPUTIDE_ABI_VERSION}, or set GPUTIDE_LIBRARY to the library's full path."
        ),
    })
}

/// By its absolute path: a name without a slash would be searched for.
fn absolute(file: &Path) -> OsString {
    std::env::current_dir().unwrap_or_default().join(file).into_os_string()
}

fn open(name: &OsString) -> Result<PathBuf, String> {
    let path = Path::new(name);
    if path.is_absolute() && !path.exists() {
        return Err("there is no such file".to_owned());
    }
    let c_name = CString::new(name.as_bytes()).map_err(|_| "a NUL in the path".to_owned())?;
    // SAFETY: dlopen and dlerror as dlopen(3) has them; the library is never closed.
    let library = unsafe {
        let library = dlopen(c_name.as_ptr(), RTLD_NOW | deep_binding());
        if library.is_null() {
            return Err(text(dlerror()));
        }
        library
    };
    // SAFETY: the table is static for as long as the library is open, which is for ever.
    unsafe { check(library) }
}

/// Compares the library with what this crate was written for, and stores its table.
///
/// # Safety
/// library is what dlopen gave.
unsafe fn check(library: *mut c_void) -> Result<PathBuf, String> {
    // SAFETY: these names have these types in every libgputide.
    unsafe {
        let (abi_version, version) =
            (dlsym(library, c"gputide_abi_version".as_ptr()), dlsym(library, c"gputide_version".as_ptr()));
        if abi_version.is_null() || version.is_null() {
            return Err("not a libgputide: it has no gputide_abi_version".to_owned());
        }
        let abi = (core::mem::transmute::<*mut c_void, AbiVersion>(abi_version))();
        if abi != GPUTIDE_ABI_VERSION {
            let kind = if abi > GPUTIDE_ABI_VERSION { "a newer" } else { "an older" };
            return Err(format!("ABI {abi}: {kind} release; install the gputide crate that belongs to it"));
        }
        let release = text((core::mem::transmute::<*mut c_void, Version>(version))());
        if !is_new_enough(&release) {
            return Err(format!(
                "release {release}: too old; install a newer libgputide, or use the gputide crate that belongs to it"
            ));
        }
        let tables = (table_of(library, c"gputide_api"), table_of(library, c"gputide_plan_api"));
        let (Some(table), Some(plan), Some(kubernetes)) =
            (tables.0, tables.1, table_of(library, c"gputide_kubernetes_api"))
        else {
            return Err(format!(
                "release {release} is incomplete: it lacks functions of this crate; install libgputide-full"
            ));
        };
        PLAN_TABLE.store(plan, Ordering::Release);
        KUBERNETES_TABLE.store(kubernetes, Ordering::Release);
        TABLE.store(table, Ordering::Release);
        Ok(file_of(version))
    }
}

/// Returns a component's table if it is as long as this crate's.
///
/// # Safety
/// library is what dlopen gave; name is the function that returns a `T`, which begins with its size.
unsafe fn table_of<T>(library: *mut c_void, name: &CStr) -> Option<*mut T> {
    // SAFETY: the caller's.
    unsafe {
        let api = dlsym(library, name.as_ptr());
        if api.is_null() {
            return None;
        }
        let abi = GPUTIDE_ABI_VERSION as u32;
        let table = (core::mem::transmute::<*mut c_void, Api<T>>(api))(abi, core::ptr::null_mut());
        let is_whole = !table.is_null() && (*table.cast::<u32>() as usize) >= core::mem::size_of::<T>();
        is_whole.then(|| table.cast_mut())
    }
}

/// `RTLD_DEEPBIND` where the program has an OpenSSL of its own in the global scope: the library's libcurl would bind to
/// that one.  Not where malloc is replaced or AddressSanitizer runs, which deep binding would part in two.
fn deep_binding() -> c_int {
    let global = |name: &CStr| {
        // SAFETY: dlsym as dlsym(3) has it.
        unsafe { dlsym(RTLD_DEFAULT, name.as_ptr()) }
    };
    if !cfg!(target_env = "gnu") || global(c"SSL_CTX_new").is_null() || !global(c"__asan_init").is_null() {
        return 0;
    }
    let of_libc = file_of(global(c"malloc")).file_name().is_some_and(|name| name.as_bytes().starts_with(b"libc."));
    if of_libc {
        RTLD_DEEPBIND
    } else {
        0
    }
}

/// `Dl_info` of dladdr(3).
#[repr(C)]
struct Place {
    file: *const c_char,
    base: *mut c_void,
    name: *const c_char,
    address: *mut c_void,
}

/// The file that an address is mapped from; empty where the system cannot say.
fn file_of(address: *const c_void) -> PathBuf {
    let null = core::ptr::null_mut::<c_void>();
    let mut place = Place { file: null.cast(), base: null, name: null.cast(), address: null };
    // SAFETY: dladdr as dladdr(3) has it; what it gives stays, as the library is never closed.
    unsafe {
        if dladdr(address, &mut place) == 0 || place.file.is_null() {
            return PathBuf::new();
        }
        PathBuf::from(std::ffi::OsStr::from_bytes(CStr::from_ptr(place.file).to_bytes()))
    }
}

/// # Safety
/// text is NULL or ends with a NUL.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return "dlopen failed".to_owned();
    }
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
