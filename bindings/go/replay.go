//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// A Series is recorded values of each metric over time, and the workload's size meanwhile where it is known. At most 20 million
// points; order, duplicates, gaps and NaN are sorted out and counted, not refused.
type Series struct {
	*handle
	guard  sync.RWMutex // writing, or runs over it side by side
	sorted bool         // gputide_series_describe has been called on what is in it: runs no longer copy it
}

// NewSeries gives an empty one.
func NewSeries() (*Series, error) {
	pointer, err := openPlain(func(f *frame) C.gputide_status {
		return C.gputide_series_new((**C.gputide_series)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_series_free((*C.gputide_series)(p)) }
	return &Series{handle: newHandle("Series", pointer, free, nil)}, nil
}

func (s *Series) c() *C.gputide_series { return (*C.gputide_series)(s.pointer) }

// alone makes one call that has the series for itself.
func (s *Series) alone(call func(*frame) C.gputide_status) error {
	return s.do(func(f *frame) C.gputide_status {
		s.guard.Lock()
		defer s.guard.Unlock()
		s.sorted = false
		return call(f)
	})
}

func (s *Series) aloneText(call func(*frame) C.gputide_status) ([]byte, error) {
	var out []byte
	err := s.alone(func(f *frame) C.gputide_status {
		status := call(f)
		out = take(&f.c.text)
		return status
	})
	return out, err
}

// Add adds points of one metric, in any order. A NaN or an infinity is a point without a number.
func (s *Series) Add(metric int, times []time.Time, values []float64) error {
	moments, err := milliseconds64(times, len(values))
	if err != nil {
		return err
	}
	return s.alone(func(f *frame) C.gputide_status {
		first := (*C.double)(unsafe.Pointer(unsafe.SliceData(values)))
		return C.gputide_series_add(s.c(), indexOf(metric), unsafe.SliceData(moments), first, C.uint64_t(len(values)), &f.c.err)
	})
}

// AddReplicas adds replica counts that the workload had while its metrics were recorded: what a closed loop needs.
func (s *Series) AddReplicas(times []time.Time, replicas []int32) error {
	moments, err := milliseconds64(times, len(replicas))
	if err != nil {
		return err
	}
	return s.alone(func(f *frame) C.gputide_status {
		first := (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(replicas)))
		return C.gputide_series_add_replicas(s.c(), unsafe.SliceData(moments), first, C.uint64_t(len(replicas)), &f.c.err)
	})
}

// Read adds what a text holds, from metric on: CSV (time,value[,value...][,replicas]), a saved answer of Prometheus' query_range
// with one series, or the log of `gputided run`; which of them it is shows in the text. scaler, of a run log that holds several:
// "namespace/name"; "": the first one's.
func (s *Series) Read(metric int, text []byte, scaler string) error {
	return s.read(indexOf(metric), text, scaler)
}

// ReadReplicas adds of a text only the replica counts, and of a run log its decisions.
func (s *Series) ReadReplicas(text []byte, scaler string) error {
	return s.read(C.GPUTIDE_NO_METRIC, text, scaler)
}

func (s *Series) read(metric C.int32_t, text []byte, scaler string) error {
	buffer, err := begin()
	if err != nil {
		return err
	}
	defer buffer.end()
	name, err := buffer.word(scaler, "scaler")
	if err != nil {
		return err
	}
	return s.alone(func(f *frame) C.gputide_status {
		first, size := bytesOf(text)
		return C.gputide_series_read(s.c(), metric, first, size, name, &f.c.err)
	})
}

// Fetch adds the past of one metric straight from its source, both ends included, at most 11,000 steps.
func (s *Series) Fetch(ctx context.Context, scaler *Scaler, metric int, from, to time.Time, step time.Duration) error {
	if err := scaler.enter(ctx); err != nil {
		return err
	}
	defer scaler.leave()
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	s.guard.Lock()
	defer s.guard.Unlock()
	s.sorted = false
	return waitFor(ctx, longTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		return C.gputide_series_fetch(s.c(), scaler.c(), indexOf(metric), C.int64_t(from.UnixMilli()), C.int64_t(to.UnixMilli()),
			C.int64_t(roundedUp(step, time.Millisecond)), timeout, cancel, &f.c.err)
	}, s.handle, scaler.handle)
}

