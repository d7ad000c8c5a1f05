//! The settings of a runtime's polls.

use crate::time::duration_ms;
use gputide_sys::*;
use std::time::Duration;

/// The settings of a runtime's polls.  What is not said is the library's default (docs/runtime.md).
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RuntimeOptions(gputide_runtime_options);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $flag:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, wanted: bool) -> Self {
            self.0.flags = if wanted { self.0.flags | $flag } else { self.0.flags & !$flag };
            self
        })*
    };
}

macro_rules! durations {
    ($($(#[$doc:meta])* $name:ident: $member:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: Duration) -> Self {
            self.0.$member = duration_ms($name);
            self
        })*
    };
}

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(mut self, $name: i32) -> Self {
            self.0.$name = $name;
            self
        })*
    };
}

impl RuntimeOptions {
    /// The library's defaults.
    pub fn new() -> Self {
        Self(gputide_runtime_options::zeroed())
    }

    flags! {
        /// Events also for decisions that change nothing.
        every_decision: GPUTIDE_RUNTIME_EVERY_DECISION;
        /// Events carry the decision as JSON, with conditions and trace.
        reports: GPUTIDE_RUNTIME_REPORTS;
        /// Each scaler asks for itself, also where two ask the same.
        no_sharing: GPUTIDE_RUNTIME_NO_SHARING;
        /// Each poll begins with an observation that a due event asks for.
        observe_first: GPUTIDE_RUNTIME_OBSERVE_FIRST;
    }

    /// A seed of the start offsets: where in its period a scaler begins.
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.seed = seed;
        self
    }

    durations! {
        /// The timeout of one poll: tokens, queries, retries; 10 s.
        poll_timeout: poll_timeout_ms;
        /// First polls come within that time; within the scaler's own shorter period.
        start_spread: start_spread_ms;
        /// An answer serves equal queries for so long; 5 s.
        share_window: share_window_ms;
        /// An endpoint that fails is left alone for so long at first; doubles with each failed trial; 1 s.
        breaker_base: breaker_base_ms;
        /// And at most; 60 s.
        breaker_cap: breaker_cap_ms;
        /// A poll brings along those due within so long; 100 ms, at most 1 s.
        gather: gather_ms;
    }

    counts! {
        /// Requests, over all endpoints; 1,024.
        max_in_flight;
        /// Requests to one scheme, host and port; 64.
        max_per_endpoint;
        /// Failures in a row, until an endpoint is left alone for a while; 5.
        breaker_failures;
    }

    pub(crate) fn raw(&self) -> gputide_runtime_options {
        self.0
    }
}

impl Default for RuntimeOptions {
    fn default() -> Self {
        Self::new()
    }
}
