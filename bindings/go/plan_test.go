//go:build linux && cgo

package gputide_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
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
	first, other := forecastOf(t, ""), forecastOf(t, "")
	passes(t, first, 0, 300)
	must(t, first.Add(now.Add(300*time.Minute), math.NaN()))
	saved, err := first.Save()
	must(t, err)
	must(t, other.Load(saved))
	is(t, other.Load([]byte("{}")), gputide.ErrState)
	passes(t, first, 301, 400)
	passes(t, other, 301, 400)
	wanted, err := first.Save()
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

const cluster = `{"pools": [{"id": "gpu", "size": 0, "min": 0, "max": 4,
  "allocatable": {"cpu": 8000, "memory": "32Gi", "nvidia.com/gpu": 1}}],
 "groups": [{"name": "train", "count": 2, "pod": {"requests": {"cpu": 1000, "nvidia.com/gpu": 1}}}]}`

func TestPodsThatWaitGetNodes(t *testing.T) {
	plan, err := gputide.PlanNodes([]byte(cluster), nil, now)
	must(t, err)
	equal(t, "nodes to add", plan.NodesToAdd, 2)
	equal(t, "nodes to remove", plan.NodesToRemove, 0)
	equal(t, "pods that wait", plan.PodsPending, 2)
	equal(t, "pods on new nodes", plan.PodsOnNew, 2)
	equal(t, "pods on existing nodes and left", plan.PodsOnExisting+plan.PodsLeft, 0)
	equal(t, "findings", plan.Errors+plan.Warnings, 0)
	var report struct {
		ScaleUp struct{ Nodes int } `json:"scale_up"`
	}
	must(t, json.Unmarshal(plan.Report, &report))
	equal(t, "nodes in the report", report.ScaleUp.Nodes, 2)
	_, err = gputide.PlanNodes([]byte(cluster), plan.State, now.Add(10*time.Second))
	must(t, err)
	_, err = gputide.PlanNodes([]byte(cluster), []byte("no state"), now)
	is(t, err, gputide.ErrState)
	_, err = gputide.PlanNodes([]byte("["), nil, now)
	is(t, err, gputide.ErrInvalid)
	empty, err := gputide.PlanNodes(nil, nil, time.Time{})
	must(t, err)
	equal(t, "nodes for nothing", empty.NodesToAdd+empty.NodesToRemove, 0)
}

func TestAnItemThatCannotBeReadIsCountedAndLeftOut(t *testing.T) {
	wrong := `{"groups": [{"name": "wrong", "count": -1, "pod": {"requests": {"cpu": 1}}}]}`
	plan, err := gputide.PlanNodes([]byte(cluster+"\n---\n"+wrong), nil, now)
	must(t, err)
	equal(t, "errors", plan.Errors, 1)
	if !strings.Contains(string(plan.Report), "groups[0].count") {
		t.Errorf("the report does not name it: %s", plan.Report)
	}
	equal(t, "nodes to add", plan.NodesToAdd, 2)
}

const workload = `{"gpu_model":"A100","gpu_memory_bytes":"80G"}`

func rightsizeOf(t testing.TB, settings string, options *gputide.Options) *gputide.Rightsize {
	rightsize, err := gputide.OpenRightsize([]byte(settings), options)
	return closing(t, rightsize, err)
}

// aDay is one sample a minute of a container's first GPU.
func aDay(container gputide.Container) []gputide.UsageSample {
	samples := make([]gputide.UsageSample, 24*60)
	for i := range samples {
		samples[i] = gputide.Usage(now.Add(time.Duration(i)*time.Minute), 30.5, 5_000_000_000)
		samples[i].Container = container
	}
	return samples
}

func TestSamplesComeToARecommendation(t *testing.T) {
	noneLeft(t)
	rightsize := rightsizeOf(t, workload, nil)
	container, err := rightsize.Container(beyondBMP)
	must(t, err)
	equal(t, "number", container, 1)
	again, err := rightsize.Container(beyondBMP)
	must(t, err)
	equal(t, "number of the same name", again, container)
	taken, err := rightsize.Add(aDay(container))
	must(t, err)
	equal(t, "taken", taken, 24*60)
	later := now.Add(24 * time.Hour)
	text, err := rightsize.Recommend(container, later)
	must(t, err)
	if !strings.Contains(string(text), beyondBMP) || !strings.Contains(string(text), "mig") {
		t.Errorf("the recommendation is %s", text)
	}
	saved, err := rightsize.Save(container, later)
	must(t, err)
	other := rightsizeOf(t, workload, nil)
	_, err = other.Container(beyondBMP)
	must(t, err)
	is(t, other.Load(container, []byte("{}")), gputide.ErrState)
	must(t, other.Load(container, saved))
	same, err := other.Recommend(container, later)
	must(t, err)
	equal(t, "recommendation of what was saved", string(same), string(text))
	_, err = rightsize.Recommend(9, later)
	is(t, err, gputide.ErrNotFound)
}

