//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"math"
	"time"
	"unsafe"
)

// A Sample is one number of a metric, or the reason that there is none. The zero Sample says nothing of its metric.
type Sample struct {
	Value      float64 // where State is SampleOK
	Time       time.Time
	State      SampleState
	Status     Status // of the failed read
	Message    string // why there is no number, for reports and conditions
	NullAsZero bool   // nothing, NaN or an infinity came, and ignoreNullValues made 0 of it
}

// Number is a sample that is true now. NaN and the infinities: the metric has no number.
func Number(value float64) Sample {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Sample{State: SampleNotANumber}
	}
	return Sample{Value: value, State: SampleOK}
}

// Values are numbers that are true now, one per metric.
func Values(values ...float64) []Sample {
	samples := make([]Sample, len(values))
	for i, value := range values {
		samples[i] = Number(value)
	}
	return samples
}

// A Pod is for metrics of type Pods, Resource and ContainerResource.
type Pod struct {
	Name            string // for messages
	Phase           PodPhase
	Ready           Readiness // its Ready condition
	Deleting        bool      // it has a deletion timestamp
	StartTime       time.Time
	ReadyChangeTime time.Time // lastTransitionTime of Ready; the zero Time: as StartTime
}

// NoValue as PodSample.ValueMilli: there is a request, but no metric.
const NoValue int64 = math.MinInt64

// A PodSample is what one pod has of one metric.
type PodSample struct {
	Metric       int   // index of the policy's metric, from 0
	Pod          int   // which of the observation's pods, from 1; 0: a pod that is not listed
	ValueMilli   int64 // thousandths, as Kubernetes counts them; NoValue: only its request is known
	RequestMilli int64 // Utilization: what the pod requests; 0: no request
	Time         time.Time
	Window       time.Duration // whole seconds; 0: a minute
	Container    string        // without RequestMilli: the first container without one, for messages
}

// An Observation is what is true now: the target's size, its pods, numbers that the host brings.
type Observation struct {
	Current        int32       // the target's spec.replicas
	Samples        []Sample    // one per metric of the policy, in its order
	Now            time.Time   // the zero Time: the clock's
	StatusReplicas *int32      // pods that exist; nil: as Current
	ReadyReplicas  *int32      // pods that are ready; nil: as Current
	Unreadable     bool        // the target's size could not be read; Current is not looked at
	Message        string      // with Unreadable: why, for conditions
	Pods           []Pod       // all pods of the target, for metrics that are read from pods; nil: not listed
	PodSamples     []PodSample // of metrics that are read from pods
}

// observation fills the frame's struct.
func (f *frame) observation(observation Observation) (*C.gputide_observation, error) {
	raw := &f.c.observation
	*raw = C.gputide_observation{struct_size: C.sizeof_gputide_observation}
	raw.flags = bit(observation.Unreadable, uint32(C.GPUTIDE_SCALE_UNREADABLE)) | bit(observation.Pods != nil, uint32(C.GPUTIDE_OBSERVED_PODS))
	raw.now_ms = nowOf(observation.Now)
	raw.current_replicas = C.int32_t(observation.Current)
	if observation.StatusReplicas != nil {
		raw.status_replicas = C.int32_t(*observation.StatusReplicas)
		raw.flags |= bit(*observation.StatusReplicas == 0, uint32(C.GPUTIDE_OBSERVED_STATUS))
	}
	if observation.ReadyReplicas != nil {
		raw.ready_replicas = C.int32_t(*observation.ReadyReplicas)
		raw.flags |= bit(*observation.ReadyReplicas == 0, uint32(C.GPUTIDE_OBSERVED_READY))
	}
	var err error
	if raw.message, err = f.word(observation.Message, "an observation's message"); err != nil {
		return nil, err
	}
	samples, err := f.samples(observation.Samples)
	if err != nil {
		return nil, err
	}
	raw.samples, raw.sample_count, raw.sample_size = samples, C.uint32_t(len(observation.Samples)), C.sizeof_gputide_sample
	pods, err := f.pods(observation.Pods)
	if err != nil {
		return nil, err
	}
	raw.pods, raw.pod_count, raw.pod_size = pods, C.uint32_t(len(observation.Pods)), C.sizeof_gputide_pod
	if raw.pod_samples, err = f.podSamples(observation.PodSamples); err != nil {
		return nil, err
	}
	raw.pod_sample_count, raw.pod_sample_size = C.uint32_t(len(observation.PodSamples)), C.sizeof_gputide_pod_sample
	return raw, nil
}

func (f *frame) samples(list []Sample) (*C.gputide_sample, error) {
	buffer := array[C.gputide_sample](f, len(list))
	for i := range list {
		sample, raw := &list[i], &buffer[i]
		raw.struct_size = C.sizeof_gputide_sample
		raw.state = C.gputide_sample_state(sample.State)
		raw.status = C.gputide_status(sample.Status)
		raw.flags = bit(sample.NullAsZero, uint32(C.GPUTIDE_SAMPLE_NULL_AS_ZERO))
		raw.value = C.double(sample.Value)
		raw.time_ms = optionalMs(sample.Time)
		var err error
		if raw.message, err = f.word(sample.Message, "a sample's message"); err != nil {
			return nil, err
		}
	}
	return unsafe.SliceData(buffer), nil
}

func (f *frame) pods(list []Pod) (*C.gputide_pod, error) {
	buffer := array[C.gputide_pod](f, len(list))
	for i := range list {
		pod, raw := &list[i], &buffer[i]
		var err error
		if raw.name, err = f.word(pod.Name, "a pod's name"); err != nil {
			return nil, err
		}
		raw.phase = C.int32_t(pod.Phase)
		raw.ready = C.int32_t(pod.Ready)
		raw.deleting = C.int32_t(bit(pod.Deleting, uint32(1)))
		raw.start_time_ms = optionalMs(pod.StartTime)
		raw.ready_change_time_ms = optionalMs(pod.ReadyChangeTime)
	}
	return unsafe.SliceData(buffer), nil
}

func (f *frame) podSamples(list []PodSample) (*C.gputide_pod_sample, error) {
	buffer := array[C.gputide_pod_sample](f, len(list))
	for i := range list {
		sample, raw := &list[i], &buffer[i]
		raw.metric = C.int32_t(sample.Metric)
		raw.pod = C.int32_t(sample.Pod)
		raw.value_milli = C.int64_t(sample.ValueMilli)
		raw.request_milli = C.int64_t(sample.RequestMilli)
		raw.time_ms = optionalMs(sample.Time)
		raw.window_s = C.int32_t(roundedUp(sample.Window, time.Second))
		var err error
		if raw.container, err = f.word(sample.Container, "a container's name"); err != nil {
			return nil, err
		}
	}
	return unsafe.SliceData(buffer), nil
}

func sampleOf(raw *C.gputide_sample) Sample {
	return Sample{
		Value:      float64(raw.value),
		Time:       momentOf(raw.time_ms),
		State:      SampleState(raw.state),
		Status:     Status(raw.status),
		NullAsZero: raw.flags&C.GPUTIDE_SAMPLE_NULL_AS_ZERO != 0,
	}
}
