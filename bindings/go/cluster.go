package gputide

// #include "frame.h"
import "C"

import "context"

// ListCluster reads one collection of a cluster's API server, whole: "/api/v1/nodes",
// "/apis/policy/v1/namespaces/ml/poddisruptionbudgets?labelSelector=app%3Dllm". The lists come as the server wrote them, a page of it
// each, one behind the other, and [PlanNodes] takes them as they are. options may be nil; they say which API server, and as whom.
// Nothing is watched or written.
func ListCluster(ctx context.Context, path string, options *Options) ([]byte, error) {
	name, err := terminated(path, "path")
	if err != nil {
		return nil, err
	}
	defer C.free(name)
	room, err := begin()
	if err != nil {
		return nil, err
	}
	defer room.end()
	chosen, err := room.options(options)
	if err != nil {
		return nil, err
	}
	var lists []byte
	err = waitFor(ctx, longTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_cluster_list((*C.char)(name), chosen, timeout, cancel, &f.c.text, &f.c.err)
		lists = take(&f.c.text)
		return status
	})
	return lists, err
}
