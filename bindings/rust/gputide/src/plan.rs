//! The planners, from texts and numbers alone: forecast, nodes and ScaledJobs.

use crate::call::{check, sized, text_of, Text};
use crate::error::Result;
use crate::handle::Owned;
use crate::library::ensure;
use crate::numbers::{FloorReason, ForecastState};
use crate::options::Options;
use crate::time::unix_ms;
use gputide_sys::*;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::time::SystemTime;

// ---- The load of the next start-up time, for a host that scales in a loop of its own.

/// Predicts the load once a replica that is started now is up: it learns from one load per pass, scores itself against
/// "nothing will change", and gives a floor for the size that the host came to without it.  In a manifest
/// `gputide.io/forecast` does all of this.  Each pass: [`add`](Self::add), decide, [`floor`](Self::floor), write the size,
/// [`charge`](Self::charge).
///
/// ```
/// use gputide::{FloorReason, Forecast};
/// use std::time::{Duration, UNIX_EPOCH};
///
/// # fn main() -> gputide::Result<()> {
/// let mut forecast = Forecast::open(Some(r#"{"lead_ms": 300000}"#))?;
/// forecast.add(UNIX_EPOCH + Duration::from_secs(1_795_255_200), 42.0)?;
/// let floor = forecast.floor(10.0, 5, 5, 40)?; // 10 a replica, 5 replicas without the forecast, 5 now, at most 40
/// assert_eq!((floor.reason, floor.replicas), (FloorReason::WARMING_UP, 5));
/// forecast.charge(floor.replicas, 5)?;
/// # Ok(())
/// # }
/// ```
pub struct Forecast {
    handle: Owned<gputide_forecast>,
    not_sync: PhantomData<Cell<()>>,
}

impl Forecast {
    /// settings: JSON, every member and its default in docs/json.md; none: the defaults.
    pub fn open(settings: Option<&str>) -> Result<Self> {
        let (settings, size) = settings.map_or((std::ptr::null(), 0), |text| sized(text.as_bytes()));
        // SAFETY: the settings go with their size.
        let handle = Owned::open(|out, err| unsafe { gputide_forecast_open(settings, size, out, err) })?;
        Ok(Self { handle, not_sync: PhantomData })
    }

    /// A pass at that time read this load, in total.  NaN, an infinity and a number below 0: nothing could be read.
    pub fn add(&mut self, time: SystemTime, load: f64) -> Result<()> {
        // SAFETY: an open forecast, which this call has to itself.
        check(|err| unsafe { gputide_forecast_add(self.handle.get(), unix_ms(time), load, err) })
    }

    /// The floor under the size that this pass came to.  target: load that one replica takes; reactive: the size without
    /// the forecast, before rate limits and bounds; current: 0: the workload is off, and stays so; max: the floor does
    /// not pass it.
    pub fn floor(&self, target: f64, reactive: i32, current: i32, max: i32) -> Result<Floor> {
        let mut floor = gputide_floor::zeroed();
        // SAFETY: an open forecast.
        check(|err| unsafe {
            gputide_forecast_floor(self.handle.get(), target, reactive, current, max, &mut floor, err)
        })?;
        Ok(Floor {
            state: floor.state.into(),
            reason: floor.reason.into(),
            replicas: floor.replicas,
            need_replicas: (floor.need_replicas >= 0).then_some(floor.need_replicas),
            floor_load: (!floor.floor_load.is_nan()).then_some(floor.floor_load),
        })
    }

    /// Books what the budget is counted by: the size that was written, and the one that a loop without the forecast would have.
    /// Once per pass, after [`floor`](Self::floor).
    pub fn charge(&mut self, written: i32, shadow: i32) -> Result<()> {
        // SAFETY: an open forecast, which this call has to itself.
        check(|err| unsafe { gputide_forecast_charge(self.handle.get(), written, shadow, err) })
    }

    /// Its forecast, how good it has been and what it cost, as JSON.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: an open forecast.
        text_of(|out, err| unsafe { gputide_forecast_describe(self.handle.get(), out, err) })
    }

    /// Text that survives a restart, for [`load`](Self::load).
    pub fn save(&self) -> Result<String> {
        // SAFETY: an open forecast.
        text_of(|out, err| unsafe { gputide_forecast_save(self.handle.get(), out, err) })
    }

    /// Goes on as the one that was saved; one of another lead keeps patterns and account, one of another slot starts anew.
    pub fn load(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        let (text, size) = sized(text.as_ref());
        // SAFETY: an open forecast, which this call has to itself; the text goes with its size.
        check(|err| unsafe { gputide_forecast_load(self.handle.get(), text, size, err) })
    }
}

impl fmt::Debug for Forecast {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Forecast")
    }
}

