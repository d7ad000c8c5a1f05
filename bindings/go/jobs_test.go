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
	observation := json.RawMessage(`{"values":[12.5],"running":3,"pending":1}`)
	text, err := gputide.DecideScaledJob([]byte(scaledJob), nil, observation)
	must(t, err)
	var decision struct{ Create int }
	must(t, json.Unmarshal(text, &decision))
	equal(t, "create", decision.Create, 4)
	_, err = gputide.DecideScaledJob([]byte(scaledJob), nil, json.RawMessage(`{"values":[]}`))
	is(t, err, gputide.ErrInvalid)
	_, err = gputide.DecideScaledJob(scaledObject(), nil, observation)
	is(t, err, gputide.ErrInvalid)
	two := []byte(scaledJob + "\n---\n" + strings.ReplaceAll(scaledJob, "train", "other"))
	_, err = gputide.DecideScaledJob(two, nil, observation)
	is(t, err, gputide.ErrAmbiguous)
	_, err = gputide.DecideScaledJob(two, &gputide.Options{Scaler: "other"}, observation)
	must(t, err)
	_, err = gputide.DecideScaledJob(two, &gputide.Options{Scaler: "\x00"}, observation)
	is(t, err, gputide.ErrNUL)
}
