//! The number of Jobs that a KEDA ScaledJob creates now, and which finished ones go: from texts alone.

use crate::call::{check, sized, Text};
use crate::error::Result;
use crate::library::ensure;
use crate::options::Options;
use gputide_sys::gputide_scaled_job_decide;

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
