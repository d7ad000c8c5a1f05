//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"math"
	"time"
	"unsafe"
)

// RuntimeOptions say how a runtime works; a zero member is the library's default.
type RuntimeOptions struct {
	EveryDecision bool // events also for decisions that change nothing
	Reports       bool // events carry the decision's report
	NoSharing     bool // each scaler asks for itself, also where two ask the same
	ObserveFirst  bool // each poll begins with an observation that an event of kind EventDue asks for

	Seed            uint64        // of the start offsets: where in its period a scaler begins
	PollTimeout     time.Duration // of one poll: tokens, queries, retries; 0: 10 s
	StartSpread     time.Duration // first polls come within that time; 0: within the scaler's own shorter period
	ShareWindow     time.Duration // an answer serves equal queries for so long; 0: 5 s
	MaxInFlight     int           // requests, over all endpoints; 0: 1,024
	MaxPerEndpoint  int           // requests to one scheme, host and port; 0: 64
	BreakerFailures int           // in a row, until an endpoint is left alone for a while; 0: 5
	BreakerBase     time.Duration // for how long at first; doubles with each failed trial; 0: 1 s
	BreakerCap      time.Duration // and at most, not less than at first; 0: 60 s
	Gather          time.Duration // a poll brings along those due within so long; 0: 100 ms; at most 1 s
}

func (f *frame) runtimeOptions(o *RuntimeOptions) *C.gputide_runtime_options {
	if o == nil {
		return nil
	}
	f.c.runtime = C.gputide_runtime_options{
		struct_size: C.sizeof_gputide_runtime_options,
		flags: bit(o.EveryDecision, uint32(C.GPUTIDE_RUNTIME_EVERY_DECISION)) |
			bit(o.Reports, uint32(C.GPUTIDE_RUNTIME_REPORTS)) |
			bit(o.NoSharing, uint32(C.GPUTIDE_RUNTIME_NO_SHARING)) |
			bit(o.ObserveFirst, uint32(C.GPUTIDE_RUNTIME_OBSERVE_FIRST)),
		seed:             C.uint64_t(o.Seed),
		poll_timeout_ms:  milliseconds(o.PollTimeout),
		start_spread_ms:  milliseconds(o.StartSpread),
		share_window_ms:  milliseconds(o.ShareWindow),
		max_in_flight:    clamped(o.MaxInFlight),
		max_per_endpoint: clamped(o.MaxPerEndpoint),
		breaker_failures: clamped(o.BreakerFailures),
		breaker_base_ms:  milliseconds(o.BreakerBase),
		breaker_cap_ms:   milliseconds(o.BreakerCap),
		gather_ms:        milliseconds(o.Gather),
	}
	return &f.c.runtime
}

func clamped(count int) C.int32_t {
	return C.int32_t(min(max(count, math.MinInt32), math.MaxInt32))
}

// A Runtime is many scalers in one process: polled at their intervals, side by side, over shared connections and tokens; each
// decision that matters comes as an event. It is driven by a thread of its own ([Runtime.Start]), by the host ([Runtime.Step]), or
// by the caller that waits for events. Close it before the process ends.
type Runtime struct {
	*handle
	gone chan struct{} // closed when it is freed
}

// NewRuntime gives an empty one. Nothing is sent and no thread is started. options may be nil.
func NewRuntime(options *RuntimeOptions) (*Runtime, error) {
	pointer, err := openPlain(func(f *frame) C.gputide_status {
		return C.gputide_runtime_new(f.runtimeOptions(options), (**C.gputide_runtime)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	free := func(p unsafe.Pointer) { freeRuntime((*C.gputide_runtime)(p), gone) }
	return &Runtime{newHandle("Runtime", pointer, free, nil), gone}, nil
}

// freeRuntime closes and frees a runtime that no method is inside of. Its thread may have to end first, which neither the garbage
// collector nor a Shutdown with a deadline waits for.
func freeRuntime(c *C.gputide_runtime, gone chan struct{}) {
	if C.gputide_runtime_close(c, 0, nil) == C.GPUTIDE_OK {
		C.gputide_runtime_free(c)
		close(gone)
		return
	}
	alive.Add(1)
	go func() {
		C.gputide_runtime_close(c, C.GPUTIDE_FOREVER, nil)
		C.gputide_runtime_free(c)
		alive.Add(-1)
		close(gone)
	}()
}

func (r *Runtime) c() *C.gputide_runtime { return (*C.gputide_runtime)(r.pointer) }

// Start starts the runtime's own thread.
func (r *Runtime) Start() error {
	return r.do(func(f *frame) C.gputide_status { return C.gputide_runtime_start(r.c(), &f.c.err) })
}

// Stop ends it. Polls under way are given up and begin anew at the next drive; scalers and events stay, and it may be started again.
// Where ctx ends first, it is still stopping: call again.
func (r *Runtime) Stop(ctx context.Context) error {
	return r.ending(ctx, func(f *frame, timeout C.int32_t) C.gputide_status {
		return C.gputide_runtime_stop(r.c(), timeout, &f.c.err)
	})
}

// ending makes a call that ends something, which goes on by itself where ctx ends first.
func (r *Runtime) ending(ctx context.Context, call func(f *frame, timeout C.int32_t) C.gputide_status) error {
	timeout, ok := timeoutOf(ctx, standardTimeout)
	if !ok {
		timeout = 0 // it only begins
	}
	return because(r.do(func(f *frame) C.gputide_status { return call(f, timeout) }), ctx)
}

// Step does what is due and what the network has brought, without waiting. now is by the host's clock, the zero Time this one's. It
// gives the time at which to call again at the latest; the zero Time: when something was changed.
func (r *Runtime) Step(now time.Time) (next time.Time, err error) {
	err = r.do(func(f *frame) C.gputide_status {
		status := C.gputide_runtime_step(r.c(), nowOf(now), &f.c.number, &f.c.err)
		if status == C.GPUTIDE_OK && f.c.number != math.MaxInt64 {
			next = momentOf(f.c.number)
		}
		return status
	})
	return next, err
}

// WakeFD gives a descriptor for poll, epoll and the like, readable while an event waits and, unless the runtime's thread drives it,
// while Step should be called. It is the runtime's: neither read nor close it.
func (r *Runtime) WakeFD() (int, error) {
	fd := 0
	err := r.do(func(f *frame) C.gputide_status {
		status := C.gputide_runtime_wake_fd(r.c(), &f.c.small, &f.c.err)
		fd = int(f.c.small)
		return status
	})
	return fd, err
}

// Stats gives counters of the whole: poll lag, polls, errors by reason, queues, endpoints with their breakers; docs/runtime.md.
func (r *Runtime) Stats() (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status { return C.gputide_runtime_stats(r.c(), &f.c.text, &f.c.err) })
}

// Close ends the runtime for good, however long that takes: other calls are refused, those inside end soon, a wait for events with
// [ErrCancelled]; requests under way are given up. Save the scalers' states before. It may be repeated.
func (r *Runtime) Close() error { return r.Shutdown(context.Background()) }

// Shutdown is Close for as long as ctx lasts. Where that ends first, the error wraps ctx.Err() and the rest goes on by itself;
// Shutdown may be called again to wait for it.
func (r *Runtime) Shutdown(ctx context.Context) error {
	r.cleanup.Stop()
	if r.retainOpen() {
		r.beginClosing()
		C.gputide_runtime_close(r.c(), 0, nil)
		r.release()
	}
	select {
	case <-r.gone:
		return nil
	default:
	}
	select {
	case <-r.gone:
		return nil
	case <-ctx.Done():
		return tooLate(ctx)
	}
}
