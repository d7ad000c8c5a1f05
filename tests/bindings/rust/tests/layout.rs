//! mirrors: each struct lies as bindings/abi.json says.  build.rs has the tests written by tests/bindings/conformance.

use core::mem::{align_of, offset_of, size_of};
use gputide_sys::*;

include!(concat!(env!("OUT_DIR"), "/layout.rs"));
