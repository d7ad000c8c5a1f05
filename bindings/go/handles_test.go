package gputide_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const answer = `{"status":"success","data":{"resultType":"vector","result":[]}}`

// An opener gives a new handle of one kind.
type opener struct {
	name string
	open func() (io.Closer, error)
}

var openers = []opener{
	{"Policy", func() (io.Closer, error) { return gputide.OpenPolicy(scaledObject(), nil) }},
	{"State", openState},
	{"Source", func() (io.Closer, error) { return gputide.OpenSource(triggerText("http://127.0.0.1:9"), nil) }},
	{"Samples", openSamples},
	{"Scaler", func() (io.Closer, error) { return gputide.OpenScaler(scaledObject(), nil) }},
	{"Credential", func() (io.Closer, error) {
		return gputide.OpenCredential([]byte("provider: azure-cli"), &gputide.Options{AllowedPrograms: []string{"az"}})
	}},
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

func openSamples() (io.Closer, error) {
	source, err := gputide.OpenSource(triggerText("http://127.0.0.1:9"), nil)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	return source.ParseAll(200, nil, []byte(answer))
}

// rounds is how often the leak check opens each handle.
func rounds() int {
	if count, err := strconv.Atoi(os.Getenv("GPUTIDE_LEAK_ROUNDS")); err == nil {
		return count
	}
	return 1000
}

// grown is by how much a function that is called many times makes this process grow.
func grown(t *testing.T, count int, run func()) int {
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

func TestLeak(t *testing.T) {
	noneLeft(t)
	most := 1024 // KiB
	if raceEnabled {
		most = 64 * 1024 // the detector keeps a shadow of what was
	}
	for _, one := range openers {
		more := grown(t, rounds(), func() {
			handle, err := one.open()
			must(t, err)
			handle.Close()
		})
		if more > most {
			t.Errorf("%s: %d KiB more after %d rounds", one.name, more, rounds())
		}
	}
	wrong := []byte("kind: nothing of this kind")
	more := grown(t, rounds(), func() {
		_, err := gputide.OpenPolicy(wrong, nil)
		is(t, err, gputide.ErrInvalid)
		_, err = gputide.OpenScaler(wrong, nil)
		is(t, err, gputide.ErrInvalid)
		_, err = gputide.OpenSource(wrong, nil)
		is(t, err, gputide.ErrInvalid)
		_, err = gputide.OpenCredential(wrong, nil)
		is(t, err, gputide.ErrInvalid)
		_, err = gputide.OpenReplay(wrong, nil, nil)
		is(t, err, gputide.ErrInvalid)
		_, err = gputide.OpenForecast(wrong)
		is(t, err, gputide.ErrInvalid)
		_, err = gputide.OpenRightsize(wrong, nil)
		is(t, err, gputide.ErrInvalid)
	})
	if more > most {
		t.Errorf("opening in vain: %d KiB more", more)
	}
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
		for i, one := range handles {
			if i%5 != 0 { // the others are the collector's
				one.Close()
			}
		}
		if seed%50 == 49 {
			collected(t, handles)
		}
	}
	collected(t, nil)
}

// collected waits until the garbage collector has found what is forgotten.
func collected(t *testing.T, handles []io.Closer) {
	clear(handles)
	for patience := time.Now().Add(20 * time.Second); gputide.Alive() > 0 && time.Now().Before(patience); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	equal(t, "handles that the collector left", gputide.Alive(), 0)
}

func TestForgottenHandlesAreFreedWithAWarningInTheLog(t *testing.T) {
	noneLeft(t)
	var text lockedBuilder
	stop, err := gputide.LogTo(slog.New(slog.NewTextHandler(&text, nil)), gputide.LogError)
	must(t, err)
	defer stop()
	before := gputide.Alive()
	for _, one := range openers {
		_, err := one.open()
		must(t, err)
	}
	for patience := time.Now().Add(20 * time.Second); gputide.Alive() > before && time.Now().Before(patience); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	equal(t, "handles left", gputide.Alive(), before)
	for _, one := range openers {
		if !strings.Contains(text.String(), "a "+one.name+" was forgotten") {
			t.Errorf("no word of the forgotten %s in %s", one.name, text.String())
		}
	}
}

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

func TestClosed(t *testing.T) {
	noneLeft(t)
	ctx := context.Background()
	policy, err := gputide.OpenPolicy(scaledObject(), nil)
	must(t, err)
	state, err := policy.NewState(now)
	must(t, err)
	scaler, err := gputide.OpenScaler(scaledObject(), nil)
	must(t, err)
	source, err := gputide.OpenSource(triggerText("http://127.0.0.1:9"), nil)
	must(t, err)
	samples, err := source.ParseAll(200, nil, []byte(answer))
	must(t, err)
	credential, err := gputide.OpenCredential([]byte("provider: azure-cli"), &gputide.Options{AllowedPrograms: []string{"az"}})
	must(t, err)
	fleet, err := gputide.NewRuntime(nil)
	must(t, err)
	series, err := gputide.NewSeries()
	must(t, err)
	replay, err := gputide.OpenReplay(scaledObject(), nil, nil)
	must(t, err)
	reader, err := gputide.OpenLog(gputide.LogInfo)
	must(t, err)
	forecast, err := gputide.OpenForecast(nil)
	must(t, err)
	rightsize, err := gputide.OpenRightsize(nil, nil)
	must(t, err)
	all := []io.Closer{policy, state, scaler, source, samples, credential, fleet, series, replay, forecast, rightsize, reader}
	for _, one := range all {
		must(t, one.Close())
		must(t, one.Close())
	}
	_, err = policy.Describe()
	is(t, err, gputide.ErrClosed)
	_, err = policy.NewState(now)
	is(t, err, gputide.ErrClosed)
	_, err = state.Decide(seen(3, 1))
	is(t, err, gputide.ErrClosed)
	_, err = state.DecideValues(now, 3, 1)
	is(t, err, gputide.ErrClosed)
	_, err = scaler.Tick(ctx, seen(3, 1))
	is(t, err, gputide.ErrClosed)
	_, err = scaler.Save()
	is(t, err, gputide.ErrClosed)
	_, err = source.Fetch(ctx)
	is(t, err, gputide.ErrClosed)
	_, err = samples.At(0)
	is(t, err, gputide.ErrClosed)
	equal(t, "series after close", samples.Len(), 0)
	_, err = credential.Token(ctx, "scope")
	is(t, err, gputide.ErrClosed)
	_, err = fleet.Add(scaledObject(), nil)
	is(t, err, gputide.ErrClosed)
	_, err = fleet.NextEvent(ctx)
	is(t, err, gputide.ErrClosed)
	is(t, series.Add(0, nil, nil), gputide.ErrClosed)
	is(t, replay.Run(ctx, series), gputide.ErrClosed)
	is(t, forecast.Step(now, 1), gputide.ErrClosed)
	_, err = forecast.Ask(gputide.Sizing{Target: 1, Max: 1})
	is(t, err, gputide.ErrClosed)
	_, err = rightsize.Add(nil)
	is(t, err, gputide.ErrClosed)
	_, err = rightsize.Container("chat")
	is(t, err, gputide.ErrClosed)
	_, err = reader.Next(ctx)
	is(t, err, gputide.ErrClosed)
	equal(t, "its text", err.Error(), "gputide: this LogReader is closed")
}

func TestClosingEndsTheCallsInside(t *testing.T) {
	noneLeft(t)
	address := silentPeer(t)
	source, err := gputide.OpenSource(triggerText(address), nil)
	must(t, err)
	ended := make(chan error, 3)
	for range cap(ended) { // one inside, two that wait for their turn
		go func() { _, err := source.Fetch(context.Background()); ended <- err }()
	}
	time.Sleep(100 * time.Millisecond)
	within(t, time.Second, func() { source.Close() })
	cancelled := 0
	for range cap(ended) {
		switch err := <-ended; {
		case errorIs(err, gputide.ErrCancelled):
			cancelled++
		default:
			is(t, err, gputide.ErrClosed)
		}
	}
	equal(t, "calls that were inside", cancelled, 1)
}

func TestConcurrent(t *testing.T) {
	noneLeft(t)
	t.Run("eight on a policy agree with one", func(t *testing.T) {
		policy := policyOf(t, scaledObject())
		wanted := trajectory(t, policy)
		inParallel(8, func(int) {
			for range 20 {
				equal(t, "trajectory", trajectory(t, policy), wanted)
			}
		})
	})
	t.Run("eight on a scaler and a state take turns", func(t *testing.T) {
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
	})
	t.Run("eight on a forecast and a rightsize take turns", func(t *testing.T) {
		forecast, rightsize := forecastOf(t, ""), rightsizeOf(t, workload, nil)
		inParallel(8, func(worker int) {
			container, err := rightsize.Container(fmt.Sprint("c", worker))
			must(t, err)
			for i := range 100 {
				at := now.Add(time.Duration(i) * time.Minute)
				must(t, forecast.Step(at, float64(i)))
				_, err := forecast.Ask(gputide.Sizing{Target: 5, Reactive: 4, Current: 4, Max: 40})
				must(t, err)
				sample := gputide.Usage(at, 30.5, 5_000_000_000)
				sample.Container = container
				taken, err := rightsize.Add([]gputide.UsageSample{sample})
				must(t, err)
				equal(t, "taken", taken, 1)
			}
		})
	})
	t.Run("eight on a runtime", func(t *testing.T) {
		fleet, err := gputide.NewRuntime(&gputide.RuntimeOptions{EveryDecision: true, StartSpread: time.Millisecond})
		closing(t, fleet, err)
		must(t, fleet.Start())
		ctx, stop := context.WithTimeout(context.Background(), concurrently)
		defer stop()
		inParallel(8, func(worker int) {
			for i := 0; ctx.Err() == nil; i++ {
				id, err := fleet.Add(named(fmt.Sprintf("s%d-%d", worker, i)), nil)
				must(t, err)
				must(t, fleet.Observe(id, gputide.Observation{Current: 3, Samples: gputide.Values(42.5)}))
				if event, err := fleet.NextEvent(ctx); err == nil {
					_ = fleet.Record(event, true) // another goroutine may have removed its scaler
				}
				_, err = fleet.Stats()
				must(t, err)
				must(t, fleet.Remove(id))
			}
		})
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
