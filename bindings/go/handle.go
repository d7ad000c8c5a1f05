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

// handle is the C handle behind a Policy, a Scaler and the like: open, closing, closed. It is an object of its own, so that the
// garbage collector may find its owner forgotten while a call is inside.
type handle struct {
	kind    string
	pointer unsafe.Pointer
	free    func(unsafe.Pointer)
	turn    chan struct{} // holds the one call inside, where C takes a T*; nil: calls run side by side
	cleanup runtime.Cleanup
	closed  chan struct{} // closed when closing begins
	freed   chan struct{} // closed when nobody is inside any more

	guard   sync.Mutex
	closing bool
	inside  int // calls, those that wait for their turn included
	users   int // 1 while open, and one for each handle that needs this one
	needs   *handle
	waits   map[*waiter]struct{}
}

var alive atomic.Int64

// Alive is how many handles of the library this process holds: opened here and not freed.
func Alive() int { return int(alive.Load()) }

// newHandle takes over a C handle. needs: another that has to outlive this one.
func newHandle(kind string, pointer unsafe.Pointer, free func(unsafe.Pointer), needs *handle) *handle {
	alive.Add(1)
	return &handle{
		kind:    kind,
		pointer: pointer,
		free:    free,
		closed:  make(chan struct{}),
		freed:   make(chan struct{}),
		users:   1,
		needs:   needs,
		waits:   map[*waiter]struct{}{},
	}
}

// takingTurns is for handles whose C functions take a T*.
func (h *handle) takingTurns() *handle {
	h.turn = make(chan struct{}, 1)
	return h
}

// owned lets the collector free h when its owner is forgotten.
func owned[T any](owner *T, h *handle) *T {
	h.cleanup = runtime.AddCleanup(owner, (*handle).forgotten, h)
	return owner
}

func (h *handle) forgotten() {
	warnForgotten(h.kind)
	h.beginClosing()
}

// Close ends calls that wait with this handle, waits until nobody is inside, and frees it. It may be repeated, and always
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
	for one := range h.waits {
		one.fire()
	}
	empty := h.inside == 0
	h.guard.Unlock()
	if empty {
		h.end()
	}
}

// end is for who sees first that the handle is closing and nobody is inside.
func (h *handle) end() {
	h.release()
	close(h.freed)
}

func (h *handle) retain() *handle {
	h.guard.Lock()
	h.users++
	h.guard.Unlock()
	return h
}

// retainOpen is retain for who does not hold it; false: it is freed already.
func (h *handle) retainOpen() bool {
	h.guard.Lock()
	defer h.guard.Unlock()
	if h.users == 0 {
		return false
	}
	h.users++
	return true
}

func (h *handle) release() {
	h.guard.Lock()
	h.users--
	last := h.users == 0
	h.guard.Unlock()
	if last {
		alive.Add(-1)
		h.free(h.pointer)
		if h.needs != nil {
			h.needs.release()
		}
	}
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
