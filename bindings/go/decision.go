//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"
)

// A Decision is what was decided, and why: write Desired to the target where WantsWrite, then record how that went. A value; what
// a record needs of it is inside, unexported.
type Decision struct {
	Current      int32           // replicas before
	Desired      int32           // what to write
	Proposed     int32           // what the metrics ask for, before stabilization, limits and bounds
	LimitedBy    Limit           // what held it back
	Source       DecisionSource  // the scaler that it belongs to; 0: nothing was decided yet
	Event        ScaleEvent      // what KEDA would report of the object
	Winner       int             // index of the metric that asked for the most; -1: none; -2: scalingModifiers' formula
	FailedMetric int             // index of the first metric that failed, likewise
	Active       bool            // a trigger is active
	Failed       bool            // a trigger or metric failed and nothing took its place
	ByExecutor   bool            // KEDA's half was due and ran
	ByHPA        bool            // the HPA's half was due and ran
	ID           uint64          // what its state knows it by, for the record; never 0
	Now          time.Time       // when it was decided
	NextDue      time.Time       // when the next one is due; earlier ones are LimitNotDue
	Forecast     ForecastState   // how the policy's forecast stands; 0: it has none
	ForecastNeed int32           // replicas that the load to be ready for takes; -1: the forecast asks for nothing
	Report       json.RawMessage // the whole reason, where the call was asked for it; docs/decision.md
	Message      string          // for a record of a failed write: why it failed, for conditions; "" after it

	raw C.gputide_decision
}

// WantsWrite says whether the target's size is to be changed.
func (d *Decision) WantsWrite() bool { return d.Desired != d.Current }

// Flags has Active, Failed, ByExecutor and ByHPA as C's bits, and what a newer library adds.
func (d *Decision) Flags() uint32 { return uint32(d.raw.flags) }

// A ConditionState is one condition as kubectl describe shows it.
type ConditionState struct {
	Truth  Truth
	Reason Reason
	Since  time.Time // when Truth last changed
}

// A Reason is the number of a condition's reason; String has its word.
type Reason int32

// String is its word as Kubernetes spells it, "" for none, "unknown" for a number that the library does not name.
func (r Reason) String() string {
	if open() != nil {
		return unnamed("Reason", int32(r))
	}
	return C.GoString(C.gputide_reason_name(C.int32_t(r)))
}

// Condition gives one condition; its Truth is TruthAbsent where it is not set.
func (d *Decision) Condition(condition Condition) ConditionState {
	if condition < 0 || int(condition) >= len(d.raw.conditions) {
		return ConditionState{}
	}
	state := &d.raw.conditions[condition]
	return ConditionState{Truth: Truth(state.truth), Reason: Reason(state.reason), Since: momentOf(state.since_ms)}
}

// Conditions ranges over those that are set.
func (d *Decision) Conditions() iter.Seq2[Condition, ConditionState] {
	return func(yield func(Condition, ConditionState) bool) {
		for i := range d.raw.conditions {
			if state := d.Condition(Condition(i)); state.Truth != TruthAbsent && !yield(Condition(i), state) {
				return
			}
		}
	}
}

// String is one line for a person.
func (d Decision) String() string {
	return fmt.Sprintf("%d -> %d (proposed %d, limited by %v)", d.Current, d.Desired, d.Proposed, d.LimitedBy)
}

// Explain gives the report as lines for a person: conditions, then the trace step by step; "" where the call was not asked for one.
func (d *Decision) Explain() (string, error) {
	if d.Report == nil {
		return "", nil
	}
	return RenderReport(d.Report)
}

// RenderReport gives a decision's report as lines for a person.
func RenderReport(report json.RawMessage) (string, error) {
	f, err := begin()
	if err != nil {
		return "", err
	}
	defer f.end()
	text, size := bytesOf(report)
	err = f.failure(C.gputide_report_render(text, size, &f.c.text, &f.c.err))
	return string(take(&f.c.text)), err
}

// set makes the exported members those of C's.
func (d *Decision) set(raw *C.gputide_decision) {
	d.raw = *raw
	d.Current = int32(raw.current_replicas)
	d.Desired = int32(raw.desired_replicas)
	d.Proposed = int32(raw.proposed_replicas)
	d.LimitedBy = Limit(raw.limited_by)
	d.Source = DecisionSource(raw.source)
	d.Event = ScaleEvent(raw.event)
	d.Winner = int(raw.winner)
	d.FailedMetric = int(raw.failed_metric)
	d.Active = raw.flags&C.GPUTIDE_DECIDED_ACTIVE != 0
	d.Failed = raw.flags&C.GPUTIDE_DECIDED_ERROR != 0
	d.ByExecutor = raw.flags&C.GPUTIDE_DECIDED_EXECUTOR != 0
	d.ByHPA = raw.flags&C.GPUTIDE_DECIDED_HPA != 0
	d.ID = uint64(raw.id)
	d.Now = momentOf(raw.now_ms)
	d.NextDue = momentOf(raw.next_due_ms)
	d.Forecast = ForecastState(raw.forecast_state)
	d.ForecastNeed = int32(raw.forecast_need)
}

// decided takes the frame's decision, and its text as the report where one was asked for.
func (f *frame) decided(d *Decision, report bool) {
	d.set(&f.c.decision)
	if report {
		d.Report = take(&f.c.text)
	}
}

// reportBuffer is where a report goes: NULL where none is wanted, so that nothing is recorded.
func (f *frame) reportBuffer(wanted bool) *C.gputide_text {
	if wanted {
		return &f.c.text
	}
	return nil
}

// record makes a call that updates a decision, which stays as it was where that fails.
func (h *handle) record(d *Decision, call func(f *frame, d *C.gputide_decision) C.gputide_status) error {
	var wrong error
	err := h.do(func(f *frame) C.gputide_status {
		f.c.decision = d.raw
		f.c.decision.struct_size = C.sizeof_gputide_decision
		if f.c.decision.message, wrong = f.word(d.Message, "a decision's message"); wrong != nil {
			return C.GPUTIDE_OK
		}
		status := call(f, &f.c.decision)
		if status == C.GPUTIDE_OK {
			d.set(&f.c.decision)
			d.Message = ""
		}
		return status
	})
	if wrong != nil {
		return wrong
	}
	return err
}

func truth(value bool) C.int32_t {
	if value {
		return 1
	}
	return 0
}
