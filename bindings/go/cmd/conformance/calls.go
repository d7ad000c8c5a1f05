package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	gputide "github.com/gputide/gputide/bindings/go"
)

// Each call of protocol 1 under its C function's name without gputide_, the first underscore a dot, as a user of this module would
// write it.
var calls = map[string]func(*call) error{}

func register(tables ...map[string]func(*call) error) bool {
	for _, table := range tables {
		for name, run := range table {
			calls[name] = run
		}
	}
	return true
}

var _ = register(libraryCalls, credentialCalls, sourceCalls, policyCalls, scalerCalls, runtimeCalls, replayCalls, forecastCalls,
	nodesCalls, rightsizeCalls, jobsCalls)

// spelled gives the name of a number.
func spelled[T interface {
	~int32
	fmt.Stringer
}](role string) func(*call) error {
	return func(c *call) error { return gives(c, "name", T(c.integer(role)).String(), nil) }
}

// textOf gives a text as a member.
func textOf[T ~[]byte](c *call, member string, text T, err error) error {
	return gives(c, member, textOut(text), err)
}

var libraryCalls = map[string]func(*call) error{
	"version": func(c *call) error {
		version, err := gputide.LibraryVersion()
		return gives(c, "version", version, err)
	},
	"version.number": func(c *call) error {
		number, err := gputide.LibraryVersionNumber()
		return gives(c, "number", number, err)
	},
	"abi.version":       func(c *call) error { return gives(c, "number", gputide.ABIVersion, nil) },
	"features":          features,
	"build.info":        func(c *call) error { info, err := gputide.BuildInfo(); return textOf(c, "json", info, err) },
	"status.name":       spelled[gputide.Status]("status"),
	"action.name":       spelled[gputide.Action]("action"),
	"sample.state_name": spelled[gputide.SampleState]("state"),
	"limit.name":        spelled[gputide.Limit]("limit"),
	"condition.name":    spelled[gputide.Condition]("condition"),
	"reason.name":       spelled[gputide.Reason]("reason"),
	"event.name":        spelled[gputide.ScaleEvent]("event"),
	"event.kind_name":   spelled[gputide.EventKind]("kind"),
	"quantity": func(c *call) error {
		milli, err := gputide.ParseQuantity(c.word("text"))
		return gives(c, "milli", integerOut(milli), err)
	},
}

func features(c *call) error {
	found, err := gputide.LibraryFeatures()
	return gives(c, "features", number(found.YAML)|number(found.HTTP2)<<1, err)
}

var credentialCalls = map[string]func(*call) error{
	"credential.open": func(c *call) error {
		credential, err := gputide.OpenCredential(c.text("text"), c.options())
		return opens(c, credential, err)
	},
	"credential.token": token,
	"credential.invalidate": func(c *call) error {
		return named[*gputide.Credential](c, "credential").Invalidate(c.word("scope"), c.word("token"))
	},
	"token.claims": func(c *call) error {
		claims, err := gputide.TokenClaims(c.word("token"))
		return textOf(c, "json", claims, err)
	},
}

func token(c *call) error {
	ctx, stop := c.context()
	defer stop()
	token, err := named[*gputide.Credential](c, "credential").Token(ctx, c.word("scope"))
	if err != nil {
		return err
	}
	c.result["token"] = token.Value()
	c.result["info"] = object{
		"expires_at_ms": integerOut(momentOut(token.Expires)), "refresh_at_ms": integerOut(momentOut(token.Refresh)),
		"usable_until_ms": integerOut(momentOut(token.UsableUntil)),
	}
	return nil
}

func source(c *call) *gputide.Source { return named[*gputide.Source](c, "source") }

func samples(c *call) *gputide.Samples { return named[*gputide.Samples](c, "samples") }

