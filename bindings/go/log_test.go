//go:build linux && cgo

package gputide_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

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
	for _, one := range openers {
		must(t, failure(one.open()))
	}
	collected(t, before)
	for _, one := range openers {
		if !strings.Contains(text.String(), "a "+one.name+" was forgotten") {
			t.Errorf("no word of the forgotten %s in %s", one.name, text.String())
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
