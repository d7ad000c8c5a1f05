package main

import (
	"fmt"

	gputide "github.com/gputide/gputide/bindings/go"
)

var libraryCalls = table{
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
	"build.info":        func(c *call) error { info, err := gputide.BuildInfo(); return givesText(c, "json", info, err) },
	"status.name":       nameOf[gputide.Status]("status"),
	"action.name":       nameOf[gputide.Action]("action"),
	"sample.state_name": nameOf[gputide.SampleState]("state"),
	"limit.name":        nameOf[gputide.Limit]("limit"),
	"condition.name":    nameOf[gputide.Condition]("condition"),
	"reason.name":       nameOf[gputide.Reason]("reason"),
	"event.name":        nameOf[gputide.ScaleEvent]("event"),
	"event.kind_name":   nameOf[gputide.EventKind]("kind"),
	"quantity": func(c *call) error {
		milli, err := gputide.ParseQuantity(c.word("text"))
		return gives(c, "milli", integerOut(milli), err)
	},
}

func features(c *call) error {
	found, err := gputide.LibraryFeatures()
	return gives(c, "features", number(found.YAML)|number(found.HTTP2)<<1, err)
}

// nameOf is the call that gives the name of a number.
func nameOf[T interface {
	~int32
	fmt.Stringer
}](role string) func(*call) error {
	return func(c *call) error { return gives(c, "name", T(c.integer(role)).String(), nil) }
}
