package main

import (
	"context"
	"math"

	gputide "github.com/gputide/gputide/bindings/go"
)

func series(c *call) *gputide.Series { return named[*gputide.Series](c, "series") }

func replay(c *call) *gputide.Replay { return named[*gputide.Replay](c, "replay") }

var replayCalls = table{
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
	"series.write":    textOf("series", "csv", (*gputide.Series).Write),
	"series.describe": textOf("series", "json", (*gputide.Series).Describe),
	"replay.open": func(c *call) error {
		replay, err := gputide.OpenReplay(c.text("manifest"), c.options(), c.text("settings"))
		return opens(c, replay, err)
	},
	"replay.run": func(c *call) error { return replay(c).Run(context.Background(), series(c)) },
	"replay.record": func(c *call) error {
		replicas := c.replicas("replicas", c.has("replicas"))
		return c.decided(replay(c).Record(c.moment("time_ms"), c.samples("samples"), replicas))
	},
	"replay.report": textOf("replay", "json", (*gputide.Replay).Report),
}
