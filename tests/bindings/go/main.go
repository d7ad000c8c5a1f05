// Command conformance answers protocol 1 of docs/conformance.md over the public functions of bindings/go: the program that
// gputide_conformance --through drives. One line in, one line out, until the input ends. calls.go is written by
// tests/bindings/conformance.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

// An object is JSON's, with the C names of arguments and members.
type object = map[string]any

// A table has a function for each call, the names of its arguments, and the member of the result that its value is.
type table map[string]struct {
	function          any
	arguments, member string
}

var calls table

// missing is a call that names what an earlier one failed to open.
type missing struct{ name string }

// fault is a call that cannot be made as it is written.
type fault struct{ why string }

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	path, err := gputide.LibraryPath()
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	hello := object{
		"protocol": 1, "binding": "go", "version": gputide.Version, "abi": gputide.ABIVersion, "library": path,
		"calls": slices.Sorted(maps.Keys(calls)),
	}
	if err := encoder.Encode(hello); err != nil {
		return err
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var request object
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&request); err != nil {
			return err
		}
		if err := encoder.Encode(answer(request)); err != nil {
			return err
		}
	}
}

// A line of the protocol has what its calls opened.
type line struct {
	things map[string]any
	opened []string // names of handles, in the order of opening
}

func answer(request object) object {
	current := &line{things: map[string]any{}}
	out := object{"case": request["case"]}
	results := []object{}
	for _, given := range request["calls"].([]any) {
		result, err := current.result(given.(object))
		if err != nil {
			out["fault"] = fmt.Sprintf("%.200v: %s", given, err.why)
			break
		}
		results = append(results, result)
	}
	out["results"] = results
	order, _ := request["close"].(string)
	current.close(order)
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
	entry, known := calls[name]
	if !known {
		return nil, &fault{"an unknown call"}
	}
	result = object{}
	if err := l.call(arguments, reflect.ValueOf(entry.function), entry.arguments, entry.member, result); err != nil {
		result["error"] = errorOut(err)
	}
	return result, nil
}

// call reads the arguments by the function's parameters, calls it, and writes what it gives.
func (l *line) call(given object, function reflect.Value, names, member string, result object) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Duration(integer(given["timeout_ms"]))*time.Millisecond)
	defer stop()
	if _, timed := given["timeout_ms"]; !timed {
		ctx = context.Background()
	}
	in := l.arguments(ctx, given, function.Type(), names)
	var out []reflect.Value
	if function.Type().IsVariadic() {
		out = function.CallSlice(in)
	} else {
		out = function.Call(in)
	}
	if last := len(out) - 1; last >= 0 && function.Type().Out(last) == reflect.TypeFor[error]() {
		if err, failed := out[last].Interface().(error); failed {
			return l.failed(err, result)
		}
		out = out[:last]
	}
	switch {
	case member == "recorded":
		result["decision"] = decisionOut(l.find(given["decision"]).(*gputide.Decision))
	case len(out) > 0:
		return l.give(given, member, out[0].Interface(), result)
	}
	return nil
}

// failed gives the sample of a read that failed beside its error.
func (l *line) failed(err error, result object) error {
	var problem *gputide.Error
	if errors.As(err, &problem) && problem.Sample != nil {
		result["sample"] = structOut(*problem.Sample)
	}
	return err
}

