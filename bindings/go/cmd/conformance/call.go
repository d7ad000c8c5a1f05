package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// A table has calls of protocol 1, each under its C function's name without gputide_, the first underscore a dot, as a user of this
// module would write it.
type table map[string]func(*call) error

var calls = merged(libraryCalls, credentialCalls, sourceCalls, policyCalls, scalerCalls, runtimeCalls, replayCalls, forecastCalls,
	nodesCalls, rightsizeCalls, jobsCalls)

func merged(tables ...table) table {
	all := table{}
	for _, one := range tables {
		maps.Copy(all, one)
	}
	return all
}

// A call is one request's arguments and its result. What is absent is "", 0, nil.
type call struct {
	object
	line   *line
	result object
}

func named[T any](c *call, role string) T {
	name, ok := c.object[role].(string)
	if !ok {
		panic(fault{role + ": expected a name"})
	}
	return find[T](c, name)
}

func find[T any](c *call, name string) T {
	thing, ok := c.line.things[name]
	if !ok {
		panic(missing{name})
	}
	typed, ok := thing.(T)
	if !ok {
		panic(fault{fmt.Sprintf("%s is a %T", name, thing)})
	}
	return typed
}

// policy is the one named, or the state's own.
func (c *call) policy() *gputide.Policy {
	if name, ok := c.object["policy"].(string); ok {
		return find[*gputide.Policy](c, name)
	}
	state, _ := c.object["state"].(string)
	return find[*gputide.Policy](c, c.line.policies[state])
}

func (c *call) as() string {
	name, ok := c.object["as"].(string)
	if !ok {
		panic(fault{"as: expected a name"})
	}
	return name
}

// opens keeps what a call opened.
func opens[T any](c *call, thing T, err error) error {
	if err == nil {
		c.line.keep(c.as(), thing)
	}
	return err
}

// gives is a result of one member.
func gives(c *call, member string, value any, err error) error {
	if err == nil {
		c.result[member] = value
	}
	return err
}

// givesText is gives for a text.
func givesText[T ~[]byte](c *call, member string, text T, err error) error {
	return gives(c, member, textOut(text), err)
}

// decided gives a decision, and keeps it by its name, where the call gives one.
func (c *call) decided(decision gputide.Decision, err error) error {
	if err != nil {
		return err
	}
	c.result["decision"] = decisionOut(&decision)
	if decision.Report != nil {
		c.result["report"] = textOut(decision.Report)
	}
	if name, ok := c.object["as"].(string); ok {
		c.line.things[name] = &decision
	}
	return nil
}

// toRecord is the call's decision, with why its write failed.
func (c *call) toRecord() *gputide.Decision {
	decision := named[*gputide.Decision](c, "decision")
	decision.Message = c.word("message")
	return decision
}

// recorded gives the decision as a record has left it.
func (c *call) recorded(decision *gputide.Decision, err error) error {
	if err == nil {
		c.result["decision"] = decisionOut(decision)
	}
	return err
}

// context has the call's timeout_ms as its deadline.
func (c *call) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Duration(c.integer("timeout_ms"))*time.Millisecond)
}

// opening is the call of a function that opens a handle of options and a text, which is the argument of that name.
func opening[T any](text string, open func([]byte, *gputide.Options) (T, error)) func(*call) error {
	return func(c *call) error {
		handle, err := open(c.text(text), c.options())
		return opens(c, handle, err)
	}
}

// textOf is the call of a method that takes nothing and gives a text, which is the result's member of that name.
func textOf[H any, T ~[]byte](role, member string, method func(H) (T, error)) func(*call) error {
	return func(c *call) error {
		text, err := method(named[H](c, role))
		return givesText(c, member, text, err)
	}
}
