//go:build linux

package gputide

// #include "frame.h"
import "C"

import "encoding/json"

// DecideScaledJob is one poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones go. No I/O and no clock. options
// may be nil; its Scaler names one of several. observation: JSON, {"values":[42.5,null],"running":3,"pending":1}, a value per trigger in the
// manifest's order, null where its read failed; every member is in docs/jobs.md. The decision has create, delete, conditions, events
// and a trace.
//
// Worked: 12.5 items at 2 per Job, 3 Jobs unfinished: 4.
func DecideScaledJob(manifest []byte, options *Options, observation json.RawMessage) (json.RawMessage, error) {
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
	what, whatSize := bytesOf(observation)
	err = f.failure(C.gputide_scaled_job_decide(text, size, chosen, what, whatSize, &f.c.text, &f.c.err))
	return take(&f.c.text), err
}
