//go:build linux && cgo

package gputide_test

import (
	"context"
	"io"
	"math/rand/v2"
	"runtime"
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
		for i, one := range handles {
			if i%5 != 0 { // the others are the collector's
				one.Close()
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
