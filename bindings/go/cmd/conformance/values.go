package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	gputide "github.com/gputide/gputide/bindings/go"
)

// An object is JSON's, with the C names of arguments and members.
type object map[string]any

func (o object) has(name string) bool { _, ok := o[name]; return ok }

func (o object) list(name string) []object {
	given, ok := o[name].([]any)
	if !ok && o.has(name) {
		panic(fault{name + ": expected a list"})
	}
	out := make([]object, len(given))
	for i, one := range given {
		if out[i], ok = asObject(one); !ok {
			panic(fault{name + ": expected objects"})
		}
	}
	return out
}

func (o object) inner(name string) object {
	inner, ok := asObject(o[name])
	if !ok && o.has(name) {
		panic(fault{name + ": expected an object"})
	}
	return inner
}

func asObject(value any) (object, bool) {
	plain, ok := value.(map[string]any)
	return plain, ok
}

func (o object) flag(name string) bool { return o[name] == true }

func (o object) integer(name string) int64 {
	if !o.has(name) {
		return 0
	}
	return integerIn(o[name])
}

func (o object) unsigned(name string) uint64 {
	if !o.has(name) {
		return 0
	}
	value, err := strconv.ParseUint(fmt.Sprint(o[name]), 10, 64)
	if err != nil {
		panic(fault{fmt.Sprintf("%s: expected an integer, got %v", name, o[name])})
	}
	return value
}

func integerIn(value any) int64 {
	out, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	if err != nil {
		panic(fault{fmt.Sprintf("expected an integer, got %v", value)})
	}
	return out
}

func (o object) integers(name string) []int64 {
	given, _ := o[name].([]any)
	out := make([]int64, len(given))
	for i, one := range given {
		out[i] = integerIn(one)
	}
	return out
}

func (o object) reals(name string) []float64 {
	given, _ := o[name].([]any)
	out := make([]float64, len(given))
	for i, one := range given {
		out[i] = realIn(one)
	}
	return out
}

func realIn(value any) float64 {
	switch value {
	case "NaN":
		return math.NaN()
	case "+Inf":
		return math.Inf(1)
	case "-Inf":
		return math.Inf(-1)
	}
	plain, ok := value.(json.Number)
	out, err := plain.Float64()
	if !ok || err != nil {
		panic(fault{fmt.Sprintf("expected a number, got %v", value)})
	}
	return out
}

func (o object) real(name string) float64 {
	if !o.has(name) {
		return 0
	}
	return realIn(o[name])
}

// text is a text's bytes: as JSON has it, or {"b64":...}.
func (o object) text(name string) []byte {
	switch value := o[name].(type) {
	case nil:
		return nil
	case string:
		return []byte(value)
	case map[string]any:
		raw, _ := value["b64"].(string)
		out, err := base64.StdEncoding.DecodeString(raw)
		if err == nil {
			return out
		}
	}
	panic(fault{fmt.Sprintf("%s: expected a text, got %v", name, o[name])})
}

func (o object) word(name string) string { return string(o.text(name)) }

func (o object) moment(name string) time.Time { return time.UnixMilli(o.integer(name)) }

func (o object) moments(name string) []time.Time {
	out := []time.Time{}
	for _, ms := range o.integers(name) {
		out = append(out, time.UnixMilli(ms))
	}
	return out
}

func (o object) duration(name string) time.Duration {
	return time.Duration(o.integer(name)) * time.Millisecond
}

func (o object) options() *gputide.Options {
	given := o.inner("options")
	if given == nil {
		return nil
	}
	flags := given.integer("flags")
	if flags>>6 != 0 {
		panic(fault{fmt.Sprintf("flags: %d has bits without a name", flags)})
	}
	options := &gputide.Options{
		AllowEnvironment: flags&1 != 0, AllowPlainHTTP: flags&2 != 0, AllowCustomAuthority: flags&4 != 0,
		EnableAzureProxy: flags&8 != 0, Strict: flags&16 != 0, VerifiedPeers: flags&32 != 0,
		TextName: given.word("text_name"), Scaler: given.word("scaler"), SecretsDir: given.word("secrets_dir"),
		CAFile: given.word("ca_file"), CAPEM: given.text("ca_pem"), Proxy: given.word("proxy"), UserAgent: given.word("user_agent"),
		Kubeconfig: given.word("kubeconfig"), KubeContext: given.word("kube_context"), ServiceAccountDir: given.word("service_account_dir"),
		AllowedEnvironment: given.names("allowed_environment"), AllowedTokenHosts: given.names("allowed_token_hosts"),
		AllowedPrograms: given.names("allowed_programs"),
	}
	for _, one := range given.list("files") {
		options.Files = append(options.Files, gputide.File{Name: one.word("name"), Text: one.text("text")})
	}
	return options
}