/// The result of asking a [`Forecast`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Floor {
    /// The state of the forecast.
    pub state: ForecastState,
    /// The result of the floor.
    pub reason: FloorReason,
    /// The reactive size or more; never above the maximum because of the forecast.
    pub replicas: i32,
    /// The size that the floor's load takes; none: the forecast asks for nothing.
    pub need_replicas: Option<i32>,
    /// The load to be ready for; none: the forecast asks for nothing.
    pub floor_load: Option<f64>,
}

// ---- The number of GPU nodes of each pool that waiting pods need, and which nodes may go: from texts alone.

/// The result of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodesPlan {
    /// The whole plan with its reasons, as JSON (docs/json.md, nodes_plan).
    pub json: String,
    /// For the next plan: since when nodes are unneeded, open requests, pools that failed.
    pub state: String,
    /// Items of the text that were left out, or settings that were refused; the JSON names each.
    pub errors: u32,
    /// Findings that left nothing out.
    pub warnings: u32,
    /// The number of nodes to add, over all pools.
    pub nodes_to_add: i64,
    /// The number of nodes to remove now; others may follow later.
    pub nodes_to_remove: i64,
    /// Pods that wait: the sum of the next three.
    pub pods_pending: i64,
    /// That nodes which are there, or on their way, can take.
    pub pods_on_existing: i64,
    /// That the nodes to add can take.
    pub pods_on_new: i64,
    /// That no node helps; the JSON says why.
    pub pods_left: i64,
}

/// Plans the nodes of a cluster as the text describes it: pools, nodes, pods and settings (docs/nodes.md), and Kubernetes'
/// own objects as kubectl prints them, one behind the other.  Pure: nothing is added or removed by it.  state: what the last
/// plan gave; none: there was none.
pub fn plan_nodes(text: impl AsRef<[u8]>, state: Option<&str>, time: SystemTime) -> Result<NodesPlan> {
    ensure()?;
    let (text, size) = sized(text.as_ref());
    let (state, state_size) = state.map_or((std::ptr::null(), 0), |state| sized(state.as_bytes()));
    let (mut summary, mut json, mut next) = (gputide_nodes_summary::zeroed(), Text::new(), Text::new());
    // SAFETY: the texts go with their sizes.
    check(|err| unsafe {
        gputide_nodes_plan(
            text,
            size,
            state,
            state_size,
            unix_ms(time),
            &mut summary,
            json.buffer(),
            next.buffer(),
            err,
        )
    })?;
    Ok(NodesPlan {
        json: json.take().unwrap_or_default(),
        state: next.take().unwrap_or_default(),
        errors: summary.errors,
        warnings: summary.warnings,
        nodes_to_add: summary.nodes_to_add,
        nodes_to_remove: summary.nodes_to_remove,
        pods_pending: summary.pods_pending,
        pods_on_existing: summary.pods_on_existing,
        pods_on_new: summary.pods_on_new,
        pods_left: summary.pods_left,
    })
}

// ---- The number of Jobs that a KEDA ScaledJob creates now, and which finished ones go: from texts alone.

/// One poll of the ScaledJob in a manifest ([`Options::scaler`] names one of several).  Pure: nothing is created or deleted
/// by it.  observation: JSON with a value per trigger in the manifest's order, null where its read failed, and the Jobs that are
/// there (docs/jobs.md).  Gives JSON with create, delete, conditions, events and the reasons (docs/json.md, scaled_job_decide).
///
/// ```
/// # fn main() -> gputide::Result<()> {
/// let manifest = r#"{"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledJob", "metadata": {"name": "train"},
///     "spec": {"jobTargetRef": {"template": {}}, "triggers": [{"type": "prometheus",
///         "metadata": {"serverAddress": "http://prometheus", "query": "queued", "threshold": "2"}}]}}"#;
/// let observation = r#"{"values": [12.5], "running": 3}"#; // 12.5 items at 2 per Job, 3 Jobs unfinished
/// let decision = gputide::decide_scaled_job(manifest, observation, &Default::default())?;
/// assert!(decision.contains(r#""create":4"#), "{decision}");
/// # Ok(())
/// # }
/// ```
pub fn decide_scaled_job(
    manifest: impl AsRef<[u8]>,
    observation: impl AsRef<[u8]>,
    options: &Options,
) -> Result<String> {
    ensure()?;
    let ((text, size), (observation, seen_size)) = (sized(manifest.as_ref()), sized(observation.as_ref()));
    let (options, mut decision) = (options.raw()?, Text::new());
    // SAFETY: the texts go with their sizes, and outlive the call as the options do.
    check(|err| unsafe {
        gputide_scaled_job_decide(text, size, options.get(), observation, seen_size, decision.buffer(), err)
    })?;
    Ok(decision.take().unwrap_or_default())
}
