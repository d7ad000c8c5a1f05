//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"encoding/json"
	"time"
	"unsafe"
)

// A Forecast is the load of the next start-up time, for a host that scales in a loop of its own; in a manifest gputide.io/forecast
// does all of this. It learns from one load per pass (what must be served in total), scores itself against "nothing will change", and
// gives a floor for the size that the host came to without it. Each pass: Add, decide, Floor, write the size, Charge.
type Forecast struct{ *handle }

// OpenForecast takes settings: JSON, {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default is in
// docs/json.md (forecast_describe); nil: the defaults.
func OpenForecast(settings json.RawMessage) (*Forecast, error) {
	pointer, err := openPlain(func(f *frame) C.gputide_status {
		text, size := optionalBytes(settings)
		return C.gputide_forecast_open(text, size, (**C.gputide_forecast)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_forecast_free((*C.gputide_forecast)(p)) }
	return &Forecast{newHandle("Forecast", pointer, free, nil).takingTurns()}, nil
}

func (f *Forecast) c() *C.gputide_forecast { return (*C.gputide_forecast)(f.pointer) }

// Add adds the load of a pass. NaN, an infinity or a negative number: the load could not be read. A time in a slot that has ended is
// ignored and counted; a time far back means that the clock was set. now: the zero Time is the clock's.
func (f *Forecast) Add(now time.Time, load float64) error {
	return f.do(func(buffer *frame) C.gputide_status {
		return C.gputide_forecast_add(f.c(), nowOf(now), C.double(load), &buffer.c.err)
	})
}

// A Sizing is what a pass came to without the forecast.
type Sizing struct {
	Target   float64 // load that one replica takes, more than 0
	Reactive int32   // the size without the forecast, before rate limits and bounds
	Current  int32   // replicas now; 0: the workload is off, and stays so
	Max      int32   // the floor does not pass it
}

// A Floor is what came of a Sizing.
type Floor struct {
	State    ForecastState // how the forecast stands
	Reason   FloorReason
	Replicas int32   // Sizing.Reactive or more, never above Sizing.Max because of the forecast
	Need     int32   // replicas that Load takes; -1: it asks for nothing
	Load     float64 // to be ready for; NaN: it asks for nothing
}

// Floor returns the floor for the size that this pass computed.
//
// Worked: floor load 117.39, target 10, reactive 10, max 40: 12.
func (f *Forecast) Floor(pass Sizing) (Floor, error) {
	var floor Floor
	err := f.do(func(buffer *frame) C.gputide_status {
		raw := (*C.gputide_floor)(buffer.alloc(C.sizeof_gputide_floor))
		raw.struct_size = C.sizeof_gputide_floor
		status := C.gputide_forecast_floor(f.c(), C.double(pass.Target), C.int32_t(pass.Reactive), C.int32_t(pass.Current),
			C.int32_t(pass.Max), raw, &buffer.c.err)
		if status == C.GPUTIDE_OK {
			floor = Floor{ForecastState(raw.state), FloorReason(raw.reason), int32(raw.replicas), int32(raw.need_replicas), float64(raw.floor_load)}
		}
		return status
	})
	return floor, err
}

// Charge charges the budget: the size that was written, and the size that the same rules without the forecast would have written
// (their own history and size). Once per pass, after Floor.
func (f *Forecast) Charge(written, shadow int32) error {
	return f.do(func(buffer *frame) C.gputide_status {
		return C.gputide_forecast_charge(f.c(), C.int32_t(written), C.int32_t(shadow), &buffer.c.err)
	})
}

// Describe says what it forecasts, how good it has been and what it cost.
func (f *Forecast) Describe() (json.RawMessage, error) {
	return f.text(func(buffer *frame) C.gputide_status {
		return C.gputide_forecast_describe(f.c(), &buffer.c.text, &buffer.c.err)
	})
}

// Save gives a text that survives a restart, for [Forecast.Load].
func (f *Forecast) Save() ([]byte, error) {
	return f.text(func(buffer *frame) C.gputide_status {
		return C.gputide_forecast_save(f.c(), &buffer.c.text, &buffer.c.err)
	})
}

// Load goes on as the forecast that was saved. One of another lead keeps patterns and account and learns the rest anew, one of another
// slot starts anew. With an [ErrState] (a damaged, foreign or newer text) nothing has changed.
func (f *Forecast) Load(saved []byte) error {
	return f.do(func(buffer *frame) C.gputide_status {
		text, size := bytesOf(saved)
		return C.gputide_forecast_load(f.c(), text, size, &buffer.c.err)
	})
}

// A NodesPlan is how many GPU nodes of which pool pods that wait need, and which nodes may go, as the cluster autoscaler would decide
// it.
type NodesPlan struct {
	Report         json.RawMessage // the whole plan with its reasons; docs/json.md, nodes_plan
	State          []byte          // for the next plan: since when nodes are unneeded, open requests, pools that failed
	Errors         int             // items of the text that were left out, or settings that were refused; Report names each
	Warnings       int
	NodesToAdd     int64
	NodesToRemove  int64 // now; others may follow later
	PodsPending    int64 // pods that wait: the sum of the next three
	PodsOnExisting int64 // that fit on nodes which exist or are starting
	PodsOnNew      int64
	PodsLeft       int64 // without a place; Report has the reasons
}

// PlanNodes plans the nodes of a cluster as the text describes it: pools, nodes, pods, settings and what was done since the last plan
// (docs/nodes.md), and Kubernetes' own objects and lists as kubectl prints them, one behind the other. No I/O; nothing is added or
// removed by it. state: what the last plan gave; nil: there was none. now: the zero Time is the clock's.
//
// An item that cannot be read is left out and named in the report; the others are planned.
func PlanNodes(text, state []byte, now time.Time) (*NodesPlan, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	summary := (*C.gputide_nodes_summary)(f.alloc(C.sizeof_gputide_nodes_summary))
	summary.struct_size = C.sizeof_gputide_nodes_summary
	given, size := bytesOf(text)
	last, lastSize := optionalBytes(state)
	// The frame's second text has the state.
	err = f.failure(C.gputide_nodes_plan(given, size, last, lastSize, nowOf(now), summary, &f.c.text, &f.c.lines, &f.c.err))
	plan := &NodesPlan{Report: take(&f.c.text), State: take(&f.c.lines)}
	if err != nil {
		return nil, err
	}
	plan.Errors = int(summary.errors)
	plan.Warnings = int(summary.warnings)
	plan.NodesToAdd = int64(summary.nodes_to_add)
	plan.NodesToRemove = int64(summary.nodes_to_remove)
	plan.PodsPending = int64(summary.pods_pending)
	plan.PodsOnExisting = int64(summary.pods_on_existing)
	plan.PodsOnNew = int64(summary.pods_on_new)
	plan.PodsLeft = int64(summary.pods_left)
	return plan, nil
}

// A Rightsize says what a workload really needs: samples of its GPUs come in one by one, and out of them bounds, a number of GPUs, a
// MIG profile, a machine, or several replicas on one GPU, with the evidence and the money. No I/O, and no clock where times are given.
// Rules and settings: docs/rightsizing.md.
type Rightsize struct{ *handle }

// OpenRightsize takes settings of the library's own (a document without a kind), a GpuCatalogue, a VerticalPodAutoscaler, each at most
// once, as YAML or JSON, also in options.Files. nil: the defaults; options may be nil.
func OpenRightsize(settings []byte, options *Options) (*Rightsize, error) {
	pointer, err := openText(settings, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		return C.gputide_rightsize_open(text, size, options, (**C.gputide_rightsize)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_rightsize_free((*C.gputide_rightsize)(p)) }
	return &Rightsize{newHandle("Rightsize", pointer, free, nil).takingTurns()}, nil
}

func (r *Rightsize) c() *C.gputide_rightsize { return (*C.gputide_rightsize)(r.pointer) }

// Describe gives the settings with each default filled in, and what was found to remark of them.
func (r *Rightsize) Describe() (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status { return C.gputide_rightsize_describe(r.c(), &f.c.text, &f.c.err) })
}

// A Container is the number of a container with samples of its own; 0: the container without a name.
type Container uint32

// Container returns the number of the named container, from 1, and creates it if it is new. All have the same settings; at most a
// million.
func (r *Rightsize) Container(name string) (Container, error) {
	text, err := terminated(name, "name")
	if err != nil {
		return 0, err
	}
	defer C.free(text)
	var number Container
	err = r.do(func(f *frame) C.gputide_status {
		status := C.gputide_rightsize_container(r.c(), (*C.char)(text), &f.c.count, &f.c.err)
		if status == C.GPUTIDE_OK {
			number = Container(f.c.count)
		}
		return status
	})
	return number, err
}

// A UsageSample is of one GPU, MIG instance or (profile vpa) container of a pod, at one time. [Usage] makes the usual one.
type UsageSample struct {
	Time        time.Time // the zero Time: the clock's
	Container   Container
	Unit        int      // which of its GPUs, from 0 over all replicas, up to 4095
	Busy        *float64 // percent of time or, better, of its engines; profile vpa: cores; nil: not told
	MemoryBytes *int64   // in use, of this GPU; nil: not told
	OutOfMemory bool     // it ran out of memory, with MemoryBytes requested (nil: unknown); Busy must be nil then
}

// Usage is a sample of the first GPU of the container without a name, with both numbers told.
func Usage(at time.Time, busy float64, memoryBytes int64) UsageSample {
	return UsageSample{Time: at, Busy: &busy, MemoryBytes: &memoryBytes}
}

// Add adds samples, those of one unit in the order of their times. taken: of how many something counted. A value below 0, NaN, an
// infinity and what is older than the unit's last (for Busy: as old) do not count, and are not an error. With any error but
// [ErrNoMemory] none was added.
func (r *Rightsize) Add(samples []UsageSample) (taken int, err error) {
	err = r.do(func(f *frame) C.gputide_status {
		list := array[C.gputide_usage_sample](f, len(samples))
		for i := range samples {
			samples[i].fill(&list[i])
		}
		status := C.gputide_rightsize_add(r.c(), unsafe.SliceData(list), C.sizeof_gputide_usage_sample, C.uint32_t(len(list)), &f.c.count, &f.c.err)
		if status == C.GPUTIDE_OK {
			taken = int(f.c.count)
		}
		return status
	})
	return taken, err
}

func (s *UsageSample) fill(raw *C.gputide_usage_sample) {
	raw.time_ms = nowOf(s.Time)
	raw.container = C.uint32_t(s.Container)
	raw.unit = C.uint32_t(indexOf(s.Unit)) // an index beyond all units is refused
	raw.flags = bit(s.OutOfMemory, uint32(C.GPUTIDE_USAGE_OOM))
	if s.Busy != nil {
		raw.flags |= C.GPUTIDE_USAGE_BUSY
		raw.busy = C.double(*s.Busy)
	}
	if s.MemoryBytes != nil {
		// An out-of-memory is told alone: the bytes are its own, not a second thing that is told.
		raw.flags |= bit(!s.OutOfMemory, uint32(C.GPUTIDE_USAGE_MEMORY))
		raw.memory_bytes = C.int64_t(*s.MemoryBytes)
	}
}

// Recommend says what a container's samples come to: verdict (change, keep, hold, nothing, report), recommendation and runner-up, every
// percentile before and after margin, confidence and caps, the money, and a sentence. now: the zero Time is the clock's.
func (r *Rightsize) Recommend(container Container, now time.Time) (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status {
		return C.gputide_rightsize_recommend(r.c(), C.uint32_t(container), nowOf(now), &f.c.text, &f.c.err)
	})
}

// Fit says what a need that is known comes to: machines, MIG profile and sharing, the best one first. Both are of each GPU, with
// whatever margin they should have.
func (r *Rightsize) Fit(memoryBytes int64, utilPercent float64) (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status {
		return C.gputide_rightsize_fit(r.c(), C.int64_t(memoryBytes), C.double(utilPercent), &f.c.text, &f.c.err)
	})
}

