//go:build linux && cgo

package gputide_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func TestConcurrent(t *testing.T) {
	noneLeft(t)
	t.Run("eight on a policy agree with one", agreeing)
	t.Run("eight on a scaler and a state take turns", decidingInTurns)
	t.Run("eight on a forecast and a rightsize take turns", planningInTurns)
	t.Run("eight on a runtime", sharingARuntime)
}

func agreeing(t *testing.T) {
	policy := policyOf(t, scaledObject())
	wanted := trajectory(t, policy)
	inParallel(8, func(int) {
		for range 20 {
			equal(t, "trajectory", trajectory(t, policy), wanted)
		}
	})
}

// trajectory is what a policy decides over some time.
func trajectory(t *testing.T, policy *gputide.Policy) string {
	state, err := policy.NewState(now)
	must(t, err)
	defer state.Close()
	var out strings.Builder
	current := int32(3)
	for i := range 20 {
		at := now.Add(time.Duration(i) * 15 * time.Second)
		decision, err := state.DecideValues(at, current, float64(i*7%40))
		must(t, err)
		if decision.WantsWrite() {
			must(t, state.RecordAt(&decision, true, at))
			current = decision.Desired
		}
		fmt.Fprint(&out, current, " ")
	}
	return out.String()
}

func decidingInTurns(t *testing.T) {
	scaler, err := gputide.OpenScaler(scaledObject(), nil)
	closing(t, scaler, err)
	state := stateOf(t, policyOf(t, scaledObject()))
	inParallel(8, func(int) {
		for i := range 100 {
			at := now.Add(time.Duration(i) * 15 * time.Second)
			_, err := scaler.Tick(context.Background(), gputide.Observation{Current: 3, Samples: gputide.Values(42.5), Now: at})
			must(t, err)
			_, err = state.DecideValues(at, 3, 42.5)
			must(t, err)
		}
	})
}

func planningInTurns(t *testing.T) {
	forecast, rightsize := forecastOf(t, ""), rightsizeOf(t, workload, nil)
	inParallel(8, func(worker int) {
		container, err := rightsize.Container(fmt.Sprint("c", worker))
		must(t, err)
		for i := range 100 {
			at := now.Add(time.Duration(i) * time.Minute)
			must(t, forecast.Add(at, float64(i)))
			_, err := forecast.Floor(gputide.Sizing{Target: 5, Reactive: 4, Current: 4, Max: 40})
			must(t, err)
			sample := gputide.Usage(at, 30.5, 5_000_000_000)
			sample.Container = container
			taken, err := rightsize.Add([]gputide.UsageSample{sample})
			must(t, err)
			equal(t, "taken", taken, 1)
		}
	})
}

func sharingARuntime(t *testing.T) {
	fleet := fleetOf(t, &gputide.RuntimeOptions{EveryDecision: true, StartSpread: time.Millisecond})
	must(t, fleet.Start())
	ctx, stop := context.WithTimeout(context.Background(), concurrently)
	defer stop()
	inParallel(8, func(worker int) {
		for i := 0; ctx.Err() == nil; i++ {
			id := added(t, fleet, named(fmt.Sprintf("s%d-%d", worker, i)))
			must(t, fleet.Observe(id, gputide.Observation{Current: 3, Samples: gputide.Values(42.5)}))
			if event, err := fleet.NextEvent(ctx); err == nil {
				_ = fleet.Record(event, true) // another goroutine may have removed its scaler
			}
			_, err := fleet.Stats()
			must(t, err)
			must(t, fleet.Remove(id))
		}
	})
}

func inParallel(workers int, work func(worker int)) {
	var all sync.WaitGroup
	for worker := range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			work(worker)
		}()
	}
	all.Wait()
}
