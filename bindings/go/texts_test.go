//go:build linux && cgo

package gputide_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gputide "github.com/gputide/gputide/bindings/go"
)

const beyondBMP = "last-𝔘𝔫𝔦-🚀"

func TestNUL(t *testing.T) {
	noneLeft(t)
	_, err := gputide.OpenPolicy([]byte("kind: ScaledObject\nmetadata: {name: \"a\x00b\"}\n"), nil)
	is(t, err, gputide.ErrInvalid)
	var problem *gputide.Error
	if !errorAs(err, &problem) || !strings.Contains(problem.Where, ":2") {
		t.Errorf("the error does not name the line: %v", err)
	}
	for _, options := range []gputide.Options{
		{TextName: "a\x00"}, {Scaler: "\x00"}, {CAFile: "/a\x00b"}, {AllowedPrograms: []string{"a\x00b"}},
		{Files: []gputide.File{{Name: "\x00"}}}, {Kubeconfig: "\x00"},
	} {
		_, err := gputide.OpenScaler(scaledObject(), &options)
		is(t, err, gputide.ErrNUL)
	}
	credential, err := openCredential()
	closing(t, credential, err)
	is(t, credential.Invalidate("a\x00b", "token"), gputide.ErrNUL)
	_, err = credential.Token(t.Context(), "a\x00b")
	is(t, err, gputide.ErrNUL)
	is(t, gputide.Load("/lib\x00/libgputide-full.so.1"), gputide.ErrNUL)
	fleet, err := gputide.NewRuntime(nil)
	closing(t, fleet, err)
	_, err = fleet.Find("default/a\x00")
	is(t, err, gputide.ErrNUL)
	state := stateOf(t, policyOf(t, scaledObject()))
	_, err = state.Decide(gputide.Observation{Current: 1, Samples: []gputide.Sample{{State: gputide.SampleFailed, Message: "\x00"}}})
	is(t, err, gputide.ErrNUL)
	_, err = state.Decide(gputide.Observation{Current: 1, Pods: []gputide.Pod{{Name: "a\x00"}}})
	is(t, err, gputide.ErrNUL)
	series, err := gputide.NewSeries()
	closing(t, series, err)
	is(t, series.Read(0, []byte("time,value\n"), "a\x00"), gputide.ErrNUL)
	_, err = rightsizeOf(t, workload, nil).Container("a\x00b")
	is(t, err, gputide.ErrNUL)
}

func TestBig(t *testing.T) {
	noneLeft(t)
	_, err := gputide.OpenPolicy(append(scaledObject(), bytes.Repeat([]byte(" "), 10<<20)...), nil)
	if !errorIs(err, gputide.ErrLimit) && !errorIs(err, gputide.ErrInvalid) || !strings.Contains(err.Error(), "at most 1048576") {
		t.Errorf("a manifest of 10 MiB: %v", err)
	}
	var text bytes.Buffer
	text.WriteString("time,value\n")
	lines := 0
	for ; text.Len() < 10<<20; lines++ {
		fmt.Fprintf(&text, "%d,%d.25\n", nowMs+int64(lines)*1000, lines%100)
	}
	series, err := gputide.NewSeries()
	closing(t, series, err)
	must(t, series.Read(0, text.Bytes(), ""))
	csv, err := series.Write()
	must(t, err)
	equal(t, "lines", bytes.Count(csv, []byte("\n")), lines+1)
}

func TestUnicode(t *testing.T) {
	noneLeft(t)
	trigger := map[string]any{"type": "values", "name": beyondBMP, "metadata": map[string]any{"threshold": "5"}}
	policy := policyOf(t, scaledObject(map[string]any{"triggers": []any{trigger}}))
	equal(t, "metrics", strings.Join(policy.Metrics(), " "), beyondBMP)
	decision, err := stateOf(t, policy).DecideWithReport(observation(3, 42.5))
	must(t, err)
	lines, err := decision.Explain()
	must(t, err)
	if !strings.Contains(lines, beyondBMP) {
		t.Errorf("the name is not in %s", lines)
	}
	long := map[string]any{"type": strings.Repeat(beyondBMP, 2000), "metadata": map[string]any{}}
	_, err = gputide.OpenPolicy(scaledObject(map[string]any{"triggers": []any{long}}), nil)
	is(t, err, gputide.ErrInvalid)
	if text := err.Error(); !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
		t.Errorf("a message that was cut amid a character: %q", text)
	}
	_, err = gputide.OpenPolicy([]byte("\xff\xfe"), nil)
	is(t, err, gputide.ErrInvalid)
}

func TestAListTakesNoCommas(t *testing.T) {
	_, err := gputide.OpenScaler(scaledObject(), &gputide.Options{AllowedEnvironment: []string{"A,B"}})
	if err == nil || !strings.Contains(err.Error(), "AllowedEnvironment") {
		t.Errorf("got %v", err)
	}
}

func TestATokenDoesNotShowItself(t *testing.T) {
	token := gputide.SecretToken("s3cret", now)
	equal(t, "value", token.Value(), "s3cret")
	var out bytes.Buffer
	slog.New(slog.NewTextHandler(&out, nil)).Info("got", "token", token, "pointer", &token)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("got", "token", token, "pointer", &token)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+" "+verb+"\n", token, &token)
	}
	if strings.Contains(out.String(), "s3cret") || strings.Contains(out.String(), fmt.Sprintf("%x", "s3cret")) {
		t.Errorf("the secret is in %s", out.String())
	}
}

func TestQuantitiesAndClaims(t *testing.T) {
	for text, milli := range map[string]int64{"1500m": 1500, "2Ki": 2_048_000, "0.1": 100, "-3": -3000} {
		got, err := gputide.ParseQuantity(text)
		must(t, err)
		equal(t, text, got, milli)
	}
	_, err := gputide.ParseQuantity("")
	is(t, err, gputide.ErrInvalid)
	claims, err := gputide.TokenClaims("eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x")
	must(t, err)
	equal(t, "claims", string(claims), `{"sub":"me"}`)
	_, err = gputide.TokenClaims("no token")
	is(t, err, gputide.ErrProtocol)
}

func TestDurationsAreRoundedUp(t *testing.T) {
	for given, want := range map[time.Duration]int32{
		0: 0, 1: 1, time.Millisecond: 1, 1500 * time.Microsecond: 2, 30 * 24 * time.Hour: 1<<31 - 1, -1: -1, -1500 * time.Microsecond: -2,
	} {
		equal(t, given.String(), gputide.Milliseconds(given), want)
	}
	_, err := gputide.NewRuntime(&gputide.RuntimeOptions{PollTimeout: -1})
	is(t, err, gputide.ErrInvalid)
}
