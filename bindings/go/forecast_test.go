//go:build linux && cgo

package gputide_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func forecastOf(t testing.TB, settings string) *gputide.Forecast {
	forecast, err := gputide.OpenForecast(json.RawMessage(settings))
	return closing(t, forecast, err)
}

// passes reads a load that is high in the first ten minutes of each hour.
func passes(t *testing.T, forecast *gputide.Forecast, from, to int) {
	t.Helper()
	for minute := from; minute < to; minute++ {
		load := 20.0
		if minute%60 < 10 {
			load = 100
		}
		must(t, forecast.Add(now.Add(time.Duration(minute)*time.Minute), load))
	}
}

func TestWhatComesEveryHourIsAskedForBefore(t *testing.T) {
	noneLeft(t)
	forecast := forecastOf(t, `{"warmup_ms":3600000}`)
	pass := gputide.Sizing{Target: 5, Reactive: 4, Current: 4, Max: 40}
	floor, err := forecast.Floor(pass)
	must(t, err)
	equal(t, "state at first", floor.State.String(), "warming")
	equal(t, "reason at first", floor.Reason, gputide.FloorReasonWarmingUp)
	equal(t, "replicas at first", floor.Replicas, 4)
	equal(t, "need at first", floor.Need, -1)
	equal(t, "load at first is NaN", math.IsNaN(floor.Load), true)
	passes(t, forecast, 0, 2*1440+56)
	floor, err = forecast.Floor(pass)
	must(t, err)
	equal(t, "state", floor.State, gputide.ForecastStateOn)
	equal(t, "replicas", floor.Replicas, 12)
	equal(t, "need is of the load", floor.Need, int32(math.Ceil(floor.Load/pass.Target)))
	must(t, forecast.Charge(floor.Replicas, 4))
	description, err := forecast.Describe()
	must(t, err)
	var told struct {
		Skill float64 `json:"skill_percent"`
	}
	must(t, json.Unmarshal(description, &told))
	if told.Skill <= 2 {
		t.Errorf("skill: %v %%", told.Skill)
	}
}

func TestASavedForecastGoesOn(t *testing.T) {
	noneLeft(t)
	one, other := forecastOf(t, ""), forecastOf(t, "")
	passes(t, one, 0, 300)
	must(t, one.Add(now.Add(300*time.Minute), math.NaN()))
	saved, err := one.Save()
	must(t, err)
	must(t, other.Load(saved))
	is(t, other.Load([]byte("{}")), gputide.ErrState)
	passes(t, one, 301, 400)
	passes(t, other, 301, 400)
	wanted, err := one.Save()
	must(t, err)
	got, err := other.Save()
	must(t, err)
	equal(t, "saved", string(got), string(wanted))
}

func TestAWrongSettingOfAForecastIsNamed(t *testing.T) {
	_, err := gputide.OpenForecast(json.RawMessage(`{"lead_ms":5}`))
	is(t, err, gputide.ErrInvalid)
	var problem *gputide.Error
	if !errors.As(err, &problem) || problem.Where != "lead_ms" {
		t.Errorf("got %+v", problem)
	}
	_, err = forecastOf(t, "").Floor(gputide.Sizing{Reactive: 4, Current: 4, Max: 40})
	is(t, err, gputide.ErrInvalid)
}