func (o object) names(name string) []string {
	if !o.has(name) {
		return nil
	}
	return strings.Split(o.word(name), ",")
}

func (o object) runtimeOptions() *gputide.RuntimeOptions {
	given := o.inner("options")
	flags := given.integer("flags")
	return &gputide.RuntimeOptions{
		EveryDecision: flags&1 != 0, Reports: flags&2 != 0, NoSharing: flags&4 != 0, ObserveFirst: flags&8 != 0,
		Seed: given.unsigned("seed"), PollTimeout: given.duration("poll_timeout_ms"), StartSpread: given.duration("start_spread_ms"),
		ShareWindow: given.duration("share_window_ms"), MostInFlight: int(given.integer("most_in_flight")),
		MostPerEndpoint: int(given.integer("most_per_endpoint")), BreakerFailures: int(given.integer("breaker_failures")),
		BreakerBase: given.duration("breaker_base_ms"), BreakerCap: given.duration("breaker_cap_ms"), Gather: given.duration("gather_ms"),
	}
}

func (o object) samples(name string) []gputide.Sample {
	var out []gputide.Sample
	for _, one := range o.list(name) {
		sample := gputide.Sample{
			State: gputide.SampleState(one.integer("state")), Status: gputide.Status(one.integer("status")), Time: one.moment("time_ms"),
			Message: one.word("message"), NullAsZero: one.integer("flags") != 0,
		}
		if one.has("value") {
			sample.Value = realIn(one["value"])
			if !one.has("state") {
				sample.State = gputide.SampleOK
			}
		}
		out = append(out, sample)
	}
	return out
}

func (o object) usage(name string) []gputide.UsageSample {
	var out []gputide.UsageSample
	for _, one := range o.list(name) {
		const busyTold, memoryTold, ranOut = 1, 2, 4
		flags := one.integer("flags")
		if flags>>3 != 0 || flags&(memoryTold|ranOut) == memoryTold|ranOut {
			panic(fault{fmt.Sprintf("flags: %d is not for this module to say", flags)})
		}
		sample := gputide.UsageSample{
			Time: one.moment("time_ms"), Container: gputide.Container(one.unsigned("container")), Unit: int(one.integer("unit")),
			OutOfMemory: flags&ranOut != 0,
		}
		if flags&busyTold != 0 {
			busy := one.real("busy")
			sample.Busy = &busy
		}
		if flags&(memoryTold|ranOut) != 0 {
			memory := one.integer("memory_bytes")
			sample.MemoryBytes = &memory
		}
		out = append(out, sample)
	}
	return out
}

func (o object) seen() gputide.Observation {
	given := o.inner("seen")
	flags := given.integer("flags")
	seen := gputide.Observation{
		Current: int32(given.integer("current_replicas")), Samples: given.samples("samples"), Now: given.moment("now_ms"),
		StatusReplicas: given.replicas("status_replicas", flags&1 != 0), ReadyReplicas: given.replicas("ready_replicas", flags&2 != 0),
		Unreadable: flags&4 != 0,
	}
	for _, one := range given.list("pods") {
		seen.Pods = append(seen.Pods, gputide.Pod{
			Name: one.word("name"), Phase: gputide.PodPhase(one.integer("phase")), Ready: gputide.Readiness(one.integer("ready")),
			Deleting: one.integer("deleting") != 0, StartTime: one.moment("start_time_ms"), ReadyChangeTime: one.moment("ready_change_time_ms"),
		})
	}
	for _, one := range given.list("pod_samples") {
		seen.PodSamples = append(seen.PodSamples, gputide.PodSample{
			Metric: int(one.integer("metric")), Pod: int(one.integer("pod")), ValueMilli: one.integer("value_milli"),
			RequestMilli: one.integer("request_milli"), Time: one.moment("time_ms"),
			Window: time.Duration(one.integer("window_s")) * time.Second,
		})
	}
	return seen
}

