//go:build linux

package gputide

// #cgo noescape gputide_decide_values
// #cgo nocallback gputide_decide_values
// #cgo nocallback gputide_decide
// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"time"
	"unsafe"
)

// A Policy is what to decide by: bounds, thresholds, behavior, cooldown of a ScaledObject or HorizontalPodAutoscaler. Immutable.
type Policy struct {
	*handle
	metrics []string
}

// OpenPolicy reads a manifest, as [OpenScaler] does, without opening a source: addresses and credentials may be missing, thresholds
// may not. options may be nil.
func OpenPolicy(manifest []byte, options *Options) (*Policy, error) {
	pointer, err := openText(manifest, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		return C.gputide_policy_open(text, size, options, (**C.gputide_policy)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_policy_free((*C.gputide_policy)(p)) }
	policy := &Policy{handle: newHandle("Policy", pointer, free, nil)}
	for i := range C.gputide_policy_metric_count(policy.c()) {
		policy.metrics = append(policy.metrics, C.GoString(C.gputide_policy_metric_name(policy.c(), C.int32_t(i))))
	}
	return policy, nil
}

func (p *Policy) c() *C.gputide_policy { return (*C.gputide_policy)(p.pointer) }

// Metrics are the words for the metrics in every JSON text, in the order in which samples are given: the trigger's own name, or
// "s0-prometheus" where the manifest gives none.
func (p *Policy) Metrics() []string { return append([]string(nil), p.metrics...) }

// Describe gives the policy with each default filled in.
func (p *Policy) Describe() (json.RawMessage, error) {
	return p.text(func(f *frame) C.gputide_status { return C.gputide_policy_describe(p.c(), &f.c.text, &f.c.err) })
}

// NewState gives a scaler's memory, empty. created: the object's creationTimestamp; the zero Time: the first decision's time.
func (p *Policy) NewState(created time.Time) (*State, error) {
	return p.state(func(f *frame, out **C.gputide_state) C.gputide_status {
		return C.gputide_state_new(p.c(), optionalMs(created), out, &f.c.err)
	})
}

// LoadState takes what [State.Save] gave, also of an older release.
func (p *Policy) LoadState(saved []byte) (*State, error) { return p.load(saved, 0) }

// LoadStateUnchecked takes what [State.Describe] gave, without a checksum: members may be left out, which are fresh then, and no
// decision of before can be recorded.
func (p *Policy) LoadStateUnchecked(description json.RawMessage) (*State, error) {
	return p.load(description, C.GPUTIDE_STATE_UNCHECKED)
}

func (p *Policy) load(saved []byte, flags C.uint32_t) (*State, error) {
	return p.state(func(f *frame, out **C.gputide_state) C.gputide_status {
		text, size := bytesOf(saved)
		return C.gputide_state_load(p.c(), text, size, flags, out, &f.c.err)
	})
}

func (p *Policy) state(open func(f *frame, out **C.gputide_state) C.gputide_status) (*State, error) {
	var state *State
	err := p.do(func(f *frame) C.gputide_status {
		out := (**C.gputide_state)(unsafe.Pointer(&f.c.handle))
		status := open(f, out)
		if status == C.GPUTIDE_OK {
			state = newState(*out, p.retain(), len(p.metrics))
		}
		return status
	})
	return state, err
}

// A State is what one scaler remembers: activity, stabilization windows, scale events, failure counts. It decides by the policy
// that made it, also after that was closed.
type State struct {
	*handle
	metrics int
}

func newState(out *C.gputide_state, policy *resource, metrics int) *State {
	free := func(p unsafe.Pointer) { C.gputide_state_free((*C.gputide_state)(p)) }
	return &State{newHandle("State", unsafe.Pointer(out), free, policy).takingTurns(), metrics}
}

func (s *State) c() *C.gputide_state { return (*C.gputide_state)(s.pointer) }

func (s *State) policy() *C.gputide_policy { return (*C.gputide_policy)(s.needs.pointer) }

// Decide gives the replica count that KEDA and the HPA would write. No I/O, and no clock where observation has a Now.
//
// Worked: threshold 5, 3 replicas, sample 42.5: ceil(42.5 / 5) = 9.
func (s *State) Decide(observation Observation) (Decision, error) {
	return s.decide(observation, false)
}

// DecideWithReport is Decide with the decision's Report filled in.
func (s *State) DecideWithReport(observation Observation) (Decision, error) {
	return s.decide(observation, true)
}

func (s *State) decide(observation Observation, report bool) (decision Decision, err error) {
	err = s.observed(observation, func(f *frame, raw *C.gputide_observation) C.gputide_status {
		status := C.gputide_decide(s.policy(), s.c(), raw, &f.c.decision, f.reportBuffer(report), &f.c.err)
		if status == C.GPUTIDE_OK {
			f.decided(&decision, report)
		}
		return status
	})
	return decision, err
}

// observed makes one call that takes an observation and does not wait.
func (h *handle) observed(observation Observation, call func(*frame, *C.gputide_observation) C.gputide_status) error {
	if err := h.enter(context.Background()); err != nil {
		return err
	}
	defer h.leave()
	f := newFrame()
	defer f.end()
	raw, err := f.observation(observation)
	if err != nil {
		return err
	}
	return f.failure(call(f, raw))
}

// DecideValues is Decide from one number per metric, all of them true at now; NaN and the infinities: that metric has no number.
// It allocates nothing.
func (s *State) DecideValues(now time.Time, current int32, values ...float64) (decision Decision, err error) {
	if err := s.enter(context.Background()); err != nil {
		return decision, err
	}
	defer s.leave()
	f := newFrame()
	defer f.end()
	first := (*C.double)(unsafe.Pointer(unsafe.SliceData(values)))
	err = f.failure(C.gputide_decide_values(s.policy(), s.c(), nowOf(now), C.int32_t(current), first, C.uint32_t(len(values)), &f.c.decision, &f.c.err))
	if err == nil {
		f.decided(&decision, false)
	}
	return decision, err
}

// Record tells the state how the write of decision.Desired went, once: applied, or failed. The decision's conditions and event
// follow. A decision that wanted no write needs no record. The time is the clock's.
func (s *State) Record(decision *Decision, applied bool) error {
	return s.RecordAt(decision, applied, time.Time{})
}

// RecordAt is Record for a write at a given time.
func (s *State) RecordAt(decision *Decision, applied bool, at time.Time) error {
	return s.record(decision, func(f *frame, d *C.gputide_decision) C.gputide_status {
		return C.gputide_state_record(s.policy(), s.c(), d, truth(applied), nowOf(at), &f.c.err)
	})
}

// Save gives a text that survives a restart, for [Policy.LoadState].
func (s *State) Save() ([]byte, error) {
	return s.text(func(f *frame) C.gputide_status {
		return C.gputide_state_save(s.policy(), s.c(), &f.c.text, &f.c.err)
	})
}

// Describe gives the same for people and programs that look into it; docs/decision.md.
func (s *State) Describe() (json.RawMessage, error) {
	return s.text(func(f *frame) C.gputide_status {
		return C.gputide_state_describe(s.policy(), s.c(), &f.c.text, &f.c.err)
	})
}
