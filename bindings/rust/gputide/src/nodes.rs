//! The number of GPU nodes of each pool that waiting pods need, and which nodes may go: from texts alone.

use crate::call::{check, sized, Text};
use crate::error::Result;
use crate::library::ensure;
use crate::time::unix_ms;
use gputide_sys::{gputide_nodes_plan, gputide_nodes_summary};
use std::time::SystemTime;

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