func TestWhatOfASampleIsTold(t *testing.T) {
	noneLeft(t)
	rightsize := rightsizeOf(t, workload, nil)
	busy, nothing, memory := 30.5, math.NaN(), int64(5_000_000_000)
	for i, given := range []struct {
		sample gputide.UsageSample
		taken  int
	}{
		{gputide.UsageSample{Busy: &busy}, 1},
		{gputide.UsageSample{MemoryBytes: &memory}, 1},
		{gputide.UsageSample{OutOfMemory: true}, 1},
		{gputide.UsageSample{OutOfMemory: true, MemoryBytes: &memory}, 1},
		{gputide.UsageSample{Busy: &nothing}, 0},
	} {
		given.sample.Time, given.sample.Unit = now, i
		taken, err := rightsize.Add([]gputide.UsageSample{given.sample})
		must(t, err)
		if taken != given.taken {
			t.Errorf("sample %d: %d taken", i, taken)
		}
	}
	for _, wrong := range []gputide.UsageSample{
		{}, {Busy: &busy, OutOfMemory: true}, {Busy: &busy, Unit: 4096}, {Busy: &busy, Unit: -1}, {Busy: &busy, Time: time.UnixMilli(0)},
	} {
		taken, err := rightsize.Add([]gputide.UsageSample{gputide.Usage(now.Add(time.Hour), 1, 1), wrong})
		is(t, err, gputide.ErrInvalid)
		equal(t, "taken of a list with a wrong one", taken, 0)
	}
	_, err := rightsize.Add([]gputide.UsageSample{{Busy: &busy, Container: 1}})
	is(t, err, gputide.ErrNotFound)
	taken, err := rightsize.Add(nil)
	must(t, err)
	equal(t, "taken of none", taken, 0)
}

func TestSettingsComeFromTextAndFiles(t *testing.T) {
	noneLeft(t)
	vpa := `{"apiVersion":"autoscaling.k8s.io/v1","kind":"VerticalPodAutoscaler","metadata":{"name":"chat"},
	  "spec":{"targetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"chat"},
	  "resourcePolicy":{"containerPolicies":[{"containerName":"*","maxAllowed":{"nvidia.com/gpu":"3"}}]}}}`
	rightsize := rightsizeOf(t, workload, &gputide.Options{Files: []gputide.File{{Name: "vpa.json", Text: []byte(vpa)}}})
	description, err := rightsize.Describe()
	must(t, err)
	var told struct {
		Model   string `json:"gpu_model"`
		MaxGPUs int    `json:"max_gpus"`
	}
	must(t, json.Unmarshal(description, &told))
	equal(t, "model, of the settings", told.Model, "A100")
	equal(t, "most GPUs, of the VPA", told.MaxGPUs, 3)
	fit, err := rightsize.Fit(5_000_000_000, 12.5)
	must(t, err)
	var fits struct {
		Options []struct {
			Kind    string
			Profile string `json:"mig_profile"`
		}
	}
	must(t, json.Unmarshal(fit, &fits))
	if len(fits.Options) == 0 || fits.Options[0].Kind != "mig" || fits.Options[0].Profile != "2g.20gb" {
		t.Errorf("the fit is %s", fit)
	}
	_, err = rightsize.Fit(1, math.NaN())
	is(t, err, gputide.ErrInvalid)
	_, err = gputide.OpenRightsize([]byte(`{"gpus":0}`), nil)
	is(t, err, gputide.ErrInvalid)
}

const scaledJob = `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},"spec":{"jobTargetRef":{"template":{}},
  "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}}`

func TestAQueueBecomesJobs(t *testing.T) {
	observation := json.RawMessage(`{"values":[12.5],"running":3,"pending":1}`)
	text, err := gputide.DecideScaledJob([]byte(scaledJob), nil, observation)
	must(t, err)
	var decision struct{ Create int }
	must(t, json.Unmarshal(text, &decision))
	equal(t, "create", decision.Create, 4)
	_, err = gputide.DecideScaledJob([]byte(scaledJob), nil, json.RawMessage(`{"values":[]}`))
	is(t, err, gputide.ErrInvalid)
	_, err = gputide.DecideScaledJob(scaledObject(), nil, observation)
	is(t, err, gputide.ErrInvalid)
	two := []byte(scaledJob + "\n---\n" + strings.ReplaceAll(scaledJob, "train", "other"))
	_, err = gputide.DecideScaledJob(two, nil, observation)
	is(t, err, gputide.ErrAmbiguous)
	_, err = gputide.DecideScaledJob(two, &gputide.Options{Scaler: "other"}, observation)
	must(t, err)
	_, err = gputide.DecideScaledJob(two, &gputide.Options{Scaler: "\x00"}, observation)
	is(t, err, gputide.ErrNUL)
}

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
	for _, report := range reports {
		equal(t, "report", report, reports[0])
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
