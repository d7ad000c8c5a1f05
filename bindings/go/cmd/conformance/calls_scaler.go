package main

import gputide "github.com/gputide/gputide/bindings/go"

func scaler(c *call) *gputide.Scaler { return named[*gputide.Scaler](c, "scaler") }

var scalerCalls = table{
	"scaler.open":         opening("manifest", gputide.OpenScaler),
	"scaler.metric_count": func(c *call) error { return gives(c, "count", len(scaler(c).Metrics()), nil) },
	"scaler.metric_name":  func(c *call) error { return gives(c, "name", metricName(c, scaler(c).Metrics()), nil) },
	"scaler.tick": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		if c.flag("report") {
			return c.decided(scaler(c).TickWithReport(ctx, c.seen()))
		}
		return c.decided(scaler(c).Tick(ctx, c.seen()))
	},
	"scaler.fetch": fetchSamples,
	"scaler.decide": func(c *call) error {
		if c.flag("report") {
			return c.decided(scaler(c).DecideWithReport(c.seen()))
		}
		return c.decided(scaler(c).Decide(c.seen()))
	},
	"scaler.record": func(c *call) error {
		decision := c.toRecord()
		return c.recorded(decision, scaler(c).RecordAt(decision, c.integer("applied") != 0, c.moment("now_ms")))
	},
	"scaler.conditions": textOf("scaler", "json", (*gputide.Scaler).Conditions),
	"scaler.metrics":    textOf("scaler", "json", (*gputide.Scaler).LastMetrics),
	"scaler.describe":   textOf("scaler", "json", (*gputide.Scaler).Describe),
	"scaler.save":       textOf("scaler", "text", (*gputide.Scaler).Save),
	"scaler.load":       func(c *call) error { return scaler(c).Load(c.text("text")) },
	"manifest.check":    checkManifest,
	"doctor":            doctor,
}

func fetchSamples(c *call) error {
	ctx, stop := c.context()
	defer stop()
	samples, err := scaler(c).FetchAt(ctx, c.moment("now_ms"))
	out := []object{}
	for _, one := range samples {
		out = append(out, sampleOut(one))
	}
	return gives(c, "samples", out, err)
}

func checkManifest(c *call) error {
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