var sourceCalls = map[string]func(*call) error{
	"source.open": func(c *call) error {
		source, err := gputide.OpenSource(c.text("text"), c.options())
		return opens(c, source, err)
	},
	"source.fetch": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		sample, err := source(c).FetchAt(ctx, c.moment("now_ms"))
		return read(c, sample, err)
	},
	"source.fetch_all": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		samples, err := source(c).FetchAllAt(ctx, c.moment("now_ms"))
		return opens(c, samples, err)
	},
	"source.parse": func(c *call) error {
		sample, err := source(c).Parse(int(c.integer("http_status")), c.text("body"))
		return read(c, sample, err)
	},
	"source.parse_all": func(c *call) error {
		samples, err := source(c).ParseAll(int(c.integer("http_status")), c.headers(), c.text("body"))
		return opens(c, samples, err)
	},
	"source.request": func(c *call) error {
		request, err := source(c).Request(c.moment("now_ms"))
		return textOf(c, "json", request, err)
	},
	"source.describe": func(c *call) error { json, err := source(c).Describe(); return textOf(c, "json", json, err) },
	"samples.count":   func(c *call) error { return gives(c, "count", samples(c).Len(), nil) },
	"samples.get": func(c *call) error {
		sample, err := samples(c).At(int(c.integer("index")))
		return gives(c, "sample", sampleOut(sample), err)
	},
	"samples.labels":   labels,
	"samples.describe": func(c *call) error { json, err := samples(c).Describe(); return textOf(c, "json", json, err) },
}

// read gives the sample of a read, also of one that failed.
func read(c *call, sample gputide.Sample, err error) error {
	var problem *gputide.Error
	if errors.As(err, &problem) && problem.Sample != nil {
		c.result["sample"] = sampleOut(*problem.Sample)
	}
	return gives(c, "sample", sampleOut(sample), err)
}

var policyCalls = map[string]func(*call) error{
	"policy.open": func(c *call) error {
		policy, err := gputide.OpenPolicy(c.text("text"), c.options())
		return opens(c, policy, err)
	},
	"policy.metric_count": func(c *call) error { return gives(c, "count", len(c.policy().Metrics()), nil) },
	"policy.metric_name":  func(c *call) error { return gives(c, "name", metric(c, c.policy().Metrics()), nil) },
	"policy.describe":     func(c *call) error { json, err := c.policy().Describe(); return textOf(c, "json", json, err) },
	"state.new": func(c *call) error {
		state, err := c.policy().NewState(c.moment("created_ms"))
		return c.opensState(state, c.word("policy"), err)
	},
	"state.clone": func(c *call) error {
		state, err := named[*gputide.State](c, "state").Clone()
		return c.opensState(state, c.line.policies[c.word("state")], err)
	},
	"state.load": loadState,
	"state.save": func(c *call) error {
		text, err := named[*gputide.State](c, "state").Save()
		return textOf(c, "text", text, err)
	},
	"state.describe": func(c *call) error {
		json, err := named[*gputide.State](c, "state").Describe()
		return textOf(c, "json", json, err)
	},
	"state.record": func(c *call) error {
		decision := named[*gputide.Decision](c, "decision")
		err := named[*gputide.State](c, "state").RecordAt(decision, c.integer("applied") != 0, c.moment("now_ms"))
		return c.recorded(decision, err)
	},
	"decide": func(c *call) error {
		state := named[*gputide.State](c, "state")
		if c.flag("report") {
			return c.decided(state.DecideWithReport(c.seen()))
		}
		return c.decided(state.Decide(c.seen()))
	},
	"decide.values": func(c *call) error {
		state := named[*gputide.State](c, "state")
		return c.decided(state.DecideValues(c.moment("now_ms"), int32(c.integer("current_replicas")), c.reals("values")...))
	},
	"trace.render": func(c *call) error {
		lines, err := gputide.RenderReport(c.text("report"))
		return gives(c, "lines", lines, err)
	},
}

func labels(c *call) error {
	found := samples(c).Labels(int(c.integer("index")))
	if found == nil {
		return gives(c, "labels", nil, nil)
	}
	return gives(c, "labels", found, nil)
}

func metric(c *call, names []string) any {
	index := c.integer("index")
	if index < 0 || index >= int64(len(names)) {
		return nil
	}
	return names[index]
}

func (c *call) opensState(state *gputide.State, policy string, err error) error {
	if err == nil {
		c.line.policies[c.as()] = policy
	}
	return opens(c, state, err)
}

func loadState(c *call) error {
	load := c.policy().LoadState
	if c.integer("flags")&1 != 0 { // GPUTIDE_STATE_UNCHECKED
		load = func(text []byte) (*gputide.State, error) { return c.policy().LoadStateUnchecked(text) }
	}
	state, err := load(c.text("text"))
	return c.opensState(state, c.word("policy"), err)
}

