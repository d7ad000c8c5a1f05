//go:build linux && cgo

package gputide_test

import (
	"encoding/json"
	"strings"
	"testing"

	gputide "github.com/gputide/gputide/bindings/go"
)

const scaledJob = `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},"spec":{"jobTargetRef":{"template":{}},
  "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}}`

func TestAQueueBecomesJobs(t *testing.T) {
	seen := json.RawMessage(`{"values":[12.5],"running":3,"pending":1}`)
	text, err := gputide.DecideJobs([]byte(scaledJob), nil, seen)
	must(t, err)
	var decision struct{ Create int }
	must(t, json.Unmarshal(text, &decision))
	equal(t, "create", decision.Create, 4)
	_, err = gputide.DecideJobs([]byte(scaledJob), nil, json.RawMessage(`{"values":[]}`))
	is(t, err, gputide.ErrInvalid)
	_, err = gputide.DecideJobs(scaledObject(), nil, seen)
	is(t, err, gputide.ErrInvalid)
	two := []byte(scaledJob + "\n---\n" + strings.ReplaceAll(scaledJob, "train", "other"))
	_, err = gputide.DecideJobs(two, nil, seen)
	is(t, err, gputide.ErrAmbiguous)
	_, err = gputide.DecideJobs(two, &gputide.Options{Scaler: "other"}, seen)
	must(t, err)
	_, err = gputide.DecideJobs(two, &gputide.Options{Scaler: "\x00"}, seen)
	is(t, err, gputide.ErrNUL)
}
