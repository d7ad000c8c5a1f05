package main

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	gputide "github.com/gputide/gputide/bindings/go"
)

const exact = int64(1) << 53 // integers beyond it are texts

func integerOut(value int64) any {
	if value < -exact || value > exact {
		return strconv.FormatInt(value, 10)
	}
	return value
}

func unsignedOut[T ~uint64](value T) any {
	if uint64(value) > uint64(exact) {
		return strconv.FormatUint(uint64(value), 10)
	}
	return value
}

func realOut(value float64) any {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "+Inf"
	case math.IsInf(value, -1):
		return "-Inf"
	}
	return value
}

func textOut(text []byte) any {
	if !utf8.Valid(text) {
		return object{"b64": base64.StdEncoding.EncodeToString(text)}
	}
	return string(text)
}

func momentOut(moment time.Time) any {
	if moment.IsZero() {
		return 0
	}
	return integerOut(moment.UnixMilli())
}

func number(value bool) int {
	if value {
		return 1
	}
	return 0
}

func sampleOut(sample gputide.Sample) object {
	return object{
		"state": sample.State, "status": sample.Status, "flags": number(sample.NullAsZero), "value": realOut(sample.Value),
		"time_ms": momentOut(sample.Time),
	}
}

func decisionOut(decision *gputide.Decision) object {
	conditions := make([]object, 16) // GPUTIDE_CONDITION_ROOM
	for i := range conditions {
		one := decision.Condition(gputide.Condition(i))
		conditions[i] = object{"truth": one.Truth, "reason": one.Reason, "since_ms": momentOut(one.Since)}
	}
	return object{
		"flags": decision.Flags(), "id": unsignedOut(decision.ID), "now_ms": momentOut(decision.Now),
		"next_due_ms": momentOut(decision.NextDue), "current_replicas": decision.Current, "desired_replicas": decision.Desired,
		"proposed_replicas": decision.Proposed, "limited_by": decision.LimitedBy, "source": decision.Source, "winner": decision.Winner,
		"failed_metric": decision.FailedMetric, "event": decision.Event, "conditions": conditions,
		"forecast_state": decision.Forecast, "forecast_need": decision.ForecastNeed,
	}
}

func eventOut(event *gputide.Event) object {
	return object{
		"kind": event.Kind, "id": unsignedOut(event.ID), "tag": unsignedOut(event.Tag), "sequence": unsignedOut(event.Sequence),
		"observed_ms": momentOut(event.Observed), "replaced": event.Replaced, "name": event.Name,
	}
}

func floorOut(floor gputide.Floor) object {
	return object{
		"state": floor.State, "reason": floor.Reason, "replicas": floor.Replicas, "need_replicas": floor.Need,
		"floor_load": realOut(floor.Load),
	}
}

func summaryOut(plan *gputide.NodesPlan) object {
	return object{
		"errors": plan.Errors, "warnings": plan.Warnings, "nodes_to_add": integerOut(plan.NodesToAdd),
		"nodes_to_remove": integerOut(plan.NodesToRemove), "pods_pending": integerOut(plan.PodsPending),
		"pods_on_existing": integerOut(plan.PodsOnExisting), "pods_on_new": integerOut(plan.PodsOnNew),
		"pods_left": integerOut(plan.PodsLeft),
	}
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
		"retry_at_ms": momentOut(problem.RetryAt), "service_code": problem.ServiceCode, "where": problem.Where,
		"message": problem.Message, "detail": string(problem.Detail),
	}
}
