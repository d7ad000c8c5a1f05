//! The current facts: the target's size, its pods, numbers that the host brings.

use crate::call::{pointer, terminated};
use crate::error::Result;
use crate::numbers::{PodPhase, Readiness};
use crate::sample::{raw_samples, Sample};
use crate::time::{optional_ms, unix_ms};
use gputide_sys::*;
use std::ffi::CString;
use std::mem::size_of;
use std::time::SystemTime;

/// The facts of now.
///
/// ```
/// use gputide::{Observation, Sample};
///
/// let observation = Observation::now(3).values(&[42.5]).ready_replicas(2);
/// let other = Observation::now(3).samples([Sample::of(42.5), Sample::not_given()]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Observation {
    time: SystemTime,
    flags: u32,
    current: i32,
    status: i32,
    ready: i32,
    samples: Vec<Sample>,
    pods: Vec<Pod>,
    pod_samples: Vec<PodSample>,
    message: Option<String>,
}

impl Observation {
    /// So many replicas in the target's spec, by the system's clock.
    pub fn now(current: i32) -> Self {
        Self::at(SystemTime::now(), current)
    }

    /// So many replicas in the target's spec at that time.
    pub fn at(time: SystemTime, current: i32) -> Self {
        Self {
            time,
            flags: 0,
            current,
            status: 0,
            ready: 0,
            samples: Vec::new(),
            pods: Vec::new(),
            pod_samples: Vec::new(),
            message: None,
        }
    }

    /// The target's size could not be read.
    pub fn unreadable(time: SystemTime) -> Self {
        Self { flags: GPUTIDE_SCALE_UNREADABLE, ..Self::at(time, 0) }
    }

    /// Why the target's size could not be read, for conditions.
    pub fn because(mut self, message: &str) -> Self {
        self.message = Some(message.to_owned());
        self
    }

    /// One number per metric of the policy, in its order, all of them true now; NaN: that metric has none.
    pub fn values(self, values: &[f64]) -> Self {
        self.samples(values.iter().copied().map(Sample::of))
    }

    /// One sample per metric of the policy, in its order.
    pub fn samples(mut self, samples: impl IntoIterator<Item = Sample>) -> Self {
        self.samples = samples.into_iter().collect();
        self
    }

    /// Pods that exist, the target's `status.replicas`; as the size in its spec without it.
    pub fn status_replicas(mut self, replicas: i32) -> Self {
        self.status = replicas;
        self.flags |= if replicas == 0 { GPUTIDE_OBSERVED_STATUS } else { 0 };
        self
    }

    /// Pods that are ready; as the size in the target's spec without it.
    pub fn ready_replicas(mut self, replicas: i32) -> Self {
        self.ready = replicas;
        self.flags |= if replicas == 0 { GPUTIDE_OBSERVED_READY } else { 0 };
        self
    }

    /// All pods of the target, for metrics of type Pods, Resource and ContainerResource.  An empty list is a target
    /// without pods.
    pub fn pods(mut self, pods: impl IntoIterator<Item = Pod>) -> Self {
        self.pods = pods.into_iter().collect();
        self.flags |= GPUTIDE_OBSERVED_PODS;
        self
    }

    /// The values of the metrics for the pods.
    pub fn pod_samples(mut self, samples: impl IntoIterator<Item = PodSample>) -> Self {
        self.pod_samples = samples.into_iter().collect();
        self
    }

    /// As C takes it.
    pub(crate) fn raw(&self) -> Result<RawObservation> {
        let mut texts = Vec::new();
        let samples = raw_samples(&self.samples, &mut texts)?;
        let pods = self.pods.iter().map(|pod| pod.raw(&mut texts)).collect::<Result<Vec<_>>>()?;
        let pod_samples = self.pod_samples.iter().map(|sample| sample.raw(&mut texts)).collect::<Result<Vec<_>>>()?;
        let message =
            self.message.as_ref().map(|text| terminated(text.as_str(), "an observation's message")).transpose()?;
        let mut raw = gputide_observation {
            flags: self.flags,
            now_ms: unix_ms(self.time),
            current_replicas: self.current,
            status_replicas: self.status,
            ready_replicas: self.ready,
            message: pointer(message.as_ref()),
            ..gputide_observation::zeroed()
        };
        texts.extend(message);
        if !samples.is_empty() {
            (raw.samples, raw.sample_count) = (samples.as_ptr(), samples.len() as u32);
            raw.sample_size = size_of::<gputide_sample>() as u32;
        }
        if !pods.is_empty() {
            (raw.pods, raw.pod_count) = (pods.as_ptr(), pods.len() as u32);
            raw.pod_size = size_of::<gputide_pod>() as u32;
        }
        if !pod_samples.is_empty() {
            (raw.pod_samples, raw.pod_sample_count) = (pod_samples.as_ptr(), pod_samples.len() as u32);
            raw.pod_sample_size = size_of::<gputide_pod_sample>() as u32;
        }
        Ok(RawObservation { raw, _samples: samples, _pods: pods, _pod_samples: pod_samples, _texts: texts })
    }
}

