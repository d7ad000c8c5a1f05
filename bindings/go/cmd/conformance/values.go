package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// An object is JSON's, with the C names of arguments and members.
type object map[string]any

func (o object) has(name string) bool { _, ok := o[name]; return ok }

func (o object) inner(name string) object {
	inner, ok := asObject(o[name])
	if !ok && o.has(name) {
		panic(fault{name + ": expected an object"})
	}
	return inner
}

func (o object) list(name string) []object {
	given, ok := o[name].([]any)
	if !ok && o.has(name) {
		panic(fault{name + ": expected a list"})
	}
	out := make([]object, len(given))
	for i, one := range given {
		if out[i], ok = asObject(one); !ok {
			panic(fault{name + ": expected objects"})
		}
	}
	return out
}

func asObject(value any) (object, bool) {
	plain, ok := value.(map[string]any)
	return plain, ok
}

func (o object) flag(name string) bool { return o[name] == true }

func (o object) integer(name string) int64 {
	if !o.has(name) {
		return 0
	}
	return integerIn(o[name])
}

func integerIn(value any) int64 {
	out, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	if err != nil {
		panic(fault{fmt.Sprintf("expected an integer, got %v", value)})
	}
	return out
}

func (o object) unsigned(name string) uint64 {
	if !o.has(name) {
		return 0
	}
	value, err := strconv.ParseUint(fmt.Sprint(o[name]), 10, 64)
	if err != nil {
		panic(fault{fmt.Sprintf("%s: expected an integer, got %v", name, o[name])})
	}
	return value
}

func (o object) real(name string) float64 {
	if !o.has(name) {
		return 0
	}
	return realIn(o[name])
}

func realIn(value any) float64 {
	switch value {
	case "NaN":
		return math.NaN()
	case "+Inf":
		return math.Inf(1)
	case "-Inf":
		return math.Inf(-1)
	}
	plain, ok := value.(json.Number)
	out, err := plain.Float64()
	if !ok || err != nil {
		panic(fault{fmt.Sprintf("expected a number, got %v", value)})
	}
	return out
}

// text is a text's bytes: as JSON has it, or {"b64":...}.
func (o object) text(name string) []byte {
	switch value := o[name].(type) {
	case nil:
		return nil
	case string:
		return []byte(value)
	case map[string]any:
		raw, _ := value["b64"].(string)
		out, err := base64.StdEncoding.DecodeString(raw)
		if err == nil {
			return out
		}
	}
	panic(fault{fmt.Sprintf("%s: expected a text, got %v", name, o[name])})
}

func (o object) word(name string) string { return string(o.text(name)) }

// names are what C has as one text with commas.
func (o object) names(name string) []string {
	if !o.has(name) {
		return nil
	}
	return strings.Split(o.word(name), ",")
}

func (o object) moment(name string) time.Time { return time.UnixMilli(o.integer(name)) }

func momentIn(value any) time.Time { return time.UnixMilli(integerIn(value)) }

func (o object) duration(name string) time.Duration {
	return time.Duration(o.integer(name)) * time.Millisecond
}

// listOf reads each element of a list, which may be absent.
func listOf[T any](o object, name string, read func(any) T) []T {
	given, _ := o[name].([]any)
	out := make([]T, len(given))
	for i, one := range given {
		out[i] = read(one)
	}
	return out
}

func (o object) integers(name string) []int64 { return listOf(o, name, integerIn) }

func (o object) reals(name string) []float64 { return listOf(o, name, realIn) }

func (o object) moments(name string) []time.Time { return listOf(o, name, momentIn) }