// Write gives the series as CSV, which Read takes; the decisions of a run log are not in it.
func (s *Series) Write() ([]byte, error) {
	return s.aloneText(func(f *frame) C.gputide_status { return C.gputide_series_write(s.c(), &f.c.text, &f.c.err) })
}

// Describe gives points, from, to, gaps, duplicates and the like.
func (s *Series) Describe() (json.RawMessage, error) {
	return s.aloneText(func(f *frame) C.gputide_status {
		status := C.gputide_series_describe(s.c(), &f.c.text, &f.c.err)
		s.sorted = status == C.GPUTIDE_OK
		return status
	})
}

// share holds the series for a run beside others, sorted where that is possible; end it with s.guard.RUnlock.
func (s *Series) share() {
	for range 2 {
		s.guard.RLock()
		if s.sorted {
			return
		}
		s.guard.RUnlock()
		_, _ = s.Describe() // a series without a point cannot be; the run says so
	}
	s.guard.RLock()
}

func milliseconds64(times []time.Time, beside int) ([]C.int64_t, error) {
	if len(times) != beside {
		return nil, fmt.Errorf("gputide: %d times for %d values", len(times), beside)
	}
	out := make([]C.int64_t, len(times))
	for i, instant := range times {
		out[i] = C.int64_t(instant.UnixMilli())
	}
	return out, nil
}

// A Replay is a manifest's policy, a model, and the sums so far: what the manifest would have done over recorded metrics, by the
// code that decides live, with the clock as a parameter.
type Replay struct{ *handle }

// OpenReplay takes a manifest as for [OpenPolicy]. settings: JSON, {"model":"closed","signal":"utilization","set":{"threshold":60}};
// every member and its default is in docs/replay.md; nil: the defaults. options may be nil.
func OpenReplay(manifest []byte, options *Options, settings json.RawMessage) (*Replay, error) {
	pointer, err := openText(manifest, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		chosen, chosenSize := optionalBytes(settings)
		out := (**C.gputide_replay)(unsafe.Pointer(&f.c.handle))
		return C.gputide_replay_open(text, size, options, chosen, chosenSize, out, &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_replay_free((*C.gputide_replay)(p)) }
	return &Replay{newHandle("Replay", pointer, free, nil).takingTurns()}, nil
}

func (r *Replay) c() *C.gputide_replay { return (*C.gputide_replay)(r.pointer) }

// Run goes over all of a series, once. It takes as long as it takes: a deadline of ctx ends it. Replays may run over one series at
// the same time.
func (r *Replay) Run(ctx context.Context, series *Series) error {
	if err := r.enter(ctx); err != nil {
		return err
	}
	defer r.leave()
	if err := series.enter(ctx); err != nil {
		return err
	}
	defer series.leave()
	series.share()
	defer series.guard.RUnlock()
	return waitFor(ctx, untimed, func(f *frame, _ C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		return C.gputide_replay_run(r.c(), series.c(), cancel, &f.c.err)
	}, r.handle, series.handle)
}

// Record is Run moment by moment, for series of any length: what was recorded at a time, which must not go back. samples: one per
// metric; the zero Sample: nothing new is known of it. replicas: the workload's recorded size; nil: as before. It gives the last
// decision taken so far; its Source is 0 before the first.
func (r *Replay) Record(at time.Time, samples []Sample, replicas *int32) (last Decision, err error) {
	buffer := newFrame()
	defer buffer.end()
	list, err := buffer.samples(samples)
	if err != nil {
		return last, err
	}
	size := C.int32_t(-1)
	if replicas != nil {
		size = C.int32_t(*replicas)
	}
	err = r.do(func(f *frame) C.gputide_status {
		status := C.gputide_replay_record(r.c(), C.int64_t(at.UnixMilli()), list, C.sizeof_gputide_sample, C.uint32_t(len(samples)), size,
			&f.c.decision, &f.c.err)
		if status == C.GPUTIDE_OK {
			f.decided(&last, false)
		}
		return status
	})
	return last, err
}

// Report says what it came to. It ends the replay: nothing can be recorded after it.
func (r *Replay) Report() (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status { return C.gputide_replay_report(r.c(), &f.c.text, &f.c.err) })
}
