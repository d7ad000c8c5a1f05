package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
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
	MostInFlight    int           // requests, over all endpoints; 0: 1,024
	MostPerEndpoint int           // requests to one scheme, host and port; 0: 64
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
		seed:              C.uint64_t(o.Seed),
		poll_timeout_ms:   milliseconds(o.PollTimeout),
		start_spread_ms:   milliseconds(o.StartSpread),
		share_window_ms:   milliseconds(o.ShareWindow),
		most_in_flight:    clamped(o.MostInFlight),
		most_per_endpoint: clamped(o.MostPerEndpoint),
		breaker_failures:  clamped(o.BreakerFailures),
		breaker_base_ms:   milliseconds(o.BreakerBase),
		breaker_cap_ms:    milliseconds(o.BreakerCap),
		gather_ms:         milliseconds(o.Gather),
	}
	return &f.c.runtime
}

func clamped(count int) C.int32_t {
	return C.int32_t(min(max(count, math.MinInt32), math.MaxInt32))
}

// A ScalerID is a scaler's number in its runtime: never 0, and never used again.
type ScalerID uint64

// A Runtime is many scalers in one process: polled at their intervals, side by side, over shared connections and tokens; each
// decision that matters comes as an event. It is driven by a thread of its own ([Runtime.Start]), by the host ([Runtime.Step]), or
// by whoever waits for events. Close it before the process ends.
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
	free := func(p unsafe.Pointer) { endRuntime((*C.gputide_runtime)(p), gone) }
	runtime := &Runtime{newHandle("Runtime", pointer, free, nil), gone}
	return owned(runtime, runtime.handle), nil
}

// endRuntime closes and frees a runtime that no method is inside of. Its thread may have to end first, which neither the garbage
// collector nor a Shutdown with a deadline waits for.
func endRuntime(c *C.gputide_runtime, gone chan struct{}) {
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

// Add takes one more scaler; manifest and options as for [OpenScaler]. It is polled from the first observation on, with
// RuntimeOptions.ObserveFirst at once.
func (r *Runtime) Add(manifest []byte, options *Options) (ScalerID, error) {
	return r.AddTagged(manifest, options, 0)
}

// AddTagged is Add with a number of the host's own, which comes back in each of the scaler's events.
func (r *Runtime) AddTagged(manifest []byte, options *Options, tag uint64) (ScalerID, error) {
	return r.identified(options, func(f *frame, options *C.gputide_options) C.gputide_status {
		text, size := bytesOf(manifest)
		return C.gputide_runtime_add(r.c(), text, size, options, C.uint64_t(tag), &f.c.id, &f.c.err)
	})
}

// identified makes one call with options that gives an id.
func (r *Runtime) identified(options *Options, call func(*frame, *C.gputide_options) C.gputide_status) (ScalerID, error) {
	room := newFrame()
	defer room.end()
	chosen, err := room.options(options)
	if err != nil {
		return 0, err
	}
	var id ScalerID
	err = r.do(func(f *frame) C.gputide_status {
		f.c.id = 0
		status := call(f, chosen)
		id = ScalerID(f.c.id)
		return status
	})
	return id, err
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
	_, err := r.identified(options, func(f *frame, options *C.gputide_options) C.gputide_status {
		var chosen *C.uint64_t
		if tag != nil {
			f.c.id = C.uint64_t(*tag)
			chosen = &f.c.id
		}
		text, size := bytesOf(manifest)
		return C.gputide_runtime_replace(r.c(), C.uint64_t(id), text, size, options, chosen, &f.c.err)
	})
	return err
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
	return r.identified(nil, func(f *frame, _ *C.gputide_options) C.gputide_status {
		return C.gputide_runtime_find(r.c(), (*C.char)(word), &f.c.id, &f.c.err)
	})
}

// NextScaler gives the scaler behind another, 0: the first, in an order of the runtime's own; [ErrNotFound] behind the last.
func (r *Runtime) NextScaler(after ScalerID) (ScalerID, error) {
	return r.identified(nil, func(f *frame, _ *C.gputide_options) C.gputide_status {
		return C.gputide_runtime_next_scaler(r.c(), C.uint64_t(after), &f.c.id, &f.c.err)
	})
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
func (r *Runtime) Observe(id ScalerID, seen Observation) error {
	return r.observed(seen, func(f *frame, raw *C.gputide_observation) C.gputide_status {
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
	return func(yield func(*Event, error) bool) {
		for {
			event, err := r.NextEvent(ctx)
			if hasEnded(err) || errors.Is(err, ErrClosed) || errors.Is(err, ErrCancelled) {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
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

// Stats gives counters of the whole: poll lag, polls, errors by reason, queues, endpoints with their breakers; docs/runtime.md.
func (r *Runtime) Stats() (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status { return C.gputide_runtime_stats(r.c(), &f.c.text, &f.c.err) })
}

// AttachCluster has the runtime work on a Kubernetes cluster by itself, docs/kubernetes.md; options say which one and as whom. Events
// of [EventCluster] tell what it does.
func (r *Runtime) AttachCluster(settings []byte, options *Options) error {
	_, err := r.identified(options, func(f *frame, options *C.gputide_options) C.gputide_status {
		text, size := bytesOf(settings)
		return C.gputide_runtime_attach_cluster(r.c(), text, size, options, &f.c.err)
	})
	return err
}

// DetachCluster ends its writing, gives its Leases back and forgets its scalers. Where ctx ends first, it goes on: call again.
func (r *Runtime) DetachCluster(ctx context.Context) error {
	timeout, ok := timeoutOf(ctx, standardTimeout)
	if !ok {
		timeout = 0 // it only begins
	}
	return because(r.do(func(f *frame) C.gputide_status {
		return C.gputide_runtime_detach_cluster(r.c(), timeout, &f.c.err)
	}), ctx)
}

// DescribeCluster gives Leases, watches, writes by result, who is held and why.
func (r *Runtime) DescribeCluster() (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status { return C.gputide_runtime_describe_cluster(r.c(), &f.c.text, &f.c.err) })
}

// Start starts the runtime's own thread.
func (r *Runtime) Start() error {
	return r.do(func(f *frame) C.gputide_status { return C.gputide_runtime_start(r.c(), &f.c.err) })
}

// Stop ends it. Polls under way are given up and begin anew at the next drive; scalers and events stay, and it may be started again.
// Where ctx ends first, it is still stopping: call again.
func (r *Runtime) Stop(ctx context.Context) error {
	timeout, ok := timeoutOf(ctx, standardTimeout)
	if !ok {
		timeout = 0 // it only begins
	}
	return because(r.do(func(f *frame) C.gputide_status { return C.gputide_runtime_stop(r.c(), timeout, &f.c.err) }), ctx)
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
