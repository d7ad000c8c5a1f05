//go:build !linux || !cgo

package gputide_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// second makes a call's error of its results.
func second[T any](_ T, err error) error { return err }

func TestEachCallSaysThatTheLibraryIsNotSupportedHere(t *testing.T) {
	ctx := context.Background()
	for name, err := range map[string]error{
		"Load":            gputide.Load("/usr/lib/libgputide-full.so.1"),
		"LibraryVersion":  second(gputide.LibraryVersion()),
		"CheckManifest":   second(gputide.CheckManifest(nil, nil)),
		"OpenPolicy":      second(gputide.OpenPolicy(nil, nil)),
		"OpenScaler":      second(gputide.OpenScaler(nil, &gputide.Options{AllowEnvironment: true})),
		"OpenSource":      second(gputide.OpenSource(nil, nil)),
		"OpenCredential":  second(gputide.OpenCredential(nil, nil)),
		"NewRuntime":      second(gputide.NewRuntime(nil)),
		"OpenForecast":    second(gputide.OpenForecast(nil)),
		"PlanNodes":       second(gputide.PlanNodes(nil, nil, time.Time{})),
		"DecideScaledJob": second(gputide.DecideScaledJob(nil, nil, json.RawMessage("{}"))),
		"ListCluster":     second(gputide.ListCluster(ctx, "/api/v1/nodes", nil)),
		"ParseQuantity":   second(gputide.ParseQuantity("1500m")),
		"LogTo":           second(gputide.LogTo(slog.Default(), gputide.LogInfo)),
		"Scaler.Tick":     second(new(gputide.Scaler).Tick(ctx, gputide.Observation{Current: 3})),
		"Runtime.Events":  firstError(new(gputide.Runtime).Events(ctx)),
		"Runtime.Close":   new(gputide.Runtime).Close(),
		"Scaler.Close":    new(gputide.Scaler).Close(),
		"LogReader.Lines": firstError(new(gputide.LogReader).Lines(ctx)),
	} {
		var missing *gputide.LibraryError
		if !errors.As(err, &missing) {
			t.Errorf("%s: not a LibraryError: %v", name, err)
			continue
		}
		wanted := runtime.GOOS + "/" + runtime.GOARCH
		if runtime.GOOS == "linux" {
			wanted = "CGO_ENABLED=1"
		}
		if !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %q does not name %s", name, err, wanted)
		}
	}
}

func firstError[T any](sequence func(yield func(T, error) bool)) (first error) {
	for _, err := range sequence {
		first = err
		break
	}
	return first
}

func TestWhatNeedsNoLibraryWorks(t *testing.T) {
	decision := gputide.Decision{Current: 3, Desired: 6, Proposed: 9, LimitedBy: gputide.LimitScaleUp}
	if !decision.WantsWrite() {
		t.Error("a decision from 3 to 6 wants no write")
	}
	if got, wanted := decision.String(), "3 -> 6 (proposed 9, limited by Limit(3))"; got != wanted {
		t.Errorf("got %q, wanted %q", got, wanted)
	}
	for range decision.Conditions() {
		t.Error("a decision of no library has a condition")
	}
	err := error(&gputide.Error{Status: gputide.StatusThrottled, Where: "so.yaml:1", Message: "too many requests"})
	if !errors.Is(err, gputide.ErrThrottled) || errors.Is(err, gputide.ErrInvalid) {
		t.Errorf("%v is found by the wrong status", err)
	}
	if gputide.Alive() != 0 {
		t.Error("a handle is alive")
	}
}
