//go:build linux && cgo

package gputide_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func TestAnErrorSaysWhereWhatAndWhatToDo(t *testing.T) {
	wrong := scaledObject(map[string]any{"maxReplicaCount": -1})
	_, err := gputide.OpenPolicy(wrong, &gputide.Options{TextName: "so.json"})
	var problem *gputide.Error
	if !errorAs(fmt.Errorf("opening: %w", err), &problem) {
		t.Fatalf("not an Error: %v", err)
	}
	is(t, fmt.Errorf("opening: %w", err), gputide.ErrInvalid)
	equal(t, "is it another", errorIs(err, gputide.ErrThrottled), false)
	equal(t, "status", problem.Status, gputide.StatusInvalid)
	equal(t, "name", problem.Name(), "E_INVALID")
	equal(t, "action", problem.Action, gputide.ActionFixConfiguration)
	equal(t, "retryable", problem.Retryable, false)
	equal(t, "retry at", problem.RetryAt.IsZero(), true)
	equal(t, "text", err.Error(), problem.Where+": "+problem.Message)
	if !strings.HasPrefix(problem.Where, "so.json:1") {
		t.Errorf("where: %s", problem.Where)
	}
	var detail map[string]any
	must(t, json.Unmarshal(problem.Detail, &detail))
	equal(t, "class", detail["class"], any("config"))
}

func TestAReadThatFailsHasItsSample(t *testing.T) {
	noneLeft(t)
	source, err := gputide.OpenSource(triggerText("http://127.0.0.1:9"), nil)
	closing(t, source, err)
	_, err = source.Parse(401, []byte("unknown token"))
	is(t, err, gputide.ErrAuth)
	var problem *gputide.Error
	if !errorAs(err, &problem) || problem.Sample == nil {
		t.Fatalf("no sample in %v", err)
	}
	equal(t, "http status", problem.HTTPStatus, 401)
	equal(t, "state", problem.Sample.State, gputide.SampleAuth)
	equal(t, "status", problem.Sample.Status, gputide.StatusAuth)
	_, err = source.Parse(429, nil)
	is(t, err, gputide.ErrThrottled)
}

func TestSourcesGiveNumbersSeriesAndLabels(t *testing.T) {
	noneLeft(t)
	server := prometheus(t, 42.5)
	source, err := gputide.OpenSource(triggerText(server.URL), nil)
	closing(t, source, err)
	sample, err := source.Fetch(context.Background())
	must(t, err)
	equal(t, "sample", sample, gputide.Sample{Value: 42.5, State: gputide.SampleOK, Time: now})
	response, err := source.FetchAll(context.Background())
	must(t, err)
	if !strings.Contains(string(response), `"job":"load"`) || !strings.Contains(string(response), "42.5") {
		t.Errorf("the response is %s", response)
	}
	request, err := source.Request(now)
	must(t, err)
	if !strings.Contains(string(request), server.URL+"/api/v1/query") {
		t.Errorf("the request is %s", request)
	}
}

func TestFindingsAreNoErrorOfTheCall(t *testing.T) {
	good, err := gputide.CheckManifest(scaledObject(), nil)
	must(t, err)
	equal(t, "error", good.Err, nil)
	bad, err := gputide.CheckManifest(scaledObject(map[string]any{"minReplicaCount": 30}), nil)
	must(t, err)
	equal(t, "status", bad.Err.Status, gputide.StatusInvalid)
	if !strings.Contains(bad.Lines, "minReplicaCount") || !json.Valid(bad.Report) {
		t.Errorf("findings: %s %s", bad.Lines, bad.Report)
	}
	large, err := gputide.CheckManifest(bytes.Repeat([]byte("#"), 1<<20+1), nil)
	must(t, err)
	equal(t, "status", large.Err.Status, gputide.StatusLimit)
	if large.Lines == "" || !json.Valid(large.Report) {
		t.Errorf("findings: %s %s", large.Lines, large.Report)
	}
	_, err = gputide.CheckManifest(scaledObject(), &gputide.Options{Scaler: "\x00"})
	is(t, err, gputide.ErrNUL)
}

