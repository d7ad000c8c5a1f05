//go:build linux && cgo

package gputide_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const cluster = `{"pools": [{"id": "gpu", "size": 0, "min": 0, "max": 4,
  "allocatable": {"cpu": 8000, "memory": "32Gi", "nvidia.com/gpu": 1}}],
 "groups": [{"name": "train", "count": 2, "pod": {"requests": {"cpu": 1000, "nvidia.com/gpu": 1}}}]}`

func TestPodsThatWaitGetNodes(t *testing.T) {
	plan, err := gputide.PlanNodes([]byte(cluster), nil, now)
	must(t, err)
	equal(t, "nodes to add", plan.NodesToAdd, 2)
	equal(t, "nodes to remove", plan.NodesToRemove, 0)
	equal(t, "pods that wait", plan.PodsPending, 2)
	equal(t, "pods on new nodes", plan.PodsOnNew, 2)
	equal(t, "pods on existing nodes and left", plan.PodsOnExisting+plan.PodsLeft, 0)
	equal(t, "findings", plan.Errors+plan.Warnings, 0)
	var report struct {
		ScaleUp struct{ Nodes int } `json:"scale_up"`
	}
	must(t, json.Unmarshal(plan.Report, &report))
	equal(t, "nodes in the report", report.ScaleUp.Nodes, 2)
	_, err = gputide.PlanNodes([]byte(cluster), plan.State, now.Add(10*time.Second))
	must(t, err)
	_, err = gputide.PlanNodes([]byte(cluster), []byte("no state"), now)
	is(t, err, gputide.ErrState)
	_, err = gputide.PlanNodes([]byte("["), nil, now)
	is(t, err, gputide.ErrInvalid)
	empty, err := gputide.PlanNodes(nil, nil, time.Time{})
	must(t, err)
	equal(t, "nodes for nothing", empty.NodesToAdd+empty.NodesToRemove, 0)
}

func TestAnItemThatCannotBeReadIsCountedAndLeftOut(t *testing.T) {
	wrong := `{"groups": [{"name": "wrong", "count": -1, "pod": {"requests": {"cpu": 1}}}]}`
	plan, err := gputide.PlanNodes([]byte(cluster+"\n---\n"+wrong), nil, now)
	must(t, err)
	equal(t, "errors", plan.Errors, 1)
	if !strings.Contains(string(plan.Report), "groups[0].count") {
		t.Errorf("the report does not name it: %s", plan.Report)
	}
	equal(t, "nodes to add", plan.NodesToAdd, 2)
}
