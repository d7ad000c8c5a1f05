//go:build linux && cgo

package gputide_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const nowMs = 1_795_255_200_000

var now = time.UnixMilli(nowMs).UTC()

// scaledObject is the policy of examples/c/numbers.c; members replace those of its spec.
func scaledObject(members ...map[string]any) []byte {
	spec := map[string]any{
		"scaleTargetRef": map[string]any{"name": "demo"}, "minReplicaCount": 1, "maxReplicaCount": 20,
		"triggers": []any{map[string]any{"type": "values", "metadata": map[string]any{"threshold": "5", "activationThreshold": "2"}}},
	}
	for _, member := range members {
		for name, value := range member {
			spec[name] = value
		}
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": map[string]any{"name": "demo"}, "spec": spec,
	})
	if err != nil {
		panic(err)
	}
	return text
}

func named(name string, members ...map[string]any) []byte {
	return []byte(strings.ReplaceAll(string(scaledObject(members...)), `"demo"`, `"`+name+`"`))
}

func prometheusTrigger(address string) map[string]any {
	metadata := map[string]any{"serverAddress": address, "query": "load", "threshold": "5"}
	return map[string]any{"triggers": []any{map[string]any{"type": "prometheus", "metadata": metadata}}}
}

func triggerText(address string) []byte {
	return fmt.Appendf(nil, "type: prometheus\nmetadata: {serverAddress: %q, query: load, threshold: \"5\"}", address)
}

// prometheus answers /api/v1/query on loopback with one value.
func prometheus(t testing.TB, value float64) *httptest.Server {
	server := httptest.NewServer(answering(value))
	t.Cleanup(server.Close)
	return server
}

func answering(value float64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"job":"load"},"value":[%d,"%g"]}]}}`,
			nowMs/1000, value)
	})
}

// silentPeer takes connections and never says a word.
func silentPeer(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func is(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("got the error %v, want one that is %v", err, target)
	}
}

// failure is the error of a call, for a test that does not look at what else it gives.
func failure[T any](_ T, err error) error { return err }

// noneLeft fails a test that leaves handles open.
func noneLeft(t *testing.T) {
	before := gputide.Alive()
	t.Cleanup(func() { equal(t, "handles left open", gputide.Alive(), before) })
}

// closing ends a handle with the test.
func closing[T interface{ Close() error }](t testing.TB, handle T, err error) T {
	t.Helper()
	must(t, err)
	t.Cleanup(func() { handle.Close() })
	return handle
}

func policyOf(t testing.TB, manifest []byte) *gputide.Policy {
	policy, err := gputide.OpenPolicy(manifest, nil)
	return closing(t, policy, err)
}

func stateOf(t testing.TB, policy *gputide.Policy) *gputide.State {
	state, err := policy.NewState(time.Time{})
	return closing(t, state, err)
}

func observation(current int32, values ...float64) gputide.Observation {
	return gputide.Observation{Current: current, Samples: gputide.Values(values...), Now: now}
}

// openCredential gives one that sends no request before it is asked for a token.
func openCredential() (*gputide.Credential, error) {
	return gputide.OpenCredential([]byte("provider: azure-cli"), &gputide.Options{AllowedPrograms: []string{"az"}})
}

// eventually waits until something is so, or the limit has passed.
func eventually(limit time.Duration, so func() bool) {
	for end := time.Now().Add(limit); !so() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// within fails a test if its function takes longer.
func within(t testing.TB, limit time.Duration, run func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); run() }()
	select {
	case <-done:
	case <-time.After(limit):
		buffer := make([]byte, 1<<16)
		t.Fatalf("still running after %v:\n%s", limit, buffer[:runtime.Stack(buffer, true)])
	}
}

// again runs this test program as another process, in which the function of programs by that name is main.
func again(t testing.TB, program string, environment ...string) (output string, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
	defer stop()
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(append(os.Environ(), "GPUTIDE_TEST_PROGRAM="+program), environment...)
	text, err := command.CombinedOutput()
	return string(text), err
}

func TestMain(m *testing.M) {
	if program, ok := programs[os.Getenv("GPUTIDE_TEST_PROGRAM")]; ok {
		program()
		return
	}
	os.Exit(m.Run())
}

// programs are run by again.
var programs = map[string]func(){}

func errorIs(err, target error) bool { return errors.Is(err, target) }

func errorAs[T error](err error, target *T) bool { return errors.As(err, target) }
