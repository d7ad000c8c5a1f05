//! The expansion of the generated declarations: `abi.rs` lists each function once.

/// A struct that is filled with zeros, and knows its size where it has to say it.
macro_rules! zeroed {
    ($name:ident $(, $size:ident)?) => {
        impl $name {
            /// Filled with zeros but for `struct_size`, where the struct has one.
            pub const fn zeroed() -> Self {
                // SAFETY: integers, floats, pointers and optional functions, for all of which zeros are a value.
                #[allow(unused_mut)]
                let mut out: Self = unsafe { core::mem::zeroed() };
                $(out.$size = core::mem::size_of::<Self>() as u32;)?
                out
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::zeroed()
            }
        }
    };
}

/// The functions of a table: declared, for the linker to find; or calls through the table of the library that was opened.
macro_rules! functions {
    ($api:ident $table:ident $calls:ident; $(fn $name:ident, $short:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        /// A table of functions under their names without `gputide_`.  Check `struct_size` before using a member that a
        /// later release added.
        #[repr(C)]
        pub struct $table {
            pub struct_size: u32,
            pub abi_version: i32,
            $(pub $short: unsafe extern "C" fn($($argument: $kind),*) $(-> $result)?,)*
        }

        #[cfg(not(any(feature = "dlopen", not(target_os = "linux"))))]
        extern "C" {
            /// Returns the functions as a table, for the ABI of that number; NULL with the reason in err.
            pub fn $api(abi_version: u32, err: *mut gputide_error) -> *const $table;
            $(pub fn $name($($argument: $kind),*) $(-> $result)?;)*
        }

        #[cfg(any(feature = "dlopen", not(target_os = "linux")))]
        mod $calls {
            use super::*;
            $(
                /// # Safety
                /// As the headers say, and [`load`](crate::load) has given `Ok` before.
                #[inline]
                pub unsafe fn $name($($argument: $kind),*) $(-> $result)? {
                    // SAFETY: the caller's.
                    unsafe { (crate::loading::$api().$short)($($argument),*) }
                }
            )*
        }
        #[cfg(any(feature = "dlopen", not(target_os = "linux")))]
        pub use $calls::*;
    };
}

pub(crate) use {functions, zeroed};
