//go:build linux && cgo

package gputide_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func recording(points int) (times []time.Time, values []float64, replicas []int32) {
	for i := range points {
		times = append(times, now.Add(time.Duration(i)*15*time.Second))
		values = append(values, []float64{20, 2}[i*2/points])
		replicas = append(replicas, 3)
	}
	return times, values, replicas
}

func seriesOf(t testing.TB, points int) *gputide.Series {
	series, err := gputide.NewSeries()
	closing(t, series, err)
	times, values, replicas := recording(points)
	must(t, series.Add(0, times, values))
	must(t, series.AddReplicas(times, replicas))
	return series
}

func replayOf(t testing.TB, settings string) *gputide.Replay {
	replay, err := gputide.OpenReplay(scaledObject(), nil, json.RawMessage(settings))
	return closing(t, replay, err)
}

func TestReplaysRunSideBySideOverOneSeries(t *testing.T) {
	noneLeft(t)
	series := seriesOf(t, 400)
	var reports [4]string
	inParallel(len(reports), func(worker int) {
		replay := replayOf(t, `{"model":"open"}`)
		must(t, replay.Run(t.Context(), series))
		report, err := replay.Report()
		must(t, err)
		reports[worker] = string(report)
	})
	for _, one := range reports {
		equal(t, "report", one, reports[0])
	}
	var report struct {
		Summary struct {
			ReplicaHours float64 `json:"replica_hours"`
		}
	}
	must(t, json.Unmarshal([]byte(reports[0]), &report))
	if report.Summary.ReplicaHours <= 0 {
		t.Errorf("replica hours: %v", report.Summary.ReplicaHours)
	}
}

func TestMomentByMoment(t *testing.T) {
	noneLeft(t)
	replay := replayOf(t, "")
	times, values, _ := recording(20)
	three := int32(3)
	first, err := replay.Record(times[0], gputide.Values(values[0]), &three)
	must(t, err)
	equal(t, "source before the first decision", first.Source, 0)
	var last gputide.Decision
	for i := 1; i < len(times); i++ {
		last, err = replay.Record(times[i], gputide.Values(values[i]), nil)
		must(t, err)
	}
	equal(t, "source", last.Source != 0, true)
	_, err = replay.Record(times[0], gputide.Values(1), nil)
	is(t, err, gputide.ErrInvalid)
	_, err = replay.Report()
	must(t, err)
}

func TestCSVGoesOutAndComesBack(t *testing.T) {
	noneLeft(t)
	series, err := gputide.NewSeries()
	closing(t, series, err)
	times, values, _ := recording(20)
	values[0] = math.NaN()
	must(t, series.Add(0, times, values))
	csv, err := series.Write()
	must(t, err)
	other, err := gputide.NewSeries()
	closing(t, other, err)
	must(t, other.Read(0, csv, ""))
	again, err := other.Write()
	must(t, err)
	equal(t, "the same", bytes.Equal(csv, again), true)
	description, err := other.Describe()
	must(t, err)
	equal(t, "valid", json.Valid(description), true)
	if err := series.Add(0, times, values[1:]); err == nil || !strings.Contains(err.Error(), "20 times for 19 values") {
		t.Errorf("got %v", err)
	}
	is(t, series.Add(0, []time.Time{{}}, []float64{1}), gputide.ErrInvalid)
	is(t, series.Read(0, []byte("{"), ""), gputide.ErrProtocol)
}

func TestARunEndsWithItsContext(t *testing.T) {
	noneLeft(t)
	series := seriesOf(t, 200_000)
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, stop)
	err := replayOf(t, "").Run(ctx, series)
	is(t, err, context.Canceled)
	soon, end := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer end()
	err = replayOf(t, "").Run(soon, series)
	is(t, err, gputide.ErrTimeout)
	is(t, err, context.DeadlineExceeded)
	_, err = gputide.OpenReplay(scaledObject(), nil, json.RawMessage(`{"modle":1}`))
	is(t, err, gputide.ErrInvalid)
}
