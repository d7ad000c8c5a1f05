package main

import gputide "github.com/gputide/gputide/bindings/go"

func state(c *call) *gputide.State { return named[*gputide.State](c, "state") }

var policyCalls = table{
	"policy.open":         opening("text", gputide.OpenPolicy),
	"policy.metric_count": func(c *call) error { return gives(c, "count", len(c.policy().Metrics()), nil) },
	"policy.metric_name":  func(c *call) error { return gives(c, "name", metricName(c, c.policy().Metrics()), nil) },
	"policy.describe":     func(c *call) error { json, err := c.policy().Describe(); return givesText(c, "json", json, err) },
	"state.new": func(c *call) error {
		state, err := c.policy().NewState(c.moment("created_ms"))
		return c.opensState(state, c.word("policy"), err)
	},
	"state.clone": func(c *call) error {
		clone, err := state(c).Clone()
		return c.opensState(clone, c.line.policies[c.word("state")], err)
	},
	"state.load":     loadState,
	"state.save":     textOf("state", "text", (*gputide.State).Save),
	"state.describe": textOf("state", "json", (*gputide.State).Describe),
	"state.record": func(c *call) error {
		decision := c.toRecord()
		err := state(c).RecordAt(decision, c.integer("applied") != 0, c.moment("now_ms"))
		return c.recorded(decision, err)
	},
	"decide": func(c *call) error {
		if c.flag("report") {
			return c.decided(state(c).DecideWithReport(c.seen()))
		}
		return c.decided(state(c).Decide(c.seen()))
	},
	"decide.values": func(c *call) error {
		return c.decided(state(c).DecideValues(c.moment("now_ms"), int32(c.integer("current_replicas")), c.reals("values")...))
	},
	"trace.render": func(c *call) error {
		lines, err := gputide.RenderReport(c.text("report"))
		return gives(c, "lines", lines, err)
	},
}

// metricName is the name of the metric with an index; nil beyond their count.
func metricName(c *call, names []string) any {
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
