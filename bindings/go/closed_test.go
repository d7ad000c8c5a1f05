//go:build linux && cgo

package gputide_test

import (
	"context"
	"io"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func TestClosed(t *testing.T) {
	noneLeft(t)
	t.Run("policies and their states", closedPolicies)
	t.Run("sources and their samples", closedSources)
	t.Run("scalers and runtimes", closedScalers)
	t.Run("recorded days", closedReplays)
	t.Run("forecasts and rightsizes", closedForecasts)
	t.Run("readers of the log", closedLogReaders)
}

// closeAll ends handles, each of them twice.
func closeAll(t *testing.T, handles ...io.Closer) {
	t.Helper()
	for _, one := range handles {
		must(t, one.Close())
		must(t, one.Close())
	}
}

func closedPolicies(t *testing.T) {
	policy, err := gputide.OpenPolicy(scaledObject(), nil)
	must(t, err)
	state, err := policy.NewState(now)
	must(t, err)
	closeAll(t, policy, state)
	is(t, failure(policy.Describe()), gputide.ErrClosed)
	is(t, failure(policy.NewState(now)), gputide.ErrClosed)
	is(t, failure(state.Decide(observation(3, 1))), gputide.ErrClosed)
	is(t, failure(state.DecideValues(now, 3, 1)), gputide.ErrClosed)
}

func closedSources(t *testing.T) {
	source, err := gputide.OpenSource(triggerText("http://127.0.0.1:9"), nil)
	must(t, err)
	credential, err := openCredential()
	must(t, err)
	closeAll(t, source, credential)
	is(t, failure(source.Fetch(t.Context())), gputide.ErrClosed)
	is(t, failure(credential.Token(t.Context(), "scope")), gputide.ErrClosed)
}

func closedScalers(t *testing.T) {
	scaler, err := gputide.OpenScaler(scaledObject(), nil)
	must(t, err)
	fleet, err := gputide.NewRuntime(nil)
	must(t, err)
	closeAll(t, scaler, fleet)
	is(t, failure(scaler.Tick(t.Context(), observation(3, 1))), gputide.ErrClosed)
	is(t, failure(scaler.Save()), gputide.ErrClosed)
	is(t, failure(fleet.Add(scaledObject(), nil)), gputide.ErrClosed)
	is(t, failure(fleet.NextEvent(t.Context())), gputide.ErrClosed)
}

func closedReplays(t *testing.T) {
	series, err := gputide.NewSeries()
	must(t, err)
	replay, err := gputide.OpenReplay(scaledObject(), nil, nil)
	must(t, err)
	closeAll(t, series, replay)
	is(t, series.Add(0, nil, nil), gputide.ErrClosed)
	is(t, replay.Run(t.Context(), series), gputide.ErrClosed)
}

func closedForecasts(t *testing.T) {
	forecast, err := gputide.OpenForecast(nil)
	must(t, err)
	rightsize, err := gputide.OpenRightsize(nil, nil)
	must(t, err)
	closeAll(t, forecast, rightsize)
	is(t, forecast.Add(now, 1), gputide.ErrClosed)
	is(t, failure(forecast.Floor(gputide.Sizing{Target: 1, Max: 1})), gputide.ErrClosed)
	is(t, failure(rightsize.Add(nil)), gputide.ErrClosed)
	is(t, failure(rightsize.Container("chat")), gputide.ErrClosed)
}

func closedLogReaders(t *testing.T) {
	reader, err := gputide.OpenLog(gputide.LogInfo)
	must(t, err)
	closeAll(t, reader)
	_, err = reader.Next(t.Context())
	is(t, err, gputide.ErrClosed)
	equal(t, "its text", err.Error(), "gputide: this LogReader is closed")
}

func TestClosingEndsTheCallsInside(t *testing.T) {
	noneLeft(t)
	source, err := gputide.OpenSource(triggerText(silentPeer(t)), nil)
	must(t, err)
	ended := make(chan error, 3)
	for range cap(ended) { // one inside, two that wait for their turn
		go func() { _, err := source.Fetch(context.Background()); ended <- err }()
	}
	time.Sleep(100 * time.Millisecond)
	within(t, time.Second, func() { source.Close() })
	cancelled := 0
	for range cap(ended) {
		err := <-ended
		if errorIs(err, gputide.ErrCancelled) {
			cancelled++
			continue
		}
		is(t, err, gputide.ErrClosed)
	}
	equal(t, "calls that were inside", cancelled, 1)
}
