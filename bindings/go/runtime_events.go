//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"errors"
	"iter"
	"time"
)

// An Event is what a runtime has to say of one scaler.
type Event struct {
	Kind     EventKind
	ID       ScalerID
	Tag      uint64    // the host's own, as AddTagged was given it
	Sequence uint64    // 1, 2, 3, ... in the order in which events are taken
	Observed time.Time // when the host saw what the decision stands on
	Replaced uint32    // earlier decisions of this scaler that nobody took in time; this one stands for them
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
