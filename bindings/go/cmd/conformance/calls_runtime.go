package main

import (
	"context"
	"errors"
	"math"

	gputide "github.com/gputide/gputide/bindings/go"
)

func runtimeOf(c *call) *gputide.Runtime { return named[*gputide.Runtime](c, "runtime") }

func id(c *call) gputide.ScalerID { return gputide.ScalerID(c.unsigned("id")) }

var runtimeCalls = table{
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
		decision := c.toRecord()
		return c.recorded(decision, runtimeOf(c).RecordAt(id(c), decision, c.integer("applied") != 0, c.moment("now_ms")))
	},
	"runtime.save":           func(c *call) error { text, err := runtimeOf(c).Save(id(c)); return givesText(c, "text", text, err) },
	"runtime.load":           func(c *call) error { return runtimeOf(c).Load(id(c), c.text("text")) },
	"runtime.describe":       func(c *call) error { json, err := runtimeOf(c).Describe(id(c)); return givesText(c, "json", json, err) },
	"runtime.stats":          textOf("runtime", "json", (*gputide.Runtime).Stats),
	"runtime.attach_cluster": func(c *call) error { return runtimeOf(c).AttachCluster([]byte(c.text("settings")), c.options()) },
	"runtime.detach_cluster": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		return runtimeOf(c).DetachCluster(ctx)
	},
	"runtime.describe_cluster": textOf("runtime", "json", (*gputide.Runtime).DescribeCluster),
	"runtime.start":            func(c *call) error { return runtimeOf(c).Start() },
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
		return gives(c, "next_ms", momentOut(next), err)
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
