//! What the conformance program and the tests share.

pub mod closed;
pub mod json;
pub mod support;