// replicas is a count that may be absent: 0 without its flag.
func (o object) replicas(name string, said bool) *int32 {
	count := int32(o.integer(name))
	if count == 0 && !said {
		return nil
	}
	return &count
}

func (o object) headers() http.Header {
	headers := http.Header{}
	for _, line := range strings.Split(strings.ReplaceAll(o.word("headers"), "\r\n", "\n"), "\n") {
		if name, value, found := strings.Cut(line, ":"); found {
			headers.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return headers
}

// ---- results

const exact = int64(1) << 53 // integers beyond it are texts

func integerOut(value int64) any {
	if value < -exact || value > exact {
		return strconv.FormatInt(value, 10)
	}
	return value
}

func unsignedOut[T ~uint64](value T) any {
	if uint64(value) > uint64(exact) {
		return strconv.FormatUint(uint64(value), 10)
	}
	return value
}

func realOut(value float64) any {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "+Inf"
	case math.IsInf(value, -1):
		return "-Inf"
	}
	return value
}

func textOut(text []byte) any {
	if !utf8.Valid(text) {
		return object{"b64": base64.StdEncoding.EncodeToString(text)}
	}
	return string(text)
}

func momentOut(moment time.Time) int64 {
	if moment.IsZero() {
		return 0
	}
	return moment.UnixMilli()
}

func number(value bool) int {
	if value {
		return 1
	}
	return 0
}

func sampleOut(sample gputide.Sample) object {
	return object{
		"state": sample.State, "status": sample.Status, "flags": number(sample.NullAsZero), "value": realOut(sample.Value),
		"time_ms": integerOut(momentOut(sample.Time)),
	}
}

func decisionOut(decision *gputide.Decision) object {
	conditions := make([]object, 16) // GPUTIDE_CONDITION_ROOM
	for i := range conditions {
		one := decision.Condition(gputide.Condition(i))
		conditions[i] = object{"truth": one.Truth, "reason": one.Reason, "since_ms": integerOut(momentOut(one.Since))}
	}
	return object{
		"flags": decision.Flags(), "id": unsignedOut(decision.ID), "now_ms": integerOut(momentOut(decision.Now)),
		"next_due_ms": integerOut(momentOut(decision.NextDue)), "current_replicas": decision.Current, "desired_replicas": decision.Desired,
		"proposed_replicas": decision.Proposed, "limited_by": decision.LimitedBy, "source": decision.Source, "winner": decision.Winner,
		"failed_metric": decision.FailedMetric, "event": decision.Event, "conditions": conditions,
	}
}

func eventOut(event *gputide.Event) object {
	return object{
		"kind": event.Kind, "id": unsignedOut(event.ID), "tag": unsignedOut(event.Tag), "sequence": unsignedOut(event.Sequence),
		"observed_ms": integerOut(momentOut(event.Observed)), "replaced": event.Replaced, "name": event.Name,
	}
}

func floorOut(floor gputide.Floor) object {
	return object{
		"state": floor.State, "reason": floor.Reason, "replicas": floor.Replicas, "need_replicas": floor.Need,
		"floor_load": realOut(floor.Load),
	}
}

func summaryOut(plan *gputide.NodesPlan) object {
	return object{
		"errors": plan.Errors, "warnings": plan.Warnings, "nodes_to_add": integerOut(plan.NodesToAdd),
		"nodes_to_remove": integerOut(plan.NodesToRemove), "pods_pending": integerOut(plan.PodsPending),
		"pods_on_existing": integerOut(plan.PodsOnExisting), "pods_on_new": integerOut(plan.PodsOnNew),
		"pods_left": integerOut(plan.PodsLeft),
	}
}
