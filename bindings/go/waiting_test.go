//go:build linux && cgo

package gputide_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
			t.Errorf("%s: %v is not a deadline", name, err)
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
		if name == "Scaler.Tick" || name == "Doctor" || name == "DoctorCluster" { // their triggers and steps fail, not the call
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

const node = `{"metadata":{"name":"%s"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}`

// kubeconfig names a server, and a caller with the token t.
func kubeconfig(t *testing.T, address string) *gputide.Options {
	t.Helper()
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
  "clusters": [{"name": "c", "cluster": {"server": %q}}], "users": [{"name": "u", "user": {"token": "t"}}]}`, address)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return &gputide.Options{Kubeconfig: path}
}

func TestPagesOfAClusterBecomeAPlan(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, of *http.Request) {
		name, token := "one", `"continue":"2"`
		if of.FormValue("continue") == "2" {
			name, token = "two", ""
		}
		if of.URL.Path != "/api/v1/nodes" || of.Header.Get("Authorization") != "Bearer t" {
			to.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprintf(to, `{"kind":"NodeList","metadata":{%s},"items":[%s]}`, token, fmt.Sprintf(node, name))
	}))
	defer server.Close()
	options := kubeconfig(t, server.URL)
	lists, err := gputide.ListCluster(t.Context(), "/api/v1/nodes", options)
	must(t, err)
	equal(t, "pages", strings.Count(string(lists), "NodeList"), 2)
	plan, err := gputide.PlanNodes(lists, nil, now)
	must(t, err)
	var report struct{ Nodes []json.RawMessage }
	must(t, json.Unmarshal(plan.Report, &report))
	equal(t, "nodes", len(report.Nodes), 2)
	_, err = gputide.ListCluster(t.Context(), "/api/v1/pods", options)
	is(t, err, gputide.ErrForbidden)
	_, err = gputide.ListCluster(t.Context(), "/healthz", options)
	is(t, err, gputide.ErrInvalid)
	_, err = gputide.ListCluster(t.Context(), "/api/v1/\x00", options)
	is(t, err, gputide.ErrNUL)
}

func TestTheDoctorNamesAnAPIServerThatIsNotThere(t *testing.T) {
	options := kubeconfig(t, "http://127.0.0.1:9")
	found, err := gputide.DoctorCluster(t.Context(), []byte("{namespaces: [ml], lease: {namespace: ml}}"), options)
	must(t, err)
	var report struct{ Verdict, Namespace string }
	must(t, json.Unmarshal(found.Report, &report))
	equal(t, "verdict", report.Verdict, "failed")
	equal(t, "namespace", report.Namespace, "ml")
	if !strings.HasPrefix(found.Lines, "http://127.0.0.1:9: fails at step endpoint") {
		t.Errorf("lines: %s", found.Lines)
	}
	_, err = gputide.DoctorCluster(t.Context(), []byte("nope: 1"), options)
	is(t, err, gputide.ErrInvalid)
}

func TestAHandoverThatIsDry(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, of *http.Request) {
		if strings.HasSuffix(of.URL.Path, "/horizontalpodautoscalers") {
			fmt.Fprint(to, `{"kind":"HorizontalPodAutoscalerList","apiVersion":"autoscaling/v2","metadata":{},"items":[]}`)
			return
		}
		fmt.Fprint(to, `{"kind":"ScaledObject","apiVersion":"keda.sh/v1alpha1",
			"metadata":{"name":"llm","namespace":"ml","resourceVersion":"7","finalizers":["finalizer.keda.sh"]}}`)
	}))
	defer server.Close()
	change := json.RawMessage(`{"namespace":"ml","name":"llm","to":"gputide"}`)
	outcome, err := gputide.HandOver(t.Context(), change, kubeconfig(t, server.URL))
	must(t, err)
	var report struct {
		Result string
		Steps  []struct{ Step, State string }
	}
	must(t, json.Unmarshal(outcome, &report))
	equal(t, "result", report.Result, "planned")
	equal(t, "first step", report.Steps[0].State, "planned")
	_, err = gputide.HandOver(t.Context(), json.RawMessage(`{"name":"llm"}`), nil)
	is(t, err, gputide.ErrInvalid)
}

func TestAnAgentPoolOfNoCluster(t *testing.T) {
	credential, err := openCredential()
	closing(t, credential, err)
	_, err = credential.WriteAgentPool(t.Context(), json.RawMessage(`{"cluster":"aks","pool":"gpunp"}`))
	is(t, err, gputide.ErrInvalid)
}
