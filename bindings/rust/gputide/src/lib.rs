//! The replica count that KEDA and the HPA would write, from the manifest that you already have, inside your own process.
//!
//! ```no_run
//! use gputide::{Observation, Scaler};
//! use std::time::Duration;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let text = std::fs::read_to_string("so.yaml")?;
//!     let mut scaler = Scaler::options().allow_environment(true).open(&text)?;
//!     let decision = scaler.tick(&Observation::now(3), Duration::from_secs(5))?;
//!     println!("{} -> {} ({})", decision.current(), decision.desired(), decision.limited_by());
//!     Ok(())
//! }
//! ```
//!
//! | what is there | what it needs |
//! |---|---|
//! | [`Policy`], [`State`] | numbers: no I/O, no clock |
//! | [`Scaler`] | a manifest: fetches its metrics, decides |
//! | [`Runtime`] | many manifests: polls them at their intervals, gives decisions as events |
//! | [`Source`], [`Credential`] | one metric, one kind of token |
//! | [`check_manifest`], [`doctor`] | a manifest: what is wrong with it |
//! | [`Series`], [`Replay`] | recorded metrics: what would have been decided |
//! | [`plan_nodes`] | a cluster's nodes and pods: which nodes to add and to remove |
//! | [`Forecast`] | one load per pass: a floor under the size for the load to come |
//! | [`Rightsize`] | samples of GPUs: how many, which machine, which MIG profile a workload needs |
//! | [`list_cluster`], [`doctor_cluster`], [`hand_over`] | a Kubernetes cluster: its lists; whether a runtime could work on it; a ScaledObject from KEDA and back |
//! | [`decide_scaled_job`] | a ScaledJob and what was read for it: how many Jobs to create |
//!
//! **Waiting** Each call that may wait takes a [`Duration`](std::time::Duration), or a [`Wait`] with a [`Cancel`] that
//! another thread fires.  With the feature `tokio` it has an `..._async` twin, and its call ends when its future is dropped,
//! and [`Runtime`] a stream of its events.
//!
//! **Threads** Every handle may be sent to another thread.  [`Policy`], [`Credential`], [`Sealed`], [`Cancel`]
//! and [`Runtime`] may be shared by threads; the others are used by one at a time, as `&mut` says.
//!
//! **fork** A handle belongs to the process that made it: in a child its use is [`ErrorKind::State`], and dropping it does
//! nothing.
//!
//! **Texts** JSON is given as text, for the parser of your choice; its members are in docs/json.md.
//!
//! **The library** is libgputide-full.so.1, which the crate `gputide-sys` links, builds (feature `vendored`) or opens when it is
//! first needed (feature `dlopen`).

#[cfg(feature = "tokio")]
mod asynchronous;
mod call;
mod cluster;
mod credential;
mod decision;
mod error;
mod event;
#[cfg(all(feature = "tokio", unix))]
mod event_stream;
mod handle;
mod library;
mod log;
mod manifest;
mod number;
#[rustfmt::skip]
mod numbers;
mod observation;
mod options;
mod plan;
mod policy;
mod replay;
mod rightsize;
mod runtime;
mod runtime_options;
mod sample;
mod scaler;
mod source;
mod time;
mod wait;

pub use cluster::{doctor_cluster, hand_over, list_cluster};
#[cfg(feature = "tokio")]
pub use cluster::{doctor_cluster_async, hand_over_async, list_cluster_async};
pub use credential::{token_claims, Credential, Token};
pub use decision::{render_report, ConditionState, Decision, Reason};
pub use error::{Error, ErrorKind, Result};
pub use event::{Event, Events};
#[cfg(all(feature = "tokio", unix))]
pub use event_stream::EventStream;
pub use handle::alive;
#[cfg(feature = "dlopen")]
pub use library::load;
pub use library::{build_info, features, library_path, version, Features, ABI_VERSION};
pub use log::{LogCloser, LogLine, LogReader};
#[cfg(feature = "tokio")]
pub use manifest::doctor_async;
pub use manifest::{check_manifest, doctor, Diagnosis, Findings};
pub use numbers::*;
pub use observation::{Observation, Pod, PodSample};
pub use options::Options;
pub use plan::{decide_scaled_job, plan_nodes, Floor, Forecast, NodesPlan};
pub use policy::{Policy, State};
pub use replay::{Replay, Sealed, Series};
pub use rightsize::{Rightsize, UsageSample};
pub use runtime::{Runtime, ScalerId};
pub use runtime_options::RuntimeOptions;
pub use sample::Sample;
pub use scaler::Scaler;
pub use source::{quantity, Source};
pub use wait::{Cancel, Wait};
