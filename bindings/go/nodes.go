//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"encoding/json"
	"time"
)

// A NodesPlan is how many GPU nodes of which pool pods that wait need, and which nodes may go, as the cluster autoscaler would decide
// it.
type NodesPlan struct {
	Report         json.RawMessage // the whole plan with its reasons; docs/json.md, nodes_plan
	State          []byte          // for the next plan: since when nodes are unneeded, open requests, pools that failed
	Errors         int             // items of the text that were left out, or settings that were refused; Report names each
	Warnings       int
	NodesToAdd     int64
	NodesToRemove  int64 // now; others may follow later
	PodsPending    int64 // pods that wait: the sum of the next three
	PodsOnExisting int64 // that nodes which are there, or on their way, have room for
	PodsOnNew      int64
	PodsLeft       int64 // that nobody helps; Report says why
}

// PlanNodes plans the nodes of a cluster as the text describes it: pools, nodes, pods, settings and what was done since the last plan
// (docs/nodes.md), and Kubernetes' own objects and lists as kubectl prints them, one behind the other. No I/O; nothing is added or
// removed by it. state: what the last plan gave; nil: there was none. now: the zero Time is the clock's.
//
// An item that cannot be read is left out and named in the report; the others are planned.
func PlanNodes(text, state []byte, now time.Time) (*NodesPlan, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	summary := (*C.gputide_nodes_summary)(f.alloc(C.sizeof_gputide_nodes_summary))
	summary.struct_size = C.sizeof_gputide_nodes_summary
	given, size := bytesOf(text)
	last, lastSize := optionalBytes(state)
	// The frame's second text has the state.
	err = f.failure(C.gputide_nodes_plan(given, size, last, lastSize, nowOf(now), summary, &f.c.text, &f.c.lines, &f.c.err))
	plan := &NodesPlan{Report: take(&f.c.text), State: take(&f.c.lines)}
	if err != nil {
		return nil, err
	}
	plan.Errors = int(summary.errors)
	plan.Warnings = int(summary.warnings)
	plan.NodesToAdd = int64(summary.nodes_to_add)
	plan.NodesToRemove = int64(summary.nodes_to_remove)
	plan.PodsPending = int64(summary.pods_pending)
	plan.PodsOnExisting = int64(summary.pods_on_existing)
	plan.PodsOnNew = int64(summary.pods_on_new)
	plan.PodsLeft = int64(summary.pods_left)
	return plan, nil
}
