//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A resource is a C object with a count of its users: its handle while that is open, and each resource that needs it.
type resource struct {
	kind    string
	pointer unsafe.Pointer
	free    func(unsafe.Pointer)
	users   atomic.Int64
	needs   *resource
}

// handle is what a Policy, a Scaler and the like have of a resource: open, closing, closed. The garbage collector frees the resource
// of a forgotten handle. Each call that may reach C lies between enter and leave, and the deferred leave keeps the handle reachable:
// the collector cannot find it before the last call has left.
type handle struct {
	*resource
	turn    chan struct{} // holds the one call inside, where C takes a T*; nil: calls run side by side
	cleanup runtime.Cleanup
	closed  chan struct{} // closed when closing begins
	freed   chan struct{} // closed when no call is inside any more

	guard   sync.Mutex
	closing bool
	inside  int // calls, those that wait for their turn included
	waits   map[*waiter]struct{}
}

var alive atomic.Int64

// Alive is how many handles of the library this process holds: opened here and not freed.
func Alive() int { return int(alive.Load()) }

// newHandle takes over a C object. needs: another that has to outlive it; its user is counted already.
func newHandle(kind string, pointer unsafe.Pointer, free func(unsafe.Pointer), needs *resource) *handle {
	alive.Add(1)
	h := &handle{
		resource: &resource{kind: kind, pointer: pointer, free: free, needs: needs},
		closed:   make(chan struct{}),
		freed:    make(chan struct{}),
		waits:    map[*waiter]struct{}{},
	}
	h.users.Store(1)
	h.cleanup = runtime.AddCleanup(h, (*resource).forgotten, h.resource)
	return h
}

// takingTurns is for handles with C functions that take a T*.
func (h *handle) takingTurns() *handle {
	h.turn = make(chan struct{}, 1)
	return h
}

// forgotten frees the resource of a handle that the collector found.
func (r *resource) forgotten() {
	warnForgotten(r.kind)
	r.release()
}

// retain counts one more user.
func (r *resource) retain() *resource {
	r.users.Add(1)
	return r
}

// retainOpen is retain for a caller that is not a user yet; false: it is freed already.
func (r *resource) retainOpen() bool {
	for {
		count := r.users.Load()
		if count == 0 {
			return false
		}
		if r.users.CompareAndSwap(count, count+1) {
			return true
		}
	}
}

// release counts a user out; the last one frees.
func (r *resource) release() {
	if r.users.Add(-1) != 0 {
		return
	}
	alive.Add(-1)
	r.free(r.pointer)
	if r.needs != nil {
		r.needs.release()
	}
}

// Close ends calls that wait with this handle, waits until no call is inside, and frees it. It may be repeated, and always
// returns nil.
func (h *handle) Close() error {
	h.cleanup.Stop()
	h.beginClosing()
	<-h.freed
	return nil
}

func (h *handle) beginClosing() {
	h.guard.Lock()
	if h.closing {
		h.guard.Unlock()
		return
	}
	h.closing = true
	close(h.closed)
	for wait := range h.waits {
		wait.fire()
	}
	empty := h.inside == 0
	h.guard.Unlock()
	if empty {
		h.end()
	}
}

func (h *handle) isClosing() bool {
	h.guard.Lock()
	defer h.guard.Unlock()
	return h.closing
}

// end is for the caller that sees first that the handle is closing and no call is inside.
func (h *handle) end() {
	h.release()
	close(h.freed)
}

// enter counts a call in, and waits for its turn until ctx ends.
func (h *handle) enter(ctx context.Context) error {
	h.guard.Lock()
	if h.closing {
		h.guard.Unlock()
		return &closedError{h.kind}
	}
	h.inside++
	h.guard.Unlock()
	if h.turn == nil {
		return nil
	}
	select {
	case h.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-h.closed:
		h.left()
		return &closedError{h.kind}
	case <-ctx.Done():
		h.left()
		return tooLate(ctx)
	}
}

func (h *handle) leave() {
	if h.turn != nil {
		<-h.turn
	}
	h.left()
}

func (h *handle) left() {
	h.guard.Lock()
	h.inside--
	last := h.closing && h.inside == 0
	h.guard.Unlock()
	if last {
		h.end()
	}
}

// do makes one call that does not wait.
func (h *handle) do(call func(*frame) C.gputide_status) error {
	if err := h.enter(context.Background()); err != nil {
		return err
	}
	defer h.leave()
	f := newFrame()
	defer f.end()
	return f.failure(call(f))
}

// text makes one call that fills the frame's text.
func (h *handle) text(call func(*frame) C.gputide_status) ([]byte, error) {
	var out []byte
	err := h.do(func(f *frame) C.gputide_status {
		status := call(f)
		out = take(&f.c.text)
		return status
	})
	return out, err
}
