//go:build linux && cgo

package gputide_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	gputide "github.com/gputide/gputide/bindings/go"
)

// rounds is how often the leak check opens each handle.
func rounds() int {
	if count, err := strconv.Atoi(os.Getenv("GPUTIDE_LEAK_ROUNDS")); err == nil {
		return count
	}
	return 1000
}

func TestLeak(t *testing.T) {
	noneLeft(t)
	for _, one := range openers {
		takesNoMemory(t, one.name, func() {
			handle, err := one.open()
			must(t, err)
			handle.Close()
		})
	}
	wrong := []byte("kind: nothing of this kind")
	takesNoMemory(t, "opening in vain", func() {
		is(t, failure(gputide.OpenPolicy(wrong, nil)), gputide.ErrInvalid)
		is(t, failure(gputide.OpenScaler(wrong, nil)), gputide.ErrInvalid)
		is(t, failure(gputide.OpenSource(wrong, nil)), gputide.ErrInvalid)
		is(t, failure(gputide.OpenCredential(wrong, nil)), gputide.ErrInvalid)
		is(t, failure(gputide.OpenReplay(wrong, nil, nil)), gputide.ErrInvalid)
		is(t, failure(gputide.OpenForecast(wrong)), gputide.ErrInvalid)
		is(t, failure(gputide.OpenRightsize(wrong, nil)), gputide.ErrInvalid)
	})
}

// takesNoMemory runs a function for all the rounds, after which the process may not have grown.
func takesNoMemory(t *testing.T, name string, run func()) {
	t.Helper()
	most := 1024 // KiB
	if raceEnabled {
		most = 64 * 1024 // the detector keeps a shadow of what was
	}
	if more := growthKiB(t, rounds(), run); more > most {
		t.Errorf("%s: %d KiB more after %d rounds", name, more, rounds())
	}
}

// growthKiB is by how much a function that is called many times makes this process grow.
func growthKiB(t *testing.T, count int, run func()) int {
	for range count / 4 {
		run()
	}
	debug.FreeOSMemory()
	before := residentKiB(t)
	for range count {
		run()
	}
	debug.FreeOSMemory()
	return residentKiB(t) - before
}

func residentKiB(t testing.TB) int {
	text, err := os.ReadFile("/proc/self/status")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		var kib int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	t.Fatal("/proc/self/status has no VmRSS")
	return 0
}
