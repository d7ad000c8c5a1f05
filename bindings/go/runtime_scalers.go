//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"encoding/json"
	"iter"
)

// A ScalerID is a scaler's number in its runtime: never 0, and never used again.
type ScalerID uint64

// Add takes one more scaler; manifest and options as for [OpenScaler]. It is polled from the first observation on, with
// RuntimeOptions.ObserveFirst at once.
func (r *Runtime) Add(manifest []byte, options *Options) (ScalerID, error) {
	return r.AddTagged(manifest, options, 0)
}

// AddTagged is Add with a number of the host's own, which comes back in each of the scaler's events.
func (r *Runtime) AddTagged(manifest []byte, options *Options, tag uint64) (id ScalerID, err error) {
	err = r.withOptions(options, func(f *frame, options *C.gputide_options) C.gputide_status {
		text, size := bytesOf(manifest)
		status := C.gputide_runtime_add(r.c(), text, size, options, C.uint64_t(tag), &f.c.id, &f.c.err)
		if status == C.GPUTIDE_OK {
			id = ScalerID(f.c.id)
		}
		return status
	})
	return id, err
}

// withOptions makes one call that takes options.
func (r *Runtime) withOptions(options *Options, call func(*frame, *C.gputide_options) C.gputide_status) error {
	room := newFrame()
	defer room.end()
	chosen, err := room.options(options)
	if err != nil {
		return err
	}
	return r.do(func(f *frame) C.gputide_status { return call(f, chosen) })
}

// Replace takes another manifest for the same name: observation, pushed samples, schedule, tag and, where it fits, state stay; an
// event that waits is dropped.
func (r *Runtime) Replace(id ScalerID, manifest []byte, options *Options) error {
	return r.replace(id, manifest, options, nil)
}

// ReplaceTagged is Replace with a new tag.
func (r *Runtime) ReplaceTagged(id ScalerID, manifest []byte, options *Options, tag uint64) error {
	return r.replace(id, manifest, options, &tag)
}

func (r *Runtime) replace(id ScalerID, manifest []byte, options *Options, tag *uint64) error {
	return r.withOptions(options, func(f *frame, options *C.gputide_options) C.gputide_status {
		var newTag *C.uint64_t
		if tag != nil {
			f.c.id = C.uint64_t(*tag)
			newTag = &f.c.id
		}
		text, size := bytesOf(manifest)
		return C.gputide_runtime_replace(r.c(), C.uint64_t(id), text, size, options, newTag, &f.c.err)
	})
}

// Remove ends a scaler, what it is asking and the event that waits for it.
func (r *Runtime) Remove(id ScalerID) error {
	return r.do(func(f *frame) C.gputide_status { return C.gputide_runtime_remove(r.c(), C.uint64_t(id), &f.c.err) })
}

// Find gives the number of "namespace/name".
func (r *Runtime) Find(name string) (ScalerID, error) {
	word, err := terminated(name, "name")
	if err != nil {
		return 0, err
	}
	defer C.free(word)
	return r.found(func(f *frame) C.gputide_status {
		return C.gputide_runtime_find(r.c(), (*C.char)(word), &f.c.id, &f.c.err)
	})
}

// NextScaler gives the scaler behind another, 0: the first, in an order of the runtime's own; [ErrNotFound] behind the last.
func (r *Runtime) NextScaler(after ScalerID) (ScalerID, error) {
	return r.found(func(f *frame) C.gputide_status {
		return C.gputide_runtime_next_scaler(r.c(), C.uint64_t(after), &f.c.id, &f.c.err)
	})
}

// found makes one call that looks for a scaler, and gives its number out of the frame.
func (r *Runtime) found(look func(*frame) C.gputide_status) (id ScalerID, err error) {
	err = r.do(func(f *frame) C.gputide_status {
		status := look(f)
		if status == C.GPUTIDE_OK {
			id = ScalerID(f.c.id)
		}
		return status
	})
	return id, err
}

// Scalers ranges over all of them. One that is there all the while comes exactly once, whatever is added and removed meanwhile. A
// closed runtime has none.
func (r *Runtime) Scalers() iter.Seq[ScalerID] {
	return func(yield func(ScalerID) bool) {
		for id, err := r.NextScaler(0); err == nil; id, err = r.NextScaler(id) {
			if !yield(id) {
				return
			}
		}
	}
}

// Observe says what is true of a scaler's target now; it is used until the next one. The first observation starts the polling. Say
// it again whenever something else than Record changed the size.
func (r *Runtime) Observe(id ScalerID, observation Observation) error {
	return r.observed(observation, func(f *frame, raw *C.gputide_observation) C.gputide_status {
		return C.gputide_runtime_observe(r.c(), C.uint64_t(id), raw, &f.c.err)
	})
}

// Push gives numbers of metrics that the host brings (triggers of type values, an HPA's metrics without a source): one sample per
// metric of the policy; the zero Sample keeps what was. They are used by the polls to come until others are pushed.
func (r *Runtime) Push(id ScalerID, samples []Sample) error {
	room := newFrame()
	defer room.end()
	list, err := room.samples(samples)
	if err != nil {
		return err
	}
	return r.do(func(f *frame) C.gputide_status {
		return C.gputide_runtime_push(r.c(), C.uint64_t(id), list, C.sizeof_gputide_sample, C.uint32_t(len(samples)), &f.c.err)
	})
}

// Save gives a scaler's state as a text that survives a restart.
func (r *Runtime) Save(id ScalerID) ([]byte, error) {
	return r.text(func(f *frame) C.gputide_status {
		return C.gputide_runtime_save(r.c(), C.uint64_t(id), &f.c.text, &f.c.err)
	})
}

// Load takes what Save gave, in place of the scaler's state.
func (r *Runtime) Load(id ScalerID, saved []byte) error {
	return r.do(func(f *frame) C.gputide_status {
		text, size := bytesOf(saved)
		return C.gputide_runtime_load(r.c(), C.uint64_t(id), text, size, &f.c.err)
	})
}

// Describe gives one scaler: its numbers, its observation, the last decision, its metrics.
func (r *Runtime) Describe(id ScalerID) (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status {
		return C.gputide_runtime_describe(r.c(), C.uint64_t(id), &f.c.text, &f.c.err)
	})
}