func scaler(c *call) *gputide.Scaler { return named[*gputide.Scaler](c, "scaler") }

var scalerCalls = map[string]func(*call) error{
	"scaler.open": func(c *call) error {
		scaler, err := gputide.OpenScaler(c.text("manifest"), c.options())
		return opens(c, scaler, err)
	},
	"scaler.metric_count": func(c *call) error { return gives(c, "count", len(scaler(c).Metrics()), nil) },
	"scaler.metric_name":  func(c *call) error { return gives(c, "name", metric(c, scaler(c).Metrics()), nil) },
	"scaler.tick": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		if c.flag("report") {
			return c.decided(scaler(c).TickWithReport(ctx, c.seen()))
		}
		return c.decided(scaler(c).Tick(ctx, c.seen()))
	},
	"scaler.fetch": fetch,
	"scaler.decide": func(c *call) error {
		if c.flag("report") {
			return c.decided(scaler(c).DecideWithReport(c.seen()))
		}
		return c.decided(scaler(c).Decide(c.seen()))
	},
	"scaler.record": func(c *call) error {
		decision := named[*gputide.Decision](c, "decision")
		return c.recorded(decision, scaler(c).RecordAt(decision, c.integer("applied") != 0, c.moment("now_ms")))
	},
	"scaler.conditions": func(c *call) error { json, err := scaler(c).Conditions(); return textOf(c, "json", json, err) },
	"scaler.metrics":    func(c *call) error { json, err := scaler(c).LastMetrics(); return textOf(c, "json", json, err) },
	"scaler.describe":   func(c *call) error { json, err := scaler(c).Describe(); return textOf(c, "json", json, err) },
	"scaler.save":       func(c *call) error { text, err := scaler(c).Save(); return textOf(c, "text", text, err) },
	"scaler.load":       func(c *call) error { return scaler(c).Load(c.text("text")) },
	"manifest.check":    check,
	"doctor":            doctor,
}

func fetch(c *call) error {
	ctx, stop := c.context()
	defer stop()
	samples, err := scaler(c).FetchAt(ctx, c.moment("now_ms"))
	out := []object{}
	for _, one := range samples {
		out = append(out, sampleOut(one))
	}
	return gives(c, "samples", out, err)
}

func check(c *call) error {
	findings, err := gputide.CheckManifest(c.text("manifest"), c.options())
	if err != nil {
		return err
	}
	if findings.Report != nil {
		c.result["report"] = textOut(findings.Report)
		c.result["lines"] = findings.Lines
	}
	if findings.Err != nil {
		return findings.Err
	}
	return nil
}

func doctor(c *call) error {
	ctx, stop := c.context()
	defer stop()
	var seen *gputide.Observation
	if c.has("seen") {
		given := c.seen()
		seen = &given
	}
	found, err := gputide.Doctor(ctx, c.text("manifest"), c.options(), seen)
	if err != nil {
		return err
	}
	c.result["report"] = textOut(found.Report)
	c.result["lines"] = found.Lines
	return nil
}

func runtimeOf(c *call) *gputide.Runtime { return named[*gputide.Runtime](c, "runtime") }

func id(c *call) gputide.ScalerID { return gputide.ScalerID(c.unsigned("id")) }

