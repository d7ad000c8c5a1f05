//go:build linux && cgo

package gputide_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func fleetOf(t testing.TB, options *gputide.RuntimeOptions) *gputide.Runtime {
	fleet, err := gputide.NewRuntime(options)
	return closing(t, fleet, err)
}

func added(t testing.TB, fleet *gputide.Runtime, manifest []byte) gputide.ScalerID {
	t.Helper()
	id, err := fleet.Add(manifest, nil)
	must(t, err)
	return id
}

func TestStepsByAClockOfOnesOwn(t *testing.T) {
	noneLeft(t)
	fleet := fleetOf(t, &gputide.RuntimeOptions{Reports: true, StartSpread: time.Millisecond, Seed: 7})
	id, err := fleet.AddTagged(scaledObject(), nil, math.MaxUint64)
	must(t, err)
	found, err := fleet.Find("default/demo")
	must(t, err)
	equal(t, "found", found, id)
	must(t, fleet.Observe(id, observation(3, 42.5)))
	var event *gputide.Event
	at := now
	for event == nil {
		next, err := fleet.Step(at)
		must(t, err)
		if event, err = fleet.TakeEvent(); !next.IsZero() {
			at = next
		}
		must(t, err)
	}
	equal(t, "id", event.ID, id)
	equal(t, "tag", event.Tag, uint64(math.MaxUint64))
	equal(t, "name", event.Name, "default/demo")
	equal(t, "kind", event.Kind, gputide.EventDecision)
	equal(t, "sequence", event.Sequence, 1)
	equal(t, "observed", event.Observed, now)
	equal(t, "decision", event.Decision.String(), "3 -> 6 (proposed 9, limited by scale_up_limit)")
	equal(t, "report", json.Valid(event.Decision.Report), true)
	must(t, fleet.RecordAt(id, &event.Decision, true, at))
	is(t, fleet.RecordAt(id, &event.Decision, true, at), gputide.ErrState)
	saved, err := fleet.Save(id)
	must(t, err)
	must(t, fleet.Load(id, saved))
	equal(t, "events left", nextOf(t, fleet), nil)
	for _, get := range []func() (json.RawMessage, error){fleet.Stats, func() (json.RawMessage, error) { return fleet.Describe(id) }} {
		text, err := get()
		must(t, err)
		equal(t, "valid", json.Valid(text), true)
	}
	fd, err := fleet.WakeFD()
	must(t, err)
	if fd <= 2 {
		t.Errorf("the descriptor is %d", fd)
	}
}

func nextOf(t *testing.T, fleet *gputide.Runtime) *gputide.Event {
	event, err := fleet.TakeEvent()
	must(t, err)
	return event
}

func TestAddReplaceRemoveAndIterate(t *testing.T) {
	noneLeft(t)
	fleet := fleetOf(t, nil)
	var ids []gputide.ScalerID
	for _, name := range []string{"a", "b", "c", "d"} {
		ids = append(ids, added(t, fleet, named(name)))
	}
	listed := slices.Collect(fleet.Scalers())
	slices.Sort(listed)
	equal(t, "listed", slices.Equal(listed, ids), true)
	for range fleet.Scalers() {
		break
	}
	must(t, fleet.ReplaceTagged(ids[0], named("a", map[string]any{"maxReplicaCount": 7}), nil, 5))
	must(t, fleet.Replace(ids[0], named("a", map[string]any{"maxReplicaCount": 8}), nil))
	text, err := fleet.Describe(ids[0])
	must(t, err)
	var described struct{ Tag uint64 }
	must(t, json.Unmarshal(text, &described))
	equal(t, "tag", described.Tag, 5)
	must(t, fleet.Remove(ids[1]))
	is(t, fleet.Remove(ids[1]), gputide.ErrNotFound)
	is(t, fleet.Observe(ids[1], observation(1)), gputide.ErrNotFound)
	_, err = fleet.Find("default/b")
	is(t, err, gputide.ErrNotFound)
	_, err = fleet.Add(named("c"), nil)
	is(t, err, gputide.ErrInvalid)
}

