"""The inputs of calls that are not handles: what a host allows, what is true now."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from ctypes import POINTER, cast, pointer, sizeof
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Union

from . import _abi
from ._abi import gputide_file, gputide_observation, gputide_options, gputide_pod, gputide_pod_sample, gputide_sample
from ._call import Text, encoded, optional, sized, terminated
from ._time import Instant, instant, integer, optional_ms, unix_ms
from .numbers import PodPhase, Readiness, SampleState, Status

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class File:
    """A text beside the main one: a TriggerAuthentication, a Secret, a ConfigMap."""

    text: Text
    name: str | None = None


@dataclass(frozen=True)
class Options:
    """The permissions and facts of the host program; no manifest can say any of it.  Defaults allow nothing."""

    allow_environment: bool = False  # any name in ${NAME} and env:
    allow_plain_http: bool = False  # a credential over http to a host that is not loopback
    allow_custom_authority: bool = False  # a login endpoint outside the known Azure clouds
    enable_azure_proxy: bool = False  # AKS identity bindings
    strict: bool = False  # the strict profile
    verified_peers: bool = False  # no credential to a peer without a verified certificate
    allow_unverified_peers: bool = False  # the host's own tokens, too, go to a peer that a manifest says not to verify
    text_name: str | None = None  # of the main text in messages
    scaler: str | None = None  # "name" or "namespace/name", where the text holds several
    files: Sequence[File] = ()
    allowed_environment: Sequence[str] = ()  # variables that ${NAME} and env: may name: ["TENANT", "APP_*"]
    allowed_token_hosts: Sequence[str] = ()  # hosts that may get a cloud token beside the cloud's own
    allowed_programs: Sequence[str] = ()  # programs that may be run for a token: ["az", "/opt/bin/token"]
    secrets_dir: Path | None = None  # DIR/<name>/<key> for secretTargetRef and configMapTargetRef
    ca_file: Path | None = None  # PEM roots; instead of SSL_CERT_FILE and the system's
    ca_pem: Text | None = None  # the same as text; goes before ca_file
    proxy: str | None = None  # "http://proxy:3128"; "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY
    user_agent: str | None = None
    kubeconfig: Path | None = None
    kube_context: str | None = None
    service_account_dir: Path | None = None

    @property
    def _flags(self) -> int:
        return (
            self.allow_environment * _abi.ALLOW_ENVIRONMENT
            | self.allow_plain_http * _abi.ALLOW_PLAIN_HTTP
            | self.allow_custom_authority * _abi.ALLOW_CUSTOM_AUTHORITY
            | self.enable_azure_proxy * _abi.ENABLE_AZURE_PROXY
            | self.strict * _abi.STRICT
            | self.verified_peers * _abi.VERIFIED_PEERS
            | self.allow_unverified_peers * _abi.ALLOW_UNVERIFIED_PEERS
        )

    def _filled(self) -> gputide_options:
        raw = sized(gputide_options)
        raw.flags = self._flags
        for name in _PLAIN_OPTIONS:
            value = getattr(self, name)
            setattr(raw, name, optional(os.fspath(value) if isinstance(value, os.PathLike) else value, name))
        for name in _LIST_OPTIONS:
            setattr(raw, name, _joined(getattr(self, name), name))
        if self.ca_pem is not None:
            pem = encoded(self.ca_pem)
            raw.ca_pem, raw.ca_pem_bytes = pem, len(pem)
        if self.files:
            files = (gputide_file * len(self.files))(*(_file(file) for file in self.files))
            raw.files = files
            raw.file_count = len(files)
            raw.file_size = sizeof(gputide_file)
        return raw


_PLAIN_OPTIONS = (
    "text_name",
    "scaler",
    "secrets_dir",
    "ca_file",
    "proxy",
    "user_agent",
    "kubeconfig",
    "kube_context",
    "service_account_dir",
)
_LIST_OPTIONS = ("allowed_environment", "allowed_token_hosts", "allowed_programs")


def _joined(names: Sequence[str], option: str) -> bytes | None:
    """C has the list as one text with commas."""
    if isinstance(names, str):
        raise TypeError(f"{option} is a list of texts: [{names!r}]")
    for name in names:
        if "," in name:
            raise ValueError(f"{option}: a comma in {name!r}")
    return terminated(",".join(names), option) if names else None


def _file(file: File) -> gputide_file:
    text = encoded(file.text)
    return gputide_file(name=optional(file.name, "a file's name"), text=text, size_bytes=len(text))


def options_argument(options: Options | None) -> Any:
    return None if options is None else pointer(options._filled())


@dataclass(frozen=True)
class Sample:
    """One number, or the reason that there is none."""

    value: float | None = None
    time: Instant | None = None  # when it was true; None: unknown
    state: SampleState | None = None  # None: follows from the value
    status: Status = Status.OK  # of the failed read
    message: str | None = None  # why there is no number
    null_as_zero: bool = False  # nothing came, and ignoreNullValues made 0 of it

    @property
    def time_ms(self) -> int:
        return optional_ms(self.time)

    @property
    def _state(self) -> SampleState:
        if self.state is not None:
            return self.state
        if self.value is None:
            return SampleState.NOT_GIVEN
        return SampleState.OK if math.isfinite(self.value) else SampleState.NOT_A_NUMBER

    def _fill(self, raw: gputide_sample) -> None:
        raw.struct_size = sizeof(gputide_sample)
        raw.state = self._state
        raw.status = self.status
        raw.flags = _abi.SAMPLE_NULL_AS_ZERO if self.null_as_zero else 0
        raw.value = self.value or 0.0
        raw.time_ms = self.time_ms
        raw.message = optional(self.message, "a sample's message")


def sample_of(raw: gputide_sample) -> Sample:
    state = SampleState(raw.state)
    return Sample(
        value=raw.value if state == SampleState.OK else None,
        time=instant(raw.time_ms) if instant(raw.time_ms) is not None else raw.time_ms or None,
        state=state,
        status=Status(raw.status),
        null_as_zero=bool(raw.flags & _abi.SAMPLE_NULL_AS_ZERO),
    )


Value = Union[float, Sample, None]  # a number that is true now; None: nothing is said of that metric


def samples_of(values: Sequence[Value]) -> Any:
    """An array of gputide_sample."""
    raw = (gputide_sample * len(values))()
    for target, value in zip(raw, values):
        (value if isinstance(value, Sample) else Sample(value))._fill(target)
    return raw


@dataclass(frozen=True)
class Pod:
    """For metrics of type Pods, Resource and ContainerResource."""

    name: str | None = None  # for messages
    phase: PodPhase = PodPhase.RUNNING
    ready: Readiness = Readiness.YES
    deleting: bool = False
    start_time: Instant | None = None
    ready_change_time: Instant | None = None  # lastTransitionTime of Ready; None: as start_time

    def _filled(self) -> gputide_pod:
        return gputide_pod(
            name=optional(self.name, "a pod's name"),
            phase=integer(self.phase, 32, "phase"),
            ready=integer(self.ready, 32, "ready"),
            deleting=int(self.deleting),
            start_time_ms=optional_ms(self.start_time),
            ready_change_time_ms=optional_ms(self.ready_change_time),
        )


@dataclass(frozen=True)
class PodSample:
    """The value of one metric for one pod."""

    metric: int  # index of the policy's metric, from 0
    pod: int = 0  # which of the observation's pods, from 1; 0: one that is not listed
    value_milli: int | None = None  # thousandths, as Kubernetes counts; None: only its request is known
    request_milli: int = 0  # Utilization: what the pod requests; 0: no request
    time: Instant | None = None  # None: now
    window_s: int = 0  # 0: 60
    container: str | None = None  # without request_milli: the first container without one, for messages

    def _filled(self) -> gputide_pod_sample:
        return gputide_pod_sample(
            metric=integer(self.metric, 32, "metric"),
            pod=integer(self.pod, 32, "pod"),
            value_milli=_abi.NO_VALUE if self.value_milli is None else integer(self.value_milli, 64, "value_milli"),
            request_milli=integer(self.request_milli, 64, "request_milli"),
            time_ms=optional_ms(self.time),
            window_s=integer(self.window_s, 32, "window_s"),
            container=optional(self.container, "a container's name"),
        )


@dataclass(frozen=True)
class Observation:
    """The current facts: the target's size, its pods, numbers that the host brings."""

    current: int = 0  # spec.replicas
    samples: Sequence[Value] = ()  # one per metric of the policy, in its order
    now: datetime | int | None = None  # None: the clock's
    status_replicas: int | None = None  # pods that exist; None: as current
    ready_replicas: int | None = None  # pods that are ready; None: as current
    unreadable: bool = False  # the target's size could not be read
    pods: Sequence[Pod] | None = None  # all pods of the target; None: not listed
    pod_samples: Sequence[PodSample] = ()
    message: str | None = None  # with unreadable: why, for conditions

    def _filled(self) -> gputide_observation:
        raw = sized(gputide_observation)
        raw.flags = (
            (self.status_replicas == 0) * _abi.OBSERVED_STATUS
            | (self.ready_replicas == 0) * _abi.OBSERVED_READY
            | self.unreadable * _abi.SCALE_UNREADABLE
            | (self.pods is not None) * _abi.OBSERVED_PODS
        )
        raw.message = optional(self.message, "an observation's message")
        raw.now_ms = unix_ms(self.now)
        raw.current_replicas = integer(self.current, 32, "current")
        raw.status_replicas = integer(self.status_replicas or 0, 32, "status_replicas")
        raw.ready_replicas = integer(self.ready_replicas or 0, 32, "ready_replicas")
        if self.samples:
            raw.samples = cast(samples_of(self.samples), POINTER(gputide_sample))
            raw.sample_count = len(self.samples)
            raw.sample_size = sizeof(gputide_sample)
        if self.pods:
            raw.pods = (gputide_pod * len(self.pods))(*(pod._filled() for pod in self.pods))
            raw.pod_count = len(self.pods)
            raw.pod_size = sizeof(gputide_pod)
        if self.pod_samples:
            raw.pod_samples = (gputide_pod_sample * len(self.pod_samples))(*(each._filled() for each in self.pod_samples))
            raw.pod_sample_count = len(self.pod_samples)
            raw.pod_sample_size = sizeof(gputide_pod_sample)
        return raw


def observation_argument(
    observation: Observation | None, current: int | None, samples: Sequence[Value], now: Instant | None
) -> Any:
    """The arguments of a call: an Observation, or its members alone."""
    if observation is None:
        if current is None:
            raise TypeError("say current=, the number of replicas now, or give an Observation")
        observation = Observation(current, samples, now)
    elif current is not None or samples or now is not None:
        raise TypeError("give an Observation, or current=, samples= and now=, not both")
    return pointer(observation._filled())
