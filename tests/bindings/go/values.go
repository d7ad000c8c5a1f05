package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	gputide "github.com/gputide/gputide/bindings/go"
)

const exact = int64(1) << 53 // integers beyond it are texts

// Fields for the bits of C's flags ("-": none), and fields with another name than the C member.  calls.go adds to both maps.
var (
	flagNames = map[reflect.Type]string{
		reflect.TypeFor[gputide.Sample]():      "null_as_zero",
		reflect.TypeFor[gputide.Observation](): "- - unreadable -",
		reflect.TypeFor[gputide.UsageSample](): "- - out_of_memory",
	}
	fieldNames = map[string]string{"window_s": "Window", "forecast_state": "Forecast", "floor_load": "Load"}
	members    = map[reflect.Type]string{}
)

// field finds the field of a C member: current_replicas is Current, now_ms is Now, expires_at_ms is Expires.
func field(of reflect.Value, member string) reflect.Value {
	if name, differs := fieldNames[member]; differs {
		return of.FieldByName(name)
	}
	for _, suffix := range []string{"", "_ms", "_at_ms", "_replicas"} {
		plain := strings.ReplaceAll(strings.TrimSuffix(member, suffix), "_", "")
		if found := of.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, plain) }); found.IsValid() {
			return found
		}
	}
	panic(fault{fmt.Sprintf("%s has no %s", of.Type(), member)})
}

// ---- what is read

func (l *line) arguments(ctx context.Context, given object, function reflect.Type, names string) []reflect.Value {
	in := make([]reflect.Value, function.NumIn())
	for i, name := range strings.Fields(names) {
		kind := function.In(i)
		name, other, _ := strings.Cut(name, "|")
		value := given[name]
		switch {
		case kind == reflect.TypeFor[context.Context]():
			in[i] = reflect.ValueOf(ctx)
		case kind.Implements(reflect.TypeFor[io.Closer]()):
			in[i] = reflect.ValueOf(l.find(value))
		case kind == reflect.TypeFor[*gputide.Decision]():
			decision := l.find(value).(*gputide.Decision)
			decision.Message = string(text(given["message"]))
			in[i] = reflect.ValueOf(decision)
		case given[other] != nil && other != "":
			in[i] = reflect.ValueOf(l.find(given[other]).(gputide.Floor).Replicas)
		default:
			in[i] = reflect.New(kind).Elem()
			if value != nil || kind == reflect.TypeFor[time.Time]() {
				read(in[i], value)
			}
		}
		if in[i].Type() != kind && kind.Kind() != reflect.Interface {
			panic(fault{fmt.Sprintf("%s is a %s", name, in[i].Type())})
		}
	}
	return in
}

// read sets a value of this module from JSON's.
func read(target reflect.Value, value any) {
	switch pointer := target.Addr().Interface().(type) {
	case *time.Time:
		*pointer = time.UnixMilli(integer(value))
		return
	case *time.Duration:
		*pointer = time.Duration(integer(value)) * time.Millisecond
		return
	case *[]byte:
		*pointer = text(value)
		return
	case *json.RawMessage:
		*pointer = text(value)
		return
	case *[]string: // in C one text with commas
		*pointer = strings.Split(string(text(value)), ",")
		return
	case *http.Header:
		*pointer = headers(string(text(value)))
		return
	}
	switch kind := target.Kind(); {
	case kind == reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		read(target.Elem(), value)
	case kind == reflect.Slice:
		each := value.([]any)
		target.Set(reflect.MakeSlice(target.Type(), len(each), len(each)))
		for i, element := range each {
			read(target.Index(i), element)
		}
	case kind == reflect.Struct:
		readStruct(target, value.(object))
	case kind == reflect.String:
		target.SetString(string(text(value)))
	case kind == reflect.Float64:
		target.SetFloat(real(value))
	case kind == reflect.Bool:
		target.SetBool(value == true || value != false && integer(value) != 0)
	case target.CanUint():
		number, err := strconv.ParseUint(fmt.Sprint(value), 10, 64)
		if err != nil {
			panic(fault{fmt.Sprintf("expected an integer, got %v", value)})
		}
		target.SetUint(number)
	default:
		target.SetInt(integer(value))
	}
}