func TestADueEventAsksForAnObservation(t *testing.T) {
	noneLeft(t)
	fleet := fleetOf(t, &gputide.RuntimeOptions{ObserveFirst: true, StartSpread: time.Millisecond})
	id := added(t, fleet, scaledObject())
	event, err := fleet.NextEvent(t.Context())
	must(t, err)
	equal(t, "kind", event.Kind, gputide.EventDue)
	equal(t, "wants a write", event.WantsWrite(), false)
	must(t, fleet.Observe(id, gputide.Observation{Current: 3, Samples: gputide.Values(42.5)}))
	event, err = fleet.NextEvent(t.Context())
	must(t, err)
	equal(t, "desired", event.Decision.Desired, 6)
	must(t, fleet.Record(event, true))
}

func TestPushedNumbersAndTheZeroSampleThatKeepsThem(t *testing.T) {
	noneLeft(t)
	fleet := fleetOf(t, &gputide.RuntimeOptions{StartSpread: time.Millisecond})
	value := func(name string) any {
		return map[string]any{"type": "values", "name": name, "metadata": map[string]any{"threshold": "5"}}
	}
	id := added(t, fleet, scaledObject(map[string]any{"triggers": []any{value("a"), value("b")}}))
	must(t, fleet.Push(id, gputide.Values(42.5, 1)))
	must(t, fleet.Push(id, []gputide.Sample{{}, gputide.Number(2)}))
	must(t, fleet.Observe(id, gputide.Observation{Current: 3}))
	event, err := fleet.NextEvent(t.Context())
	must(t, err)
	equal(t, "proposed", event.Decision.Proposed, 9)
}

func TestALoopOverEventsEndsWithItsContextAndWithTheRuntime(t *testing.T) {
	noneLeft(t)
	for _, started := range []bool{false, true} {
		fleet := fleetOf(t, nil)
		if started {
			must(t, fleet.Start())
			is(t, fleet.Start(), gputide.ErrState)
		}
		must(t, fleet.Observe(added(t, fleet, scaledObject()), gputide.Observation{Current: 3, Samples: gputide.Values(42.5)}))
		ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		within(t, 5*time.Second, func() {
			for _, err := range fleet.Events(ctx) {
				must(t, err)
			}
		})
		stop()
		time.AfterFunc(100*time.Millisecond, func() { fleet.Close() })
		within(t, 5*time.Second, func() {
			for _, err := range fleet.Events(t.Context()) {
				must(t, err)
			}
		})
		must(t, fleet.Shutdown(t.Context()))
	}
}

func TestTheRuntimesThreadIsStartedAndStopped(t *testing.T) {
	noneLeft(t)
	fleet := fleetOf(t, nil)
	must(t, fleet.Stop(t.Context()))
	must(t, fleet.Start())
	must(t, fleet.Stop(t.Context()))
	must(t, fleet.Start())
	_, err := fleet.Step(time.Time{})
	is(t, err, gputide.ErrState)
}

func TestEventsOfPolledTriggers(t *testing.T) {
	noneLeft(t)
	fleet := fleetOf(t, &gputide.RuntimeOptions{StartSpread: 50 * time.Millisecond})
	address := prometheus(t, 42.5).URL
	for _, name := range []string{"a", "b", "c"} {
		must(t, fleet.Observe(added(t, fleet, named(name, prometheusTrigger(address))), gputide.Observation{Current: 3}))
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	sizes := map[string]int32{}
	for event, err := range fleet.Events(ctx) {
		must(t, err)
		if event.WantsWrite() {
			sizes[event.Name] = event.Decision.Desired
			must(t, fleet.Record(event, true))
		}
		if len(sizes) == 3 {
			break
		}
	}
	for _, name := range []string{"default/a", "default/b", "default/c"} {
		equal(t, name, sizes[name], 6)
	}
}
