package main

import gputide "github.com/gputide/gputide/bindings/go"

// What needs no scaler: a forecast of the load, a plan of nodes, what a workload needs, the Jobs of a ScaledJob.

func forecast(c *call) *gputide.Forecast { return named[*gputide.Forecast](c, "forecast") }

var forecastCalls = table{
	"forecast.open": func(c *call) error {
		forecast, err := gputide.OpenForecast(c.text("settings"))
		return opens(c, forecast, err)
	},
	"forecast.step": func(c *call) error { return forecast(c).Step(c.moment("now_ms"), c.real("load")) },
	"forecast.ask":  askForecast,
	"forecast.book": func(c *call) error {
		written := int32(c.integer("written_replicas"))
		if c.has("floor") {
			written = named[gputide.Floor](c, "floor").Replicas
		}
		return forecast(c).Book(written, int32(c.integer("shadow_replicas")))
	},
	"forecast.describe": textOf("forecast", "json", (*gputide.Forecast).Describe),
	"forecast.save":     textOf("forecast", "text", (*gputide.Forecast).Save),
	"forecast.load":     func(c *call) error { return forecast(c).Load(c.text("text")) },
}

func askForecast(c *call) error {
	floor, err := forecast(c).Ask(gputide.Sizing{
		Target: c.real("target"), Reactive: int32(c.integer("reactive_replicas")), Current: int32(c.integer("current_replicas")),
		Max: int32(c.integer("max_replicas")),
	})
	if err == nil && c.has("as") {
		c.line.things[c.as()] = floor
	}
	return gives(c, "floor", floorOut(floor), err)
}

var nodesCalls = table{
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

var rightsizeCalls = table{
	"rightsize.open":     opening("settings", gputide.OpenRightsize),
	"rightsize.describe": textOf("rightsize", "json", (*gputide.Rightsize).Describe),
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
		return givesText(c, "json", json, err)
	},
	"rightsize.fit": func(c *call) error {
		json, err := rightsize(c).Fit(c.integer("memory_bytes"), c.real("util_percent"))
		return givesText(c, "json", json, err)
	},
	"rightsize.save": func(c *call) error {
		text, err := rightsize(c).Save(container(c), c.moment("now_ms"))
		return givesText(c, "text", text, err)
	},
	"rightsize.load": func(c *call) error { return rightsize(c).Load(container(c), c.text("text")) },
}

var jobsCalls = table{
	"jobs.decide": func(c *call) error {
		decision, err := gputide.DecideJobs(c.text("text"), c.options(), c.text("seen"))
		return givesText(c, "decision", decision, err)
	},
}