// Save gives one container's histograms and open windows as a text that survives a restart, for [Rightsize.Load]: the status of a
// VerticalPodAutoscalerCheckpoint with members of the library's own. now: the zero Time is the clock's.
func (r *Rightsize) Save(container Container, now time.Time) ([]byte, error) {
	return r.text(func(f *frame) C.gputide_status {
		return C.gputide_rightsize_save(r.c(), C.uint32_t(container), nowOf(now), &f.c.text, &f.c.err)
	})
}

// Load takes, in place of what the container had, what Save gave under settings of the same profile and half-life, or the checkpoint
// object of a VPA. With an [ErrState] (a damaged, foreign or newer one) nothing has changed.
func (r *Rightsize) Load(container Container, saved []byte) error {
	return r.do(func(f *frame) C.gputide_status {
		text, size := bytesOf(saved)
		return C.gputide_rightsize_load(r.c(), C.uint32_t(container), text, size, &f.c.err)
	})
}

// DecideScaledJob is one poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones go. No I/O and no clock. options
// may be nil; its Scaler names one of several. observation: JSON, {"values":[42.5,null],"running":3,"pending":1}, a value per trigger in the
// manifest's order, null where its read failed; every member is in docs/jobs.md. The decision has create, delete, conditions, events
// and a trace.
//
// Worked: 12.5 items at 2 per Job, 3 Jobs unfinished: 4.
func DecideScaledJob(manifest []byte, options *Options, observation json.RawMessage) (json.RawMessage, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	chosen, err := f.options(options)
	if err != nil {
		return nil, err
	}
	text, size := bytesOf(manifest)
	what, whatSize := bytesOf(observation)
	err = f.failure(C.gputide_scaled_job_decide(text, size, chosen, what, whatSize, &f.c.text, &f.c.err))
	return take(&f.c.text), err
}