func readStruct(target reflect.Value, given object) {
	flags := integer(given["flags"])
	names := strings.Fields(flagNames[target.Type()])
	if flags>>len(names) != 0 {
		panic(fault{fmt.Sprintf("flags: %d has bits without a name", flags)})
	}
	for bit, name := range names {
		if name != "-" {
			field(target, name).SetBool(flags>>bit&1 != 0)
		}
	}
	for name, value := range given {
		if name != "flags" {
			read(field(target, name), value)
		}
	}
	switch of := target.Addr().Interface().(type) {
	case *gputide.Sample:
		if given["value"] != nil && given["state"] == nil {
			of.State = gputide.SampleOK
		}
	case *gputide.PodSample:
		of.Window *= 1000 // whole seconds
	case *gputide.UsageSample:
		settle(&of.Busy, flags&1 != 0, true)
		settle(&of.MemoryBytes, flags&6 != 0, true)
	case *gputide.Observation:
		settle(&of.StatusReplicas, flags&1 != 0, false)
		settle(&of.ReadyReplicas, flags&2 != 0, false)
		if flags&8 != 0 && of.Pods == nil {
			of.Pods = []gputide.Pod{}
		}
		if given["now_ms"] == nil {
			of.Now = time.UnixMilli(0)
		}
	}
}

// settle makes nil of what the flags say is absent: with only, whatever is there; else a zero.
func settle[T comparable](target **T, present, only bool) {
	var zero T
	switch {
	case present && *target == nil:
		*target = &zero
	case !present && *target != nil && (only || **target == zero):
		*target = nil
	}
}

func integer(value any) int64 {
	if value == nil {
		return 0
	}
	out, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	if err != nil {
		panic(fault{fmt.Sprintf("expected an integer, got %v", value)})
	}
	return out
}

func real(value any) float64 {
	out, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil {
		panic(fault{fmt.Sprintf("expected a number, got %v", value)})
	}
	return out
}

// text is a text's bytes: as JSON has it, or {"b64":...}.
func text(value any) []byte {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return []byte(value)
	case object:
		raw, _ := value["b64"].(string)
		if out, err := base64.StdEncoding.DecodeString(raw); err == nil {
			return out
		}
	}
	panic(fault{fmt.Sprintf("expected a text, got %v", value)})
}

func headers(lines string) http.Header {
	out := http.Header{}
	for _, each := range strings.Split(strings.ReplaceAll(lines, "\r\n", "\n"), "\n") {
		if name, value, found := strings.Cut(each, ":"); found {
			out.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return out
}

// ---- what is written

func out(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case time.Time:
		if value.IsZero() {
			return 0
		}
		return out(value.UnixMilli())
	case gputide.Sample:
		return structOut(value)
	}
	switch of := reflect.ValueOf(value); {
	case of.Kind() == reflect.Bool && of.Bool():
		return 1
	case of.Kind() == reflect.Bool:
		return 0
	case of.CanFloat() && (math.IsNaN(of.Float()) || math.IsInf(of.Float(), 0)):
		return strconv.FormatFloat(of.Float(), 'g', -1, 64)
	case of.CanInt() && (of.Int() < -exact || of.Int() > exact):
		return strconv.FormatInt(of.Int(), 10)
	case of.CanUint() && of.Uint() > uint64(exact):
		return strconv.FormatUint(of.Uint(), 10)
	case of.Kind() == reflect.Slice && !utf8.Valid(of.Bytes()):
		return object{"b64": base64.StdEncoding.EncodeToString(of.Bytes())}
	case of.Kind() == reflect.Slice:
		return string(of.Bytes())
	}
	return value
}

func structOut[T any](value T) object {
	of := reflect.ValueOf(value)
	result := object{}
	for _, member := range strings.Fields(members[of.Type()]) {
		result[member] = out(field(of, member).Interface())
	}
	if sample, ok := any(value).(gputide.Sample); ok {
		result["flags"] = out(sample.NullAsZero)
	}
	return result
}

func decisionOut(decision *gputide.Decision) object {
	conditions := make([]object, 16) // GPUTIDE_MAX_CONDITIONS
	for i := range conditions {
		state := decision.Condition(gputide.Condition(i))
		conditions[i] = object{"truth": state.Truth, "reason": state.Reason, "since_ms": out(state.Since)}
	}
	result := structOut(*decision)
	result["flags"], result["conditions"] = decision.Flags(), conditions
	return result
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
	result := structOut(*problem)
	result["detail"] = string(problem.Detail)
	return result
}
