//! Shared by the conformance program and the tests.

pub mod closed;
pub mod json;
pub mod support;
