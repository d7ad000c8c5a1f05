//! Lists of a Kubernetes cluster, read once: what [`crate::plan_nodes`] takes.

use crate::call::{check, terminated, Text};
use crate::error::Result;
use crate::library::ensure;
use crate::options::Options;
use crate::wait::Wait;
use gputide_sys::gputide_cluster_list;

/// One collection of an API server, whole: `"/api/v1/nodes"`, `"/api/v1/namespaces/ml/pods?labelSelector=app%3Dllm"`.  The
/// lists come as the server wrote them, a page of it each, one behind the other.  The options say which API server, and as
/// whom.  Nothing is watched or written.  Blocks.
pub fn list_cluster<'a>(path: &str, options: &Options, wait: impl Into<Wait<'a>>) -> Result<String> {
    ensure()?;
    let (path, options, wait) = (terminated(path, "path")?, options.raw()?, wait.into());
    let mut lists = Text::new();
    // SAFETY: the path ends with a NUL; the options outlive the call.
    check(|err| unsafe {
        gputide_cluster_list(path.as_ptr(), options.get(), wait.timeout_ms(), wait.native(), lists.room(), err)
    })?;
    Ok(lists.take().unwrap_or_default())
}

/// As [`list_cluster`], for a task of tokio's.
#[cfg(feature = "tokio")]
pub async fn list_cluster_async(path: &str, options: &Options, timeout: std::time::Duration) -> Result<String> {
    let (path, options) = (path.to_owned(), options.clone());
    crate::asynchronous::blocking(move |cancel| list_cluster(&path, &options, Wait::of(timeout).cancel(cancel))).await
}
