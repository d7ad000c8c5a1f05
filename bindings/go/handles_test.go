//go:build linux && cgo

package gputide_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// An opener gives a new handle of one kind.
type opener struct {
	name string
	open func() (io.Closer, error)
}

var openers = []opener{
	{"Policy", func() (io.Closer, error) { return gputide.OpenPolicy(scaledObject(), nil) }},
	{"State", openState},
	{"Source", func() (io.Closer, error) { return gputide.OpenSource(triggerText("http://127.0.0.1:9"), nil) }},
	{"Scaler", func() (io.Closer, error) { return gputide.OpenScaler(scaledObject(), nil) }},
	{"Credential", func() (io.Closer, error) { return openCredential() }},
	{"Runtime", func() (io.Closer, error) { return gputide.NewRuntime(nil) }},
	{"Series", func() (io.Closer, error) { return gputide.NewSeries() }},
	{"Replay", func() (io.Closer, error) { return gputide.OpenReplay(scaledObject(), nil, nil) }},
	{"Forecast", func() (io.Closer, error) { return gputide.OpenForecast(nil) }},
	{"Rightsize", func() (io.Closer, error) { return gputide.OpenRightsize(nil, nil) }},
	{"LogReader", func() (io.Closer, error) { return gputide.OpenLog(gputide.LogInfo) }},
}

func openState() (io.Closer, error) {
	policy, err := gputide.OpenPolicy(scaledObject(), nil)
	if err != nil {
		return nil, err
	}
	defer policy.Close()
	return policy.NewState(now)
}

func TestOrder(t *testing.T) {
	noneLeft(t)
	for seed := range uint64(min(rounds(), 1000)) {
		chance := rand.New(rand.NewPCG(seed, 1))
		handles := make([]io.Closer, 50)
		for i := range handles {
			var err error
			handles[i], err = openers[chance.IntN(len(openers))].open()
			must(t, err)
		}
		chance.Shuffle(len(handles), func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
		for i, handle := range handles {
			if i%5 != 0 { // the others are the collector's
				handle.Close()
			}
		}
		if seed%50 == 49 {
			clear(handles)
			collected(t, 0)
		}
	}
	collected(t, 0)
}

// collected waits until the garbage collector has found what is forgotten, and no more handles than these are there.
func collected(t *testing.T, left int) {
	t.Helper()
	eventually(20*time.Second, func() bool {
		runtime.GC()
		return gputide.Alive() <= left
	})
	equal(t, "handles that the collector left", gputide.Alive(), left)
}

func init() {
	programs["exit"] = func() {
		scaler, _ := gputide.OpenScaler(scaledObject(), nil)
		fleet, _ := gputide.NewRuntime(nil)
		id, _ := fleet.Add(scaledObject(), nil)
		_ = fleet.Observe(id, gputide.Observation{Current: 3})
		_ = fleet.Start()
		go func() {
			for range fleet.Events(context.Background()) {
			}
		}()
		time.Sleep(200 * time.Millisecond)
		runtime.KeepAlive(scaler)
	}
}

func TestExit(t *testing.T) {
	begin := time.Now()
	output, err := again(t, "exit")
	must(t, err)
	equal(t, "output", output, "")
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
}

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
	for _, handle := range handles {
		must(t, handle.Close())
		must(t, handle.Close())
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

// rounds is how often the leak check opens each handle.
func rounds() int {
	if count, err := strconv.Atoi(os.Getenv("GPUTIDE_LEAK_ROUNDS")); err == nil {
		return count
	}
	return 1000
}

func TestLeak(t *testing.T) {
	noneLeft(t)
	for _, opener := range openers {
		takesNoMemory(t, opener.name, func() {
			handle, err := opener.open()
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
