package main

import (
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
