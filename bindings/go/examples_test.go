//go:build linux && cgo

package gputide_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// built gives an example as a program.
func built(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if output, err := exec.Command("go", "build", "-o", program, "./examples/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return program
}

func run(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	output, err := exec.CommandContext(ctx, program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return string(output)
}

func TestShort(t *testing.T) {
	source, err := os.ReadFile("examples/first/main.go")
	must(t, err)
	_, rest, _ := strings.Cut(string(source), "func main() {\n")
	body, _, _ := strings.Cut(rest, "\n}\n")
	if lines := strings.Count(body, "\n") + 3; lines > 15 {
		t.Errorf("the first program's main has %d lines", lines)
	}
	readme, err := os.ReadFile("README.md")
	must(t, err)
	if !strings.Contains(string(readme), "func main() {\n"+body+"\n}\n") {
		t.Error("the README's first program is another one")
	}
	manifest := filepath.Join(t.TempDir(), "so.json")
	must(t, os.WriteFile(manifest, scaledObject(prometheusTrigger(prometheus(t, 42.5).URL)), 0o600))
	equal(t, "its output", run(t, built(t, "first"), manifest), "3 -> 6 scale_up_limit\n")
}

func TestNumbersAlone(t *testing.T) {
	lines := strings.Split(run(t, built(t, "numbers")), "\n")
	equal(t, "first", lines[0], "3 -> 6 (proposed 9, limited by scale_up_limit)")
	equal(t, "second", lines[1], "6 -> 9 (proposed 9, limited by none)")
	if !strings.Contains(strings.Join(lines, "\n"), "\nTrace:\n") {
		t.Errorf("no trace in %v", lines)
	}
}

func TestAFleet(t *testing.T) {
	values := map[string]float64{"chat": 30, "embed": 9, "rerank": 2}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range values {
			if strings.Contains(r.FormValue("query"), name) {
				answering(value).ServeHTTP(w, r)
			}
		}
	}))
	defer server.Close()
	output := run(t, built(t, "fleet"), server.URL, "4s")
	for name, size := range map[string]int{"chat": 8, "embed": 3} {
		if line := fmt.Sprintf("default/%s now has %d replicas\n", name, size); !strings.Contains(output, line) {
			t.Errorf("%q is not in:\n%s", line, output)
		}
	}
	if strings.Contains(output, "rerank") || !strings.HasSuffix(output, " polls\n") {
		t.Errorf("output:\n%s", output)
	}
}

// The text that go doc shows.

func ExampleState_DecideValues() {
	policy, err := gputide.OpenPolicy([]byte(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  triggers: [{type: values, metadata: {threshold: "5"}}]
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer policy.Close()
	state, err := policy.NewState(time.Time{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer state.Close()
	decision, err := state.DecideValues(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), 3, 42.5)
	fmt.Println(decision, err)
	// Output: 3 -> 6 (proposed 9, limited by scale_up_limit) <nil>
}

func ExampleCheckManifest() {
	findings, err := gputide.CheckManifest([]byte(`{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject"}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(findings.Err.Status, json.Valid(findings.Report))
	// Output: E_INVALID true
}
