//! A Kubernetes cluster.  Without a runtime: its lists, read once, which [`crate::plan_nodes`] takes, its diagnosis, and a
//! ScaledObject that is handed over from KEDA to gputide, or back.  With one: attached to it.

use crate::call::{check, sized, terminated, text_of, Text};
use crate::error::Result;
use crate::library::ensure;
use crate::manifest::{diagnosis, Diagnosis};
use crate::options::Options;
use crate::runtime::Runtime;
use crate::wait::Wait;
use gputide_sys::*;

/// One collection of an API server, whole: `"/api/v1/nodes"`, `"/api/v1/namespaces/ml/pods?labelSelector=app%3Dllm"`.  The
/// lists come as the server wrote them, a page of it each, one behind the other.  The options say which API server, and with
/// which identity.  Nothing is watched or written.  Blocks.
pub fn list_cluster<'a>(path: &str, options: &Options, wait: impl Into<Wait<'a>>) -> Result<String> {
    ensure()?;
    let (path, options, wait) = (terminated(path, "path")?, options.raw()?, wait.into());
    let mut lists = Text::new();
    // SAFETY: the path ends with a NUL; the options outlive the call.
    check(|err| unsafe {
        gputide_cluster_list(path.as_ptr(), options.get(), wait.timeout_ms(), wait.native(), lists.buffer(), err)
    })?;
    Ok(lists.take().unwrap_or_default())
}

/// As [`list_cluster`], for a task of tokio's.
#[cfg(feature = "tokio")]
pub async fn list_cluster_async(path: &str, options: &Options, timeout: std::time::Duration) -> Result<String> {
    let (path, options) = (path.to_owned(), options.clone());
    crate::asynchronous::blocking(move |cancel| list_cluster(&path, &options, Wait::of(timeout).cancel(cancel))).await
}

/// Whether a runtime could work on a cluster, before it does: the API server and its certificate, whether the token is taken
/// and with which identity, the kinds that are served, each right that is needed, the holder of the Lease.  What is missing comes with a Role
/// to apply; nothing is changed there.  A step that fails is not an error.  Settings and options are those of
/// [`Runtime::attach_cluster`]: they say what is needed, where, and with which identity.  Blocks.
pub fn doctor_cluster<'a>(
    settings: impl AsRef<[u8]>,
    options: &Options,
    wait: impl Into<Wait<'a>>,
) -> Result<Diagnosis> {
    ensure()?;
    let ((text, size), options, wait) = (sized(settings.as_ref()), options.raw()?, wait.into());
    // SAFETY: settings and options outlive the call.
    diagnosis(|report, lines, err| unsafe {
        gputide_cluster_doctor(text, size, options.get(), wait.timeout_ms(), wait.native(), report, lines, err)
    })
}

/// As [`doctor_cluster`], for a task of tokio's.
#[cfg(feature = "tokio")]
pub async fn doctor_cluster_async(
    settings: impl AsRef<[u8]>,
    options: &Options,
    timeout: std::time::Duration,
) -> Result<Diagnosis> {
    let (settings, options) = (settings.as_ref().to_vec(), options.clone());
    crate::asynchronous::blocking(move |cancel| doctor_cluster(settings, &options, Wait::of(timeout).cancel(cancel)))
        .await
}

/// Hands one ScaledObject over from a living KEDA to gputide, or back, unless the change (JSON) is dry: how far it came, step by
/// step, as JSON (docs/json.md, `cluster_handover`).  What is refused or still waited for is not an error; calling again goes on.
/// The options say which API server, and with which identity.  Blocks.
pub fn hand_over<'a>(change: impl AsRef<[u8]>, options: &Options, wait: impl Into<Wait<'a>>) -> Result<String> {
    ensure()?;
    let ((text, size), options, wait) = (sized(change.as_ref()), options.raw()?, wait.into());
    let mut outcome = Text::new();
    // SAFETY: change and options outlive the call.
    check(|err| unsafe {
        gputide_cluster_handover(text, size, options.get(), wait.timeout_ms(), wait.native(), outcome.buffer(), err)
    })?;
    Ok(outcome.take().unwrap_or_default())
}

/// As [`hand_over`], for a task of tokio's.
#[cfg(feature = "tokio")]
pub async fn hand_over_async(
    change: impl AsRef<[u8]>,
    options: &Options,
    timeout: std::time::Duration,
) -> Result<String> {
    let (change, options) = (change.as_ref().to_vec(), options.clone());
    crate::asynchronous::blocking(move |cancel| hand_over(change, &options, Wait::of(timeout).cancel(cancel))).await
}

impl Runtime {
    /// Works on a Kubernetes cluster by itself from now on (docs/kubernetes.md); the options say which one and with which identity.
    /// Events of [`EventKind::CLUSTER`](crate::EventKind::CLUSTER) tell what it does.
    pub fn attach_cluster(&self, settings: impl AsRef<[u8]>, options: &Options) -> Result<()> {
        let ((text, size), options) = (sized(settings.as_ref()), options.raw()?);
        // SAFETY: settings and options outlive the call.
        check(|err| unsafe { gputide_cluster_attach(self.get(), text, size, options.get(), err) })
    }

    /// Writes nothing any more, gives the Leases back, forgets its scalers.  Blocks;
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) where it goes on with it: call again.
    pub fn detach_cluster<'a>(&self, wait: impl Into<Wait<'a>>) -> Result<()> {
        let wait = wait.into();
        // SAFETY: an open runtime.
        check(|err| unsafe { gputide_cluster_detach(self.get(), wait.timeout_ms(), err) })
    }

    /// Leases, watches, writes by result, blocked scalers and why, as JSON.
    pub fn describe_cluster(&self) -> Result<String> {
        // SAFETY: an open runtime.
        text_of(|out, err| unsafe { gputide_cluster_describe(self.get(), out, err) })
    }
}