// give writes the value of a call, and keeps it where the call names it.
func (l *line) give(given object, member string, value any, result object) error {
	name, named := given["as"].(string)
	switch value := value.(type) {
	case io.Closer:
		if _, taken := l.things[name]; taken || !named {
			panic(fault{fmt.Sprintf("as: the name %q is taken", name)})
		}
		l.opened = append(l.opened, name)
		l.things[name] = value
		return nil
	case gputide.Decision:
		result["decision"] = decisionOut(&value)
		if value.Report != nil {
			result["report"] = out(value.Report)
		}
		l.things[name] = &value
	case *gputide.Event:
		result["event"] = structOut(*value)
		return l.give(given, "decision", value.Decision, result)
	case gputide.Floor:
		result["floor"] = structOut(value)
		l.things[name] = value
	case *gputide.Findings:
		if value.Report != nil {
			result["report"], result["lines"] = out(value.Report), value.Lines
		}
		if value.Err != nil {
			return value.Err
		}
	case *gputide.Diagnosis:
		result["report"], result["lines"] = out(value.Report), value.Lines
	case *gputide.NodesPlan:
		result["summary"], result["json"], result["state"] = structOut(*value), out(value.Report), out(value.State)
	case gputide.Token:
		result["token"], result["info"] = value.Value(), structOut(value)
	default:
		result[member] = out(value)
	}
	return nil
}

func (l *line) find(name any) any {
	thing, ok := l.things[name.(string)]
	if !ok {
		panic(missing{name.(string)})
	}
	return thing
}

// close ends what the line opened; "collect" leaves that to the garbage collector.
func (l *line) close(order string) {
	if order == "collect" {
		l.things, l.opened = nil, nil
		for deadline := time.Now().Add(5 * time.Second); gputide.Alive() > 0 && time.Now().Before(deadline); {
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

// ---- functions that are not the method of the C function's name

func nameOf[T fmt.Stringer](number T) string { return number.String() }

func at(names []string, index int) any {
	if index < 0 || index >= len(names) {
		return nil
	}
	return names[index]
}

func features() (int, error) {
	found, err := gputide.LibraryFeatures()
	bits := 0
	for bit, has := range []bool{found.Pure, found.Core, found.Plan, found.Kubernetes, found.YAML, found.HTTP2, found.Cron} {
		bits |= out(has).(int) << bit
	}
	return bits, err
}

func loadState(policy *gputide.Policy, text []byte, flags int) (*gputide.State, error) {
	if flags&1 != 0 { // GPUTIDE_STATE_UNCHECKED
		return policy.LoadStateUnchecked(text)
	}
	return policy.LoadState(text)
}

type decides[T any] func(handle T, observation gputide.Observation) (gputide.Decision, error)

func withReport[T any](decide, reporting decides[T]) func(T, gputide.Observation, bool) (gputide.Decision, error) {
	return func(handle T, observation gputide.Observation, report bool) (gputide.Decision, error) {
		if report {
			return reporting(handle, observation)
		}
		return decide(handle, observation)
	}
}

func tick(scaler *gputide.Scaler, ctx context.Context, observation gputide.Observation, report bool) (gputide.Decision, error) {
	if report {
		return scaler.TickWithReport(ctx, observation)
	}
	return scaler.Tick(ctx, observation)
}

func replace(runtime *gputide.Runtime, id gputide.ScalerID, manifest []byte, options *gputide.Options, tag *uint64) error {
	if tag != nil {
		return runtime.ReplaceTagged(id, manifest, options, *tag)
	}
	return runtime.Replace(id, manifest, options)
}

func nextEvent(runtime *gputide.Runtime, ctx context.Context) (*gputide.Event, error) {
	take := func() (*gputide.Event, error) { return runtime.NextEvent(ctx) }
	if ctx.Err() != nil { // timeout_ms 0
		take = runtime.TakeEvent
	}
	event, err := take()
	if errors.Is(err, context.DeadlineExceeded) || (event == nil && err == nil) {
		return nil, &gputide.Error{Status: gputide.StatusNoData, Message: "no event came in time"}
	}
	return event, err
}

func readSeries(series *gputide.Series, metric int32, text []byte, scaler string) error {
	if metric == -1 { // GPUTIDE_NO_METRIC
		return series.ReadReplicas(text, scaler)
	}
	return series.Read(int(metric), text, scaler)
}

func floorOf(forecast *gputide.Forecast, target float64, reactive, current, most int32) (gputide.Floor, error) {
	return forecast.Floor(gputide.Sizing{Target: target, Reactive: reactive, Current: current, Max: most})
}