func TestTheDoctorNamesTheStepThatFails(t *testing.T) {
	found, err := gputide.Doctor(t.Context(), scaledObject(prometheusTrigger("http://127.0.0.1:9")), nil, &gputide.Observation{Current: 2})
	must(t, err)
	if !strings.Contains(string(found.Report), "failed") || found.Lines == "" {
		t.Errorf("diagnosis: %s\n%s", found.Report, found.Lines)
	}
}

func TestAScalerTicksSavesAndLoads(t *testing.T) {
	noneLeft(t)
	scaler, err := gputide.OpenScaler(scaledObject(prometheusTrigger(prometheus(t, 42.5).URL)), nil)
	closing(t, scaler, err)
	decision, err := scaler.TickWithReport(t.Context(), observation(3))
	must(t, err)
	equal(t, "decision", decision.String(), "3 -> 6 (proposed 9, limited by scale_up_limit)")
	equal(t, "report", json.Valid(decision.Report), true)
	must(t, scaler.RecordAt(&decision, true, now))
	is(t, scaler.RecordAt(&decision, true, now), gputide.ErrState)
	saved, err := scaler.Save()
	must(t, err)
	must(t, scaler.Load(saved))
	is(t, scaler.Load([]byte("no state")), gputide.ErrState)
	text, err := scaler.Describe()
	must(t, err)
	var described struct {
		Policy, Metrics, Conditions json.RawMessage
	}
	must(t, json.Unmarshal(text, &described))
	if !strings.Contains(string(described.Metrics), "s0-prometheus") || !strings.Contains(string(described.Conditions), "AbleToScale") {
		t.Errorf("the scaler is %s", text)
	}
}

func TestTheLogIsReadLineByLine(t *testing.T) {
	noneLeft(t)
	reader, err := gputide.OpenLog(gputide.LogDebug)
	closing(t, reader, err)
	var text lockedBuilder
	stop, err := gputide.LogTo(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})), gputide.LogDebug)
	must(t, err)
	scaler, err := gputide.OpenScaler(scaledObject(prometheusTrigger("http://127.0.0.1:9")), nil)
	closing(t, scaler, err)
	_, err = scaler.Tick(t.Context(), observation(3)) // each failed read is a line
	must(t, err)
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	lines := 0
	for line, err := range reader.Lines(ctx) {
		must(t, err)
		lines++
		if strings.Contains(line.Text, "s0-prometheus") {
			break
		}
	}
	if lines == 0 {
		t.Error("the reader had no line")
	}
	eventually(5*time.Second, func() bool { return strings.Contains(text.String(), "s0-prometheus") })
	stop()
	if !strings.Contains(text.String(), "s0-prometheus") {
		t.Errorf("the logger had %s", text.String())
	}
}

func TestForgottenHandlesAreFreedWithAWarningInTheLog(t *testing.T) {
	noneLeft(t)
	var text lockedBuilder
	stop, err := gputide.LogTo(slog.New(slog.NewTextHandler(&text, nil)), gputide.LogError)
	must(t, err)
	defer stop()
	before := gputide.Alive()
	for _, opener := range openers {
		must(t, failure(opener.open()))
	}
	collected(t, before)
	for _, opener := range openers {
		if !strings.Contains(text.String(), "a "+opener.name+" was forgotten") {
			t.Errorf("no word of the forgotten %s in %s", opener.name, text.String())
		}
	}
}

// A lockedBuilder takes what a logger writes while a test reads it.
type lockedBuilder struct {
	guard sync.Mutex
	text  strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.guard.Lock()
	defer b.guard.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuilder) String() string {
	b.guard.Lock()
	defer b.guard.Unlock()
	return b.text.String()
}