/// `gputide_observation` with what it points to.
pub(crate) struct RawObservation {
    raw: gputide_observation,
    _samples: Vec<gputide_sample>,
    _pods: Vec<gputide_pod>,
    _pod_samples: Vec<gputide_pod_sample>,
    _texts: Vec<CString>,
}

impl RawObservation {
    pub(crate) fn get(&self) -> *const gputide_observation {
        &self.raw
    }
}

/// One of the target's pods.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Pod {
    name: Option<String>,
    phase: PodPhase,
    ready: Readiness,
    deleting: bool,
    start: Option<SystemTime>,
    ready_change: Option<SystemTime>,
}

impl Pod {
    /// One that runs and is ready.  Its name is for messages.
    pub fn new<'a>(name: impl Into<Option<&'a str>>) -> Self {
        Self {
            name: name.into().map(str::to_owned),
            phase: PodPhase::RUNNING,
            ready: Readiness::YES,
            deleting: false,
            start: None,
            ready_change: None,
        }
    }

    /// Its status.phase.
    pub fn phase(mut self, phase: PodPhase) -> Self {
        self.phase = phase;
        self
    }

    /// Its Ready condition.
    pub fn ready(mut self, ready: Readiness) -> Self {
        self.ready = ready;
        self
    }

    /// It has a deletion timestamp.
    pub fn deleting(mut self, deleting: bool) -> Self {
        self.deleting = deleting;
        self
    }

    /// Its status.startTime.
    pub fn started(mut self, time: SystemTime) -> Self {
        self.start = Some(time);
        self
    }

    /// `lastTransitionTime` of Ready; as its start without it.
    pub fn ready_changed(mut self, time: SystemTime) -> Self {
        self.ready_change = Some(time);
        self
    }

    /// As C takes it; its name is kept in `texts`.
    fn raw(&self, texts: &mut Vec<CString>) -> Result<gputide_pod> {
        let name = self.name.as_ref().map(|name| terminated(name.as_str(), "a pod's name")).transpose()?;
        let raw = gputide_pod {
            name: pointer(name.as_ref()),
            phase: self.phase.code(),
            ready: self.ready.code(),
            deleting: self.deleting.into(),
            start_time_ms: optional_ms(self.start),
            ready_change_time_ms: optional_ms(self.ready_change),
            ..gputide_pod::zeroed()
        };
        texts.extend(name);
        Ok(raw)
    }
}

/// The value of one metric for one pod.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct PodSample {
    metric: i32,
    pod: i32,
    value_milli: i64,
    request_milli: i64,
    time: Option<SystemTime>,
    window_s: i32,
    container: Option<String>,
}

impl PodSample {
    /// metric: index of the policy's metric, from 0; pod: which of the observation's pods, from 1, or 0 for one that is
    /// not listed.  There is no value until one is given.
    pub fn new(metric: i32, pod: i32) -> Self {
        Self { metric, pod, value_milli: GPUTIDE_NO_VALUE, request_milli: 0, time: None, window_s: 0, container: None }
    }

    /// The value in thousandths, as Kubernetes counts.
    pub fn value_milli(mut self, value_milli: i64) -> Self {
        self.value_milli = value_milli;
        self
    }

    /// Utilization: what the pod requests, in thousandths; 0: no request.
    pub fn request_milli(mut self, request_milli: i64) -> Self {
        self.request_milli = request_milli;
        self
    }

    /// When it was true; the observation's time without it.
    pub fn at(mut self, time: SystemTime) -> Self {
        self.time = Some(time);
        self
    }

    /// Over how many seconds it was measured; 60 without it.
    pub fn window_s(mut self, window_s: i32) -> Self {
        self.window_s = window_s;
        self
    }

    /// Without a request: the first container that has none, for messages.
    pub fn container(mut self, name: &str) -> Self {
        self.container = Some(name.to_owned());
        self
    }

    /// As C takes it; its text is kept in `texts`.
    fn raw(&self, texts: &mut Vec<CString>) -> Result<gputide_pod_sample> {
        let container =
            self.container.as_ref().map(|name| terminated(name.as_str(), "a container's name")).transpose()?;
        let raw = gputide_pod_sample {
            metric: self.metric,
            pod: self.pod,
            value_milli: self.value_milli,
            request_milli: self.request_milli,
            time_ms: optional_ms(self.time),
            window_s: self.window_s,
            container: pointer(container.as_ref()),
            ..gputide_pod_sample::zeroed()
        };
        texts.extend(container);
        Ok(raw)
    }
}
