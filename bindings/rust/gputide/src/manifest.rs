//! Checks of a manifest without a scaler.

use crate::call::{check, sized, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::library::ensure;
use crate::observation::Observation;
use crate::options::Options;
use crate::wait::Wait;
use gputide_sys::{gputide_doctor, gputide_error, gputide_manifest_check, gputide_status, gputide_text};

/// The findings of a manifest's check.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Findings {
    /// JSON: the scalers in it and the findings.
    pub report: String,
    /// The findings as a compiler prints them.
    pub lines: String,
    /// None where all findings are warnings.
    pub error: Option<Error>,
}

impl Findings {
    /// No finding is an error.
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }
}

/// Reads a manifest without opening anything.  A wrong one is not an error here: its findings say what is wrong.
///
/// ```
/// # fn main() -> gputide::Result<()> {
/// let found = gputide::check_manifest("apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\n", &Default::default())?;
/// assert!(!found.is_ok() && !found.lines.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn check_manifest(manifest: impl AsRef<[u8]>, options: &Options) -> Result<Findings> {
    ensure()?;
    let ((text, size), options) = (sized(manifest.as_ref()), options.raw()?);
    let (mut report, mut lines) = (Text::new(), Text::new());
    // SAFETY: manifest and options outlive the call.
    let done =
        check(|err| unsafe { gputide_manifest_check(text, size, options.get(), report.buffer(), lines.buffer(), err) });
    let error = match done {
        Err(error) if !matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Limit) => return Err(error),
        done => done.err(),
    };
    Ok(Findings { report: report.take().unwrap_or_default(), lines: lines.take().unwrap_or_default(), error })
}

/// The findings of [`doctor`] or [`crate::doctor_cluster`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// JSON with a verdict for each step (docs/doctor.md).
    pub report: String,
    /// The same for a person, the conclusion first.
    pub lines: String,
}

/// Finds what is wrong with a manifest's triggers, by following each of them as a request would.  Reads the network, the
/// environment and token files as the triggers do.  Blocks.  observation: the present size, and samples that the host pushes;
/// none: the manifest's minimum, now.
pub fn doctor<'a>(
    manifest: impl AsRef<[u8]>,
    options: &Options,
    observation: Option<&Observation>,
    wait: impl Into<Wait<'a>>,
) -> Result<Diagnosis> {
    ensure()?;
    let ((text, size), options, wait) = (sized(manifest.as_ref()), options.raw()?, wait.into());
    let observation = observation.map(Observation::raw).transpose()?;
    let observation = observation.as_ref().map_or(std::ptr::null(), |observation| observation.get());
    // SAFETY: manifest, options and what the observation points to outlive the call.
    diagnosis(|report, lines, err| unsafe {
        gputide_doctor(text, size, options.get(), observation, wait.timeout_ms(), wait.native(), report, lines, err)
    })
}

/// A C function with the outputs a report and its lines.
pub(crate) fn diagnosis(
    examine: impl FnOnce(*mut gputide_text, *mut gputide_text, *mut gputide_error) -> gputide_status,
) -> Result<Diagnosis> {
    let (mut report, mut lines) = (Text::new(), Text::new());
    check(|err| examine(report.buffer(), lines.buffer(), err))?;
    Ok(Diagnosis { report: report.take().unwrap_or_default(), lines: lines.take().unwrap_or_default() })
}

/// As [`doctor`], for a task of tokio's.
#[cfg(feature = "tokio")]
pub async fn doctor_async(
    manifest: impl AsRef<[u8]>,
    options: &Options,
    observation: Option<&Observation>,
    timeout: std::time::Duration,
) -> Result<Diagnosis> {
    let (manifest, options, observation) = (manifest.as_ref().to_vec(), options.clone(), observation.cloned());
    crate::asynchronous::blocking(move |cancel| {
        doctor(manifest, &options, observation.as_ref(), Wait::of(timeout).cancel(cancel))
    })
    .await
}
