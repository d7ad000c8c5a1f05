//go:build linux && cgo

package gputide_test

import (
	"context"
	"errors"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// waits are calls that would take 10 seconds and more with a silent peer.
func waits(t *testing.T, address string) map[string]func(context.Context) error {
	source, err := gputide.OpenSource(triggerText(address), nil)
	closing(t, source, err)
	other, err := gputide.OpenSource(triggerText(address), nil)
	closing(t, other, err)
	scaler, err := gputide.OpenScaler(scaledObject(prometheusTrigger(address)), nil)
	closing(t, scaler, err)
	past, err := gputide.OpenScaler(scaledObject(prometheusTrigger(address)), nil)
	closing(t, past, err)
	series, err := gputide.NewSeries()
	closing(t, series, err)
	fleet, err := gputide.NewRuntime(nil)
	closing(t, fleet, err)
	reader, err := gputide.OpenLog(gputide.LogError)
	closing(t, reader, err)
	cluster := kubeconfig(t, address)
	return map[string]func(context.Context) error{
		"Source.Fetch":    func(ctx context.Context) error { _, err := source.Fetch(ctx); return err },
		"Source.FetchAll": func(ctx context.Context) error { _, err := other.FetchAll(ctx); return err },
		"Scaler.Tick":     func(ctx context.Context) error { _, err := scaler.Tick(ctx, observation(3)); return err },
		"Series.Fetch": func(ctx context.Context) error {
			return series.Fetch(ctx, past, 0, now, now.Add(time.Minute), 15*time.Second)
		},
		"Runtime.NextEvent": func(ctx context.Context) error { _, err := fleet.NextEvent(ctx); return err },
		"LogReader.Next":    func(ctx context.Context) error { _, err := reader.Next(ctx); return err },
		"Doctor": func(ctx context.Context) error {
			_, err := gputide.Doctor(ctx, scaledObject(prometheusTrigger(address)), nil, nil)
			return err
		},
		"DoctorCluster": func(ctx context.Context) error { _, err := gputide.DoctorCluster(ctx, nil, cluster); return err },
	}
}

func TestCancel(t *testing.T) {
	noneLeft(t)
	for name, wait := range waits(t, silentPeer(t)) {
		ctx, stop := context.WithCancel(context.Background())
		var cancelled time.Time
		time.AfterFunc(100*time.Millisecond, func() { cancelled = time.Now(); stop() })
		err := wait(ctx)
		if took := time.Since(cancelled); took > 200*time.Millisecond {
			t.Errorf("%s went on for %v", name, took)
		}
		is(t, err, gputide.ErrCancelled)
		is(t, err, context.Canceled)
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v is no deadline", name, err)
		}
	}
}

func TestAContextThatHasEndedMakesNoCall(t *testing.T) {
	noneLeft(t)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, wait := range waits(t, "http://127.0.0.1:9") {
		is(t, wait(ctx), context.Canceled)
	}
}

func TestADeadlineIsTheTimeout(t *testing.T) {
	noneLeft(t)
	for name, wait := range waits(t, silentPeer(t)) {
		begin := time.Now()
		ctx, stop := context.WithTimeout(context.Background(), 150*time.Millisecond)
		err := wait(ctx)
		stop()
		if took := time.Since(begin); took < 140*time.Millisecond || took > time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if name == "Scaler.Tick" || name == "Doctor" || name == "DoctorCluster" { // whose triggers and steps fail, not they
			must(t, err)
			continue
		}
		is(t, err, gputide.ErrTimeout)
		is(t, err, context.DeadlineExceeded)
		var problem *gputide.Error
		equal(t, name+" is a timeout", errors.As(err, &problem) && problem.Timeout(), true)
	}
}

func TestWhoWaitsForATurnMayGiveUp(t *testing.T) {
	noneLeft(t)
	source, err := gputide.OpenSource(triggerText(silentPeer(t)), nil)
	closing(t, source, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = source.Fetch(ctx) }()
	time.Sleep(50 * time.Millisecond)
	soon, end := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer end()
	_, err = source.Fetch(soon)
	is(t, err, context.DeadlineExceeded)
	stop()
	<-done
}
