//go:build linux && cgo

package gputide_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
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

// collects runs the garbage collector without a pause until the test ends.
func collects(t *testing.T) {
	percent := debug.SetGCPercent(1)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
		debug.SetGCPercent(percent)
	})
}

// untilCollected returns when the collector has found what was forgotten before the call: it has found an object that was forgotten
// later, and run its cleanup.
func untilCollected() {
	for range 2 { // cleanups of one cycle run in any order
		found := make(chan struct{})
		runtime.AddCleanup(&struct{ buffer [64]byte }{}, func(found chan struct{}) { close(found) }, found)
		<-found
	}
}

// slowPrometheus answers when the collector has found what was forgotten before the request came.
func slowPrometheus(t *testing.T) string {
	answer := answering(42.5)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		untilCollected()
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// forgetting are calls on handles that nothing refers to any more once the call is under way. Each must come to its usual end.
var forgetting = map[string]func(ctx context.Context, address string) error{
	"Scaler.Tick": func(ctx context.Context, address string) error {
		scaler, err := gputide.OpenScaler(scaledObject(prometheusTrigger(address)), nil)
		if err != nil {
			return err
		}
		decision, err := scaler.Tick(ctx, gputide.Observation{Current: 3})
		if err == nil && decision.Failed {
			return errors.New("its trigger failed")
		}
		return err
	},
	"Source.Fetch": func(ctx context.Context, address string) error {
		source, err := gputide.OpenSource(triggerText(address), nil)
		if err != nil {
			return err
		}
		return failure(source.Fetch(ctx))
	},
	"Source.FetchAll": func(ctx context.Context, address string) error {
		source, err := gputide.OpenSource(triggerText(address), nil)
		if err != nil {
			return err
		}
		return failure(source.FetchAll(ctx))
	},
	"Series.Fetch": func(ctx context.Context, address string) error {
		series, err := gputide.NewSeries()
		if err != nil {
			return err
		}
		scaler, err := gputide.OpenScaler(scaledObject(prometheusTrigger(address)), nil)
		if err != nil {
			return err
		}
		err = series.Fetch(ctx, scaler, 0, now, now.Add(time.Minute), 15*time.Second)
		if errors.Is(err, gputide.ErrNoData) { // the server has no range, which the call found out
			return nil
		}
		return err
	},
	"Replay.Run": func(ctx context.Context, _ string) error {
		series, err := gputide.NewSeries()
		if err != nil {
			return err
		}
		times, values := make([]time.Time, 100_000), make([]float64, 100_000)
		for i := range times {
			times[i], values[i] = now.Add(time.Duration(i)*15*time.Second), float64(i%97)
		}
		if err := series.Add(0, times, values); err != nil {
			return err
		}
		replay, err := gputide.OpenReplay(scaledObject(), nil, nil)
		if err != nil {
			return err
		}
		return replay.Run(ctx, series)
	},
	"Runtime.NextEvent": func(ctx context.Context, address string) error {
		fleet, err := polling(address)
		if err != nil {
			return err
		}
		return failure(fleet.NextEvent(ctx))
	},
	"Runtime.Events": func(ctx context.Context, address string) error {
		fleet, err := polling(address)
		if err != nil {
			return err
		}
		for _, err := range fleet.Events(ctx) {
			return err
		}
		return errors.New("it ended without an event and without an error")
	},
	"LogReader.Lines": func(ctx context.Context, _ string) error {
		reader, err := gputide.OpenLog(gputide.LogDebug)
		if err != nil {
			return err
		}
		go func() {
			untilCollected()
			failingTick(ctx)
		}()
		for _, err := range reader.Lines(ctx) {
			return err
		}
		return errors.New("it ended without a line and without an error")
	},
}

// polling gives a runtime with one scaler; its first poll is due at once.
func polling(address string) (*gputide.Runtime, error) {
	fleet, err := gputide.NewRuntime(&gputide.RuntimeOptions{StartSpread: time.Millisecond})
	if err != nil {
		return nil, err
	}
	id, err := fleet.Add(scaledObject(prometheusTrigger(address)), nil)
	if err != nil {
		return nil, err
	}
	return fleet, fleet.Observe(id, gputide.Observation{Current: 3})
}

// failingTick has the library log a line.
func failingTick(ctx context.Context) {
	scaler, err := gputide.OpenScaler(scaledObject(prometheusTrigger("http://127.0.0.1:9")), nil)
	if err != nil {
		return
	}
	defer scaler.Close()
	_, _ = scaler.Tick(ctx, gputide.Observation{Current: 3})
}

func TestACallKeepsItsHandle(t *testing.T) {
	noneLeft(t)
	address := slowPrometheus(t)
	collects(t)
	for name, call := range forgetting {
		ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
		if err := call(ctx, address); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		stop()
	}
	collected(t, 0) // now that the calls have left
}

func TestALoopDoesNotHideACancelledCall(t *testing.T) {
	cancelled := &gputide.Error{Status: gputide.StatusCancelled}
	loop, closeHandle := gputide.LoopOver(t.Context(), func(context.Context) (int, error) { return 0, cancelled })
	came := 0
	for _, err := range loop {
		is(t, err, gputide.ErrCancelled)
		came++
	}
	equal(t, "errors of an open handle", came, 1)
	closeHandle()
	for _, err := range loop {
		t.Errorf("a closed handle's loop gave %v", err)
	}
}
