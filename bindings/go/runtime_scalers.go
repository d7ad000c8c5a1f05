//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
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
	buffer := newFrame()
	defer buffer.end()
	chosen, err := buffer.options(options)
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
	buffer := newFrame()
	defer buffer.end()
	list, err := buffer.samples(samples)
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

// An Event is what a runtime has to say of one scaler.
type Event struct {
	Kind     EventKind
	ID       ScalerID
	Tag      uint64    // the host's own, as AddTagged was given it
	Sequence uint64    // 1, 2, 3, ... in the order in which events are taken
	Observed time.Time // when the host saw what the decision stands on
	Replaced uint32    // number of this scaler's earlier decisions that this event replaces
	Name     string    // "namespace/name"
	Decision Decision  // of kind EventDue none: a poll is due and waits for Observe; of EventCluster its Report alone
}

// WantsWrite says whether the target's size is to be changed.
func (e *Event) WantsWrite() bool { return e.Kind == EventDecision && e.Decision.WantsWrite() }

// NextEvent waits for the next event: a write is wanted, or a decision differs from the scaler's last one (or each, with
// RuntimeOptions.EveryDecision). A scaler has at most one event waiting, with its newest decision: nothing is lost and nothing piles
// up. It drives the runtime meanwhile where no thread does. Where ctx ends first, the error wraps ctx.Err().
func (r *Runtime) NextEvent(ctx context.Context) (*Event, error) {
	var event *Event
	err := r.wait(ctx, forever, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) (status C.gputide_status) {
		event, status = r.take(f, timeout, cancel)
		return status
	})
	if errors.Is(err, ErrNoData) { // in the time that the context had
		return nil, tooLate(ctx)
	}
	return event, err
}

// TakeEvent gives the next event where one waits already; else nil.
func (r *Runtime) TakeEvent() (*Event, error) {
	var event *Event
	err := r.do(func(f *frame) (status C.gputide_status) {
		event, status = r.take(f, 0, nil)
		return status
	})
	if errors.Is(err, ErrNoData) {
		return nil, nil
	}
	return event, err
}

func (r *Runtime) take(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) (*Event, C.gputide_status) {
	status := C.gputide_runtime_next_event(r.c(), timeout, cancel, &f.c.event, &f.c.decision, &f.c.text, &f.c.err)
	if status != C.GPUTIDE_OK {
		return nil, status
	}
	raw := &f.c.event
	event := &Event{
		Kind:     EventKind(raw.kind),
		ID:       ScalerID(raw.id),
		Tag:      uint64(raw.tag),
		Sequence: uint64(raw.sequence),
		Observed: momentOf(raw.observed_ms),
		Replaced: uint32(raw.replaced),
		Name:     chars(raw.name[:]),
	}
	f.decided(&event.Decision, true)
	return event, status
}

// Events ranges over events until ctx ends or the runtime is closed, which both end it without an error. What else goes wrong comes
// once, and ends it. Each event is given to one consumer.
func (r *Runtime) Events(ctx context.Context) iter.Seq2[*Event, error] {
	return untilEnded(ctx, r.handle, r.NextEvent)
}

// Record tells the runtime how the write went that an event's decision asked for, once: applied, and then Desired is taken to be the
// size from now on; or failed. The decision's conditions and event follow. A decision that wanted no write needs no record. The time
// is the clock's.
func (r *Runtime) Record(event *Event, applied bool) error {
	return r.RecordAt(event.ID, &event.Decision, applied, time.Time{})
}

// RecordAt is Record for a decision without its event and a write at a given time.
func (r *Runtime) RecordAt(id ScalerID, decision *Decision, applied bool, at time.Time) error {
	return r.record(decision, func(f *frame, d *C.gputide_decision) C.gputide_status {
		return C.gputide_runtime_record(r.c(), C.uint64_t(id), d, truth(applied), nowOf(at), &f.c.err)
	})
}
