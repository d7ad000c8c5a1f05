//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"errors"
	"iter"
	"math"
	"sync"
	"time"
	"unsafe"
)

const (
	standardTimeout  = 10 * time.Second
	longTimeout      = 60 * time.Second
	operationTimeout = 10 * time.Minute // of Azure
	forever          = time.Duration(-1)
	untimed          = time.Duration(-2) // the C function takes no timeout
)

// A waiter is a call that may wait; other goroutines can end it.
type waiter struct {
	guard  sync.Mutex
	cancel *C.gputide_cancel // nil: not begun, or over
}

func (w *waiter) fire() {
	w.guard.Lock()
	defer w.guard.Unlock()
	if w.cancel != nil {
		C.gputide_cancel_fire(w.cancel)
	}
}

func (w *waiter) end() {
	w.guard.Lock()
	defer w.guard.Unlock()
	C.gputide_cancel_free(w.cancel)
	w.cancel = nil
}

// A waitingCall is a C function with the timeout and the cancel of its context.
type waitingCall func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status

// wait makes a call that may wait: for as long as ctx has, else for the standard time, until ctx or the handle ends.
func (h *handle) wait(ctx context.Context, standard time.Duration, call waitingCall) error {
	if err := h.enter(ctx); err != nil {
		return err
	}
	defer h.leave()
	return waitFor(ctx, standard, call, h)
}

// waitFor is wait without a turn, also for functions of no handle; the end of any of the handles ends it.
func waitFor(ctx context.Context, standard time.Duration, call waitingCall, handles ...*handle) error {
	f, err := begin()
	if err != nil {
		return err
	}
	defer f.end()
	timeout, ok := timeoutOf(ctx, standard)
	if !ok {
		return tooLate(ctx)
	}
	if err := f.failure(C.gputide_cancel_new((**C.gputide_cancel)(unsafe.Pointer(&f.c.handle)), &f.c.err)); err != nil {
		return err
	}
	w := &waiter{cancel: (*C.gputide_cancel)(f.c.handle)}
	defer w.end()
	for _, h := range handles {
		h.listen(w)
		defer h.ignore(w)
	}
	defer context.AfterFunc(ctx, func() {
		// A deadline is the timeout of the call, which makes more of it than an end: a tick with late triggers decides.
		if standard == untimed || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			w.fire()
		}
	})()
	return because(f.failure(call(f, timeout, w.cancel)), ctx)
}

// untilEnded ranges over the results of a call that waits. The end of ctx and the close of the handle end it without an error; any
// other error comes once, and ends it.
func untilEnded[T any](ctx context.Context, h *handle, next func(context.Context) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			result, err := next(ctx)
			closed := errors.Is(err, ErrClosed) || errors.Is(err, ErrCancelled) && h.isClosing()
			if closed || hasEnded(err) {
				return
			}
			if !yield(result, err) || err != nil {
				return
			}
		}
	}
}

func (h *handle) listen(w *waiter) {
	h.guard.Lock()
	defer h.guard.Unlock()
	h.waits[w] = struct{}{}
	if h.closing {
		w.fire()
	}
}

func (h *handle) ignore(w *waiter) {
	h.guard.Lock()
	defer h.guard.Unlock()
	delete(h.waits, w)
}

// timeoutOf is what is left of the context's time; false: nothing.
func timeoutOf(ctx context.Context, standard time.Duration) (C.int32_t, bool) {
	if ctx.Err() != nil {
		return 0, false
	}
	deadline, ok := ctx.Deadline()
	if !ok && standard < 0 {
		return C.GPUTIDE_FOREVER, true
	}
	left := standard
	if ok {
		left = time.Until(deadline)
	}
	return milliseconds(left), left > 0
}

// milliseconds rounds up, so that a short wait is not none; a longer one than C can say becomes that, 24.8 days. What is negative
// stays so, for the library to refuse.
func milliseconds(d time.Duration) C.int32_t {
	return C.int32_t(min(max(roundedUp(d, time.Millisecond), math.MinInt32), math.MaxInt32))
}

// roundedUp counts units, away from zero.
func roundedUp(d, unit time.Duration) int64 {
	count := int64(d / unit)
	switch rest := d % unit; {
	case rest > 0:
		count++
	case rest < 0:
		count--
	}
	return count
}