var runtimeCalls = map[string]func(*call) error{
	"runtime.new": func(c *call) error {
		runtime, err := gputide.NewRuntime(c.runtimeOptions())
		return opens(c, runtime, err)
	},
	"runtime.add": func(c *call) error {
		id, err := runtimeOf(c).AddTagged(c.text("manifest"), c.options(), c.unsigned("tag"))
		return gives(c, "id", unsignedOut(id), err)
	},
	"runtime.replace": func(c *call) error {
		if c.has("tag") {
			return runtimeOf(c).ReplaceTagged(id(c), c.text("manifest"), c.options(), c.unsigned("tag"))
		}
		return runtimeOf(c).Replace(id(c), c.text("manifest"), c.options())
	},
	"runtime.remove": func(c *call) error { return runtimeOf(c).Remove(id(c)) },
	"runtime.find": func(c *call) error {
		id, err := runtimeOf(c).Find(c.word("name"))
		return gives(c, "id", unsignedOut(id), err)
	},
	"runtime.next_scaler": func(c *call) error {
		id, err := runtimeOf(c).NextScaler(gputide.ScalerID(c.unsigned("after_id")))
		return gives(c, "id", unsignedOut(id), err)
	},
	"runtime.observe":    func(c *call) error { return runtimeOf(c).Observe(id(c), c.seen()) },
	"runtime.push":       func(c *call) error { return runtimeOf(c).Push(id(c), c.samples("samples")) },
	"runtime.next_event": nextEvent,
	"runtime.record": func(c *call) error {
		decision := named[*gputide.Decision](c, "decision")
		return c.recorded(decision, runtimeOf(c).RecordAt(id(c), decision, c.integer("applied") != 0, c.moment("now_ms")))
	},
	"runtime.save":           func(c *call) error { text, err := runtimeOf(c).Save(id(c)); return textOf(c, "text", text, err) },
	"runtime.load":           func(c *call) error { return runtimeOf(c).Load(id(c), c.text("text")) },
	"runtime.describe":       func(c *call) error { json, err := runtimeOf(c).Describe(id(c)); return textOf(c, "json", json, err) },
	"runtime.stats":          func(c *call) error { json, err := runtimeOf(c).Stats(); return textOf(c, "json", json, err) },
	"runtime.attach_cluster": func(c *call) error { return runtimeOf(c).AttachCluster([]byte(c.text("settings")), c.options()) },
	"runtime.detach_cluster": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		return runtimeOf(c).DetachCluster(ctx)
	},
	"runtime.describe_cluster": func(c *call) error {
		json, err := runtimeOf(c).DescribeCluster()
		return textOf(c, "json", json, err)
	},
	"runtime.start": func(c *call) error { return runtimeOf(c).Start() },
	"runtime.stop": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		return runtimeOf(c).Stop(ctx)
	},
	"runtime.close": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		return runtimeOf(c).Shutdown(ctx)
	},
	"runtime.step": func(c *call) error {
		next, err := runtimeOf(c).Step(c.moment("now_ms"))
		if next.IsZero() {
			return gives(c, "next_ms", integerOut(math.MaxInt64), err)
		}
		return gives(c, "next_ms", integerOut(momentOut(next)), err)
	},
	"runtime.wake_fd": func(c *call) error { fd, err := runtimeOf(c).WakeFD(); return gives(c, "fd", fd, err) },
}

func nextEvent(c *call) error {
	ctx, stop := c.context()
	defer stop()
	take := func() (*gputide.Event, error) { return runtimeOf(c).NextEvent(ctx) }
	if c.integer("timeout_ms") == 0 {
		take = runtimeOf(c).TakeEvent
	}
	event, err := take()
	if errors.Is(err, context.DeadlineExceeded) || (event == nil && err == nil) {
		return &gputide.Error{Status: gputide.StatusNoData, Message: "no event came in time"}
	}
	if err != nil {
		return err
	}
	c.result["event"] = eventOut(event)
	return c.decided(event.Decision, nil)
}

func series(c *call) *gputide.Series { return named[*gputide.Series](c, "series") }

func replay(c *call) *gputide.Replay { return named[*gputide.Replay](c, "replay") }

var replayCalls = map[string]func(*call) error{
	"series.new": func(c *call) error { series, err := gputide.NewSeries(); return opens(c, series, err) },
	"series.add": func(c *call) error {
		return series(c).Add(int(c.integer("metric")), c.moments("times_ms"), c.reals("values"))
	},
	"series.add_replicas": func(c *call) error {
		var replicas []int32
		for _, one := range c.integers("replicas") {
			replicas = append(replicas, int32(one))
		}
		return series(c).AddReplicas(c.moments("times_ms"), replicas)
	},
	"series.read": func(c *call) error {
		if metric := c.integer("metric"); metric != math.MaxUint32 {
			return series(c).Read(int(metric), c.text("text"), c.word("scaler"))
		}
		return series(c).ReadReplicas(c.text("text"), c.word("scaler"))
	},
	"series.fetch": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		return series(c).Fetch(ctx, scaler(c), int(c.integer("metric")), c.moment("from_ms"), c.moment("to_ms"), c.duration("step_ms"))
	},
	"series.write":    func(c *call) error { csv, err := series(c).Write(); return textOf(c, "csv", csv, err) },
	"series.describe": func(c *call) error { json, err := series(c).Describe(); return textOf(c, "json", json, err) },
	"replay.open": func(c *call) error {
		replay, err := gputide.OpenReplay(c.text("manifest"), c.options(), c.text("settings"))
		return opens(c, replay, err)
	},
	"replay.run": func(c *call) error { return replay(c).Run(context.Background(), series(c)) },
	"replay.record": func(c *call) error {
		var replicas *int32
		if c.has("replicas") {
			count := int32(c.integer("replicas"))
			replicas = &count
		}
		return c.decided(replay(c).Record(c.moment("time_ms"), c.samples("samples"), replicas))
	},
	"replay.report": func(c *call) error { json, err := replay(c).Report(); return textOf(c, "json", json, err) },
}

