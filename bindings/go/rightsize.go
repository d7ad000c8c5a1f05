//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"encoding/json"
	"math"
	"time"
	"unsafe"
)

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

// A Container is the number of a container whose samples are counted apart; 0: the one without a name.
type Container uint32

// Container gives the number of the container of that name, from 1, which is new where nobody asked for it before. All go by the same
// settings; there may be a million.
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
// infinity and what is older than the unit's last (for Busy: as old) do not count, and are no error. With any error but
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
	raw.unit = C.uint32_t(min(max(s.Unit, 0), math.MaxInt32))
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
