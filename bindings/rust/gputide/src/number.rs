//! The header's enums: numbers with names, and open for those that a newer library adds.

/// A number of C with the names that this release knows for some of its values.
macro_rules! number {
    ($(#[$doc:meta])* $kind:ident $(spelled $spelled:ident)? { $($(#[$member_doc:meta])* $name:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $kind(i32);

        #[allow(missing_docs)] // those whose name says it all
        impl $kind {
            $($(#[$member_doc])* pub const $name: Self = Self($value);)*

            /// The number that C has for it.
            pub const fn code(self) -> i32 {
                self.0
            }

            fn known(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }

        impl From<i32> for $kind {
            fn from(code: i32) -> Self {
                Self(code)
            }
        }

        impl From<$kind> for i32 {
            fn from(number: $kind) -> Self {
                number.0
            }
        }

        impl std::fmt::Debug for $kind {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.known() {
                    Some(name) => write!(out, "{}::{name}", stringify!($kind)),
                    None => write!(out, "{}({})", stringify!($kind), self.0),
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $(return out.pad(crate::call::spelled(gputide_sys::$spelled, self.0));)?
                #[allow(unreachable_code)] // where the library has the word
                match self.known() {
                    Some(name) => out.pad(&name.to_ascii_lowercase()),
                    None => out.pad("unknown"),
                }
            }
        }
    };
}

pub(crate) use number;
