//go:build linux && cgo

package gputide_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

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
	for i, one := range []struct {
		sample gputide.UsageSample
		taken  int
	}{
		{gputide.UsageSample{Busy: &busy}, 1},
		{gputide.UsageSample{MemoryBytes: &memory}, 1},
		{gputide.UsageSample{OutOfMemory: true}, 1},
		{gputide.UsageSample{OutOfMemory: true, MemoryBytes: &memory}, 1},
		{gputide.UsageSample{Busy: &nothing}, 0},
	} {
		one.sample.Time, one.sample.Unit = now, i
		taken, err := rightsize.Add([]gputide.UsageSample{one.sample})
		must(t, err)
		if taken != one.taken {
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
