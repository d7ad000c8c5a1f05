package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func (o object) options() *gputide.Options {
	given := o.inner("options")
	if given == nil {
		return nil
	}
	flags := given.integer("flags")
	if flags>>7 != 0 {
		panic(fault{fmt.Sprintf("flags: %d has bits without a name", flags)})
	}
	options := &gputide.Options{
		AllowEnvironment: flags&1 != 0, AllowPlainHTTP: flags&2 != 0, AllowCustomAuthority: flags&4 != 0,
		EnableAzureProxy: flags&8 != 0, Strict: flags&16 != 0, VerifiedPeers: flags&32 != 0,
		AllowUnverifiedPeers: flags&64 != 0,
		TextName:             given.word("text_name"), Scaler: given.word("scaler"), SecretsDir: given.word("secrets_dir"),
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

func (o object) seen() gputide.Observation {
	given := o.inner("seen")
	flags := given.integer("flags")
	return gputide.Observation{
		Current: int32(given.integer("current_replicas")), Samples: given.samples("samples"), Now: given.moment("now_ms"),
		StatusReplicas: given.replicas("status_replicas", flags&1 != 0), ReadyReplicas: given.replicas("ready_replicas", flags&2 != 0),
		Unreadable: flags&4 != 0, Message: given.word("message"), Pods: given.pods("pods", flags&8 != 0),
		PodSamples: given.podSamples("pod_samples"),
	}
}

// replicas is a count that may be absent: where it is not given, 0 is none.
func (o object) replicas(name string, given bool) *int32 {
	count := int32(o.integer(name))
	if count == 0 && !given {
		return nil
	}
	return &count
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

func (o object) pods(name string, listed bool) []gputide.Pod {
	var out []gputide.Pod
	if listed {
		out = []gputide.Pod{}
	}
	for _, one := range o.list(name) {
		out = append(out, gputide.Pod{
			Name: one.word("name"), Phase: gputide.PodPhase(one.integer("phase")), Ready: gputide.Readiness(one.integer("ready")),
			Deleting: one.integer("deleting") != 0, StartTime: one.moment("start_time_ms"), ReadyChangeTime: one.moment("ready_change_time_ms"),
		})
	}
	return out
}

func (o object) podSamples(name string) []gputide.PodSample {
	var out []gputide.PodSample
	for _, one := range o.list(name) {
		out = append(out, gputide.PodSample{
			Metric: int(one.integer("metric")), Pod: int(one.integer("pod")), ValueMilli: one.integer("value_milli"),
			RequestMilli: one.integer("request_milli"), Time: one.moment("time_ms"),
			Window: time.Duration(one.integer("window_s")) * time.Second, Container: one.word("container"),
		})
	}
	return out
}

func (o object) usage(name string) []gputide.UsageSample {
	var out []gputide.UsageSample
	for _, one := range o.list(name) {
		out = append(out, one.usageSample())
	}
	return out
}

func (o object) usageSample() gputide.UsageSample {
	const hasBusy, hasMemory, outOfMemory = 1, 2, 4
	flags := o.integer("flags")
	if flags>>3 != 0 || flags&(hasMemory|outOfMemory) == hasMemory|outOfMemory {
		panic(fault{fmt.Sprintf("flags: %d is not for this module to say", flags)})
	}
	sample := gputide.UsageSample{
		Time: o.moment("time_ms"), Container: gputide.Container(o.unsigned("container")), Unit: int(o.integer("unit")),
		OutOfMemory: flags&outOfMemory != 0,
	}
	if flags&hasBusy != 0 {
		busy := o.real("busy")
		sample.Busy = &busy
	}
	if flags&(hasMemory|outOfMemory) != 0 {
		memory := o.integer("memory_bytes")
		sample.MemoryBytes = &memory
	}
	return sample
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
