//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
)

// AttachCluster has the runtime work on a Kubernetes cluster by itself, docs/kubernetes.md; options say which one and with which identity. Events
// of [EventCluster] tell what it does.
func (r *Runtime) AttachCluster(settings []byte, options *Options) error {
	return r.withOptions(options, func(f *frame, options *C.gputide_options) C.gputide_status {
		text, size := bytesOf(settings)
		return C.gputide_cluster_attach(r.c(), text, size, options, &f.c.err)
	})
}

// DetachCluster ends its writing, gives its Leases back and forgets its scalers. Where ctx ends first, it goes on: call again.
func (r *Runtime) DetachCluster(ctx context.Context) error {
	return r.ending(ctx, func(f *frame, timeout C.int32_t) C.gputide_status {
		return C.gputide_cluster_detach(r.c(), timeout, &f.c.err)
	})
}

// DescribeCluster gives Leases, watches, writes by result, blocked scalers and why.
func (r *Runtime) DescribeCluster() (json.RawMessage, error) {
	return r.text(func(f *frame) C.gputide_status { return C.gputide_cluster_describe(r.c(), &f.c.text, &f.c.err) })
}

// ListCluster reads one collection of a cluster's API server, whole: "/api/v1/nodes",
// "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm". The lists come as the server wrote them, a page of it
// each, one behind the other, and [PlanNodes] takes them as they are. options may be nil; they say which API server, and with which identity.
// Nothing is watched or written.
func ListCluster(ctx context.Context, path string, options *Options) ([]byte, error) {
	name, err := terminated(path, "path")
	if err != nil {
		return nil, err
	}
	defer C.free(name)
	var lists []byte
	err = onCluster(ctx, options, func(f *frame, chosen *C.gputide_options, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_cluster_list((*C.char)(name), chosen, timeout, cancel, &f.c.text, &f.c.err)
		lists = take(&f.c.text)
		return status
	})
	return lists, err
}

// DoctorCluster says whether a [Runtime] could work on a cluster, before it does: the API server and its certificate, whether the
// token is taken and with which identity, the kinds that are served, each right that is needed, the holder of the Lease. What is missing comes with a
// Role to apply; nothing is changed there. A step that fails does not fail the call. settings and options are those of
// [Runtime.AttachCluster]: they say what is needed, where, and with which identity; both may be nil.
func DoctorCluster(ctx context.Context, settings []byte, options *Options) (*Diagnosis, error) {
	var found *Diagnosis
	err := onCluster(ctx, options, func(f *frame, chosen *C.gputide_options, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		text, size := bytesOf(settings)
		status := C.gputide_cluster_doctor(text, size, chosen, timeout, cancel, &f.c.text, &f.c.lines, &f.c.err)
		if status == C.GPUTIDE_OK {
			found = f.diagnosis()
		}
		return status
	})
	return found, err
}

// HandOver hands one ScaledObject over from a living KEDA to gputide, or back, unless the change (JSON) is dry, and says how far it
// came, step by step (docs/json.md, cluster_handover). What is refused or still waited for does not fail the call; calling again goes
// on. options may be nil; they say which API server, and with which identity.
func HandOver(ctx context.Context, change json.RawMessage, options *Options) (json.RawMessage, error) {
	var outcome json.RawMessage
	err := onCluster(ctx, options, func(f *frame, chosen *C.gputide_options, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		text, size := bytesOf(change)
		status := C.gputide_cluster_handover(text, size, chosen, timeout, cancel, &f.c.text, &f.c.err)
		outcome = take(&f.c.text)
		return status
	})
	return outcome, err
}

// onCluster is [waitFor] with the options that say which cluster, and with which identity.
func onCluster(
	ctx context.Context, options *Options, call func(*frame, *C.gputide_options, C.int32_t, *C.gputide_cancel) C.gputide_status,
) error {
	buffer, err := begin()
	if err != nil {
		return err
	}
	defer buffer.end()
	chosen, err := buffer.options(options)
	if err != nil {
		return err
	}
	return waitFor(ctx, longTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		return call(f, chosen, timeout, cancel)
	})
}
