package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// A line of the protocol: its calls one after another, and what they opened.
type line struct {
	things   map[string]any
	opened   []string          // names of handles, in the order of opening
	policies map[string]string // of states, by name
}

// missing is a call that names what an earlier one failed to open.
type missing struct{ name string }

// fault is a call that cannot be made as it is written.
type fault struct{ why string }

func answer(request object) object {
	one := &line{things: map[string]any{}, policies: map[string]string{}}
	out := object{"case": request["case"]}
	results := []object{}
	for _, arguments := range request.list("calls") {
		result, err := one.result(arguments)
		if err != nil {
			out["fault"] = fmt.Sprintf("%.200v: %s", arguments, err.why)
			break
		}
		results = append(results, result)
	}
	out["results"] = results
	order, _ := request["close"].(string)
	one.close(order)
	out["alive"] = gputide.Alive()
	return out
}

// result makes one call. Panics of the types above are how deep helpers end it.
func (l *line) result(arguments object) (result object, wrong *fault) {
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case missing:
			result = object{"missing": problem.name}
		case fault:
			wrong = &problem
		default:
			panic(problem)
		}
	}()
	name, _ := arguments["call"].(string)
	run, known := calls[name]
	if !known {
		return nil, &fault{"an unknown call"}
	}
	one := &call{object: arguments, line: l, result: object{}}
	if err := run(one); err != nil {
		one.result["error"] = errorOut(err)
	}
	return one.result, nil
}

func (l *line) keep(name string, thing any) {
	if _, taken := l.things[name]; taken {
		panic(fault{fmt.Sprintf("as: the name %q is taken", name)})
	}
	l.things[name] = thing
	l.opened = append(l.opened, name)
}

// close ends what the line opened; "collect" leaves that to the garbage collector.
func (l *line) close(order string) {
	if order == "collect" {
		l.things, l.opened = nil, nil
		for patience := time.Now().Add(5 * time.Second); gputide.Alive() > 0 && time.Now().Before(patience); {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		return
	}
	if order != "forward" {
		slices.Reverse(l.opened)
	}
	for _, name := range l.opened {
		_ = l.things[name].(io.Closer).Close()
	}
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

func errorOut(err error) object {
	var problem *gputide.Error
	switch {
	case errors.As(err, &problem):
	case errors.Is(err, gputide.ErrClosed):
		problem = &gputide.Error{Status: gputide.StatusState, Message: err.Error()}
	default: // what the package refuses before C sees it
		problem = &gputide.Error{Status: gputide.StatusInvalid, Message: err.Error()}
	}
	return object{
		"status": problem.Status, "action": problem.Action, "retryable": number(problem.Retryable), "http_status": problem.HTTPStatus,
		"retry_at_ms": integerOut(momentOut(problem.RetryAt)), "service_code": problem.ServiceCode, "where": problem.Where,
		"message": problem.Message, "detail": string(problem.Detail),
	}
}
