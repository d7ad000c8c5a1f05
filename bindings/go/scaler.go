//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"unsafe"
)

// A Scaler is a manifest as a working pipeline: sources, credentials, policy, state.
type Scaler struct{ *handle }

// OpenScaler takes a ScaledObject with its TriggerAuthentication, or an autoscaling/v2 HorizontalPodAutoscaler: YAML, also several
// documents, or JSON. Nothing is sent. options may be nil.
func OpenScaler(manifest []byte, options *Options) (*Scaler, error) {
	pointer, err := openText(manifest, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		return C.gputide_scaler_open(text, size, options, (**C.gputide_scaler)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_scaler_free((*C.gputide_scaler)(p)) }
	return &Scaler{newHandle("Scaler", pointer, free, nil).takingTurns()}, nil
}

func (s *Scaler) c() *C.gputide_scaler { return (*C.gputide_scaler)(s.pointer) }

// Tick fetches every trigger that is due, and decides. observation.Samples are the values of triggers of type values, by
// index. A trigger that fails does not fail the call: the decision is what KEDA and the HPA make of it, has Failed set,
// and [Scaler.Describe] has each error.
func (s *Scaler) Tick(ctx context.Context, observation Observation) (Decision, error) {
	return s.tick(ctx, observation, false)
}

// TickWithReport is Tick with the decision's Report filled in.
func (s *Scaler) TickWithReport(ctx context.Context, observation Observation) (Decision, error) {
	return s.tick(ctx, observation, true)
}

func (s *Scaler) tick(ctx context.Context, observation Observation, report bool) (decision Decision, err error) {
	buffer := newFrame()
	defer buffer.end()
	raw, err := buffer.observation(observation)
	if err != nil {
		return decision, err
	}
	err = s.wait(ctx, standardTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_scaler_tick(s.c(), raw, timeout, cancel, &f.c.decision, f.reportBuffer(report), &f.c.err)
		if status == C.GPUTIDE_OK {
			f.decided(&decision, report)
		}
		return status
	})
	return decision, err
}

// Record tells how the write of decision.Desired went, as [State.Record].
func (s *Scaler) Record(decision *Decision, applied bool) error {
	return s.RecordAt(decision, applied, time.Time{})
}

// RecordAt is Record for a write at a given time.
func (s *Scaler) RecordAt(decision *Decision, applied bool, at time.Time) error {
	return s.record(decision, func(f *frame, d *C.gputide_decision) C.gputide_status {
		return C.gputide_scaler_record(s.c(), d, truth(applied), nowOf(at), &f.c.err)
	})
}

// Describe gives JSON: policy (as [Policy.Describe]), conditions (type, status, reason, message, since), and for each metric its last
// value, age, state, latency and the error of a failed read.
func (s *Scaler) Describe() (json.RawMessage, error) {
	return s.text(func(f *frame) C.gputide_status { return C.gputide_scaler_describe(s.c(), &f.c.text, &f.c.err) })
}

// Save gives the scaler's state as a text that survives a restart, for [Scaler.Load].
func (s *Scaler) Save() ([]byte, error) {
	return s.text(func(f *frame) C.gputide_status { return C.gputide_scaler_save(s.c(), &f.c.text, &f.c.err) })
}

// Load takes what Save gave, in place of the scaler's state.
func (s *Scaler) Load(saved []byte) error {
	return s.do(func(f *frame) C.gputide_status {
		text, size := bytesOf(saved)
		return C.gputide_scaler_load(s.c(), text, size, &f.c.err)
	})
}

// Findings are what a manifest's check found.
type Findings struct {
	Report json.RawMessage // the scalers in it, and the findings
	Lines  string          // the findings as a compiler prints them
	Err    *Error          // nil where all findings are warnings
}

// CheckManifest reads a manifest without opening anything. A wrong or too large one is not an error of the call: its findings say so.
// options may be nil.
func CheckManifest(manifest []byte, options *Options) (*Findings, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	chosen, err := f.options(options)
	if err != nil {
		return nil, err
	}
	text, size := bytesOf(manifest)
	err = f.failure(C.gputide_manifest_check(text, size, chosen, &f.c.text, &f.c.lines, &f.c.err))
	findings := &Findings{Report: take(&f.c.text), Lines: string(take(&f.c.lines))}
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrLimit) {
		errors.As(err, &findings.Err)
		return findings, nil
	}
	if err != nil {
		return nil, err
	}
	return findings, nil
}

// A Diagnosis is what [Doctor] or [DoctorCluster] found.
type Diagnosis struct {
	Report json.RawMessage // a verdict for each step; docs/doctor.md
	Lines  string          // the same for a person, the conclusion first
}

// Doctor says what is wrong with a manifest's triggers, by following each of them as a request would: environment, token file,
// authority, token, endpoint, query, series, age, value, activation. It reads the network, the environment and token files as the
// triggers do. A step that fails does not fail the call. options may be nil; observation: the present size, and the samples of triggers
// with numbers that the host pushes; nil: the manifest's minimum, now.
func Doctor(ctx context.Context, manifest []byte, options *Options, observation *Observation) (*Diagnosis, error) {
	buffer, err := begin()
	if err != nil {
		return nil, err
	}
	defer buffer.end()
	chosen, err := buffer.options(options)
	if err != nil {
		return nil, err
	}
	var raw *C.gputide_observation
	if observation != nil {
		if raw, err = buffer.observation(*observation); err != nil {
			return nil, err
		}
	}
	var found *Diagnosis
	err = waitFor(ctx, longTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		text, size := bytesOf(manifest)
		status := C.gputide_doctor(text, size, chosen, raw, timeout, cancel, &f.c.text, &f.c.lines, &f.c.err)
		if status == C.GPUTIDE_OK {
			found = f.diagnosis()
		}
		return status
	})
	return found, err
}

func (f *frame) diagnosis() *Diagnosis {
	return &Diagnosis{Report: take(&f.c.text), Lines: string(take(&f.c.lines))}
}