func forecast(c *call) *gputide.Forecast { return named[*gputide.Forecast](c, "forecast") }

var forecastCalls = map[string]func(*call) error{
	"forecast.open": func(c *call) error {
		forecast, err := gputide.OpenForecast(c.text("settings"))
		return opens(c, forecast, err)
	},
	"forecast.step": func(c *call) error { return forecast(c).Step(c.moment("now_ms"), c.real("load")) },
	"forecast.ask":  ask,
	"forecast.book": func(c *call) error {
		written := int32(c.integer("written_replicas"))
		if c.has("floor") {
			written = named[gputide.Floor](c, "floor").Replicas
		}
		return forecast(c).Book(written, int32(c.integer("shadow_replicas")))
	},
	"forecast.describe": func(c *call) error { json, err := forecast(c).Describe(); return textOf(c, "json", json, err) },
	"forecast.save":     func(c *call) error { text, err := forecast(c).Save(); return textOf(c, "text", text, err) },
	"forecast.load":     func(c *call) error { return forecast(c).Load(c.text("text")) },
}

func ask(c *call) error {
	floor, err := forecast(c).Ask(gputide.Sizing{
		Target: c.real("target"), Reactive: int32(c.integer("reactive_replicas")), Current: int32(c.integer("current_replicas")),
		Max: int32(c.integer("max_replicas")),
	})
	if err == nil && c.has("as") {
		c.line.things[c.as()] = floor
	}
	return gives(c, "floor", floorOut(floor), err)
}

var nodesCalls = map[string]func(*call) error{
	"nodes.plan": func(c *call) error {
		plan, err := gputide.PlanNodes(c.text("text"), c.text("state"), c.moment("now_ms"))
		if err != nil {
			return err
		}
		c.result["summary"] = summaryOut(plan)
		c.result["json"] = textOut(plan.Report)
		c.result["state"] = textOut(plan.State)
		return nil
	},
}

func rightsize(c *call) *gputide.Rightsize { return named[*gputide.Rightsize](c, "rightsize") }

func container(c *call) gputide.Container { return gputide.Container(c.unsigned("container")) }

var rightsizeCalls = map[string]func(*call) error{
	"rightsize.open": func(c *call) error {
		rightsize, err := gputide.OpenRightsize(c.text("settings"), c.options())
		return opens(c, rightsize, err)
	},
	"rightsize.describe": func(c *call) error { json, err := rightsize(c).Describe(); return textOf(c, "json", json, err) },
	"rightsize.container": func(c *call) error {
		number, err := rightsize(c).Container(c.word("name"))
		return gives(c, "number", number, err)
	},
	"rightsize.add": func(c *call) error {
		taken, err := rightsize(c).Add(c.usage("samples"))
		return gives(c, "taken", taken, err)
	},
	"rightsize.recommend": func(c *call) error {
		json, err := rightsize(c).Recommend(container(c), c.moment("now_ms"))
		return textOf(c, "json", json, err)
	},
	"rightsize.fit": func(c *call) error {
		json, err := rightsize(c).Fit(c.integer("memory_bytes"), c.real("util_percent"))
		return textOf(c, "json", json, err)
	},
	"rightsize.save": func(c *call) error {
		text, err := rightsize(c).Save(container(c), c.moment("now_ms"))
		return textOf(c, "text", text, err)
	},
	"rightsize.load": func(c *call) error { return rightsize(c).Load(container(c), c.text("text")) },
}

var jobsCalls = map[string]func(*call) error{
	"jobs.decide": func(c *call) error {
		decision, err := gputide.DecideJobs(c.text("text"), c.options(), c.text("seen"))
		return textOf(c, "decision", decision, err)
	},
}
