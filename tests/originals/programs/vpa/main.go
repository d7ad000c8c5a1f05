// Runs the recommender of the VerticalPodAutoscaler on the samples of one container.
package main

import (
	"encoding/json"
	"testing"
	"time"

	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"

	"gputide/tests/originals/lines"
)

type input struct {
	Containers int      `json:"containers"` // of the pod; the minimum is divided among them
	Samples    []sample `json:"samples"`
	Config     config   `json:"config"`
}

type config struct {
	Margin        float64 `json:"margin"`
	Target        float64 `json:"target_percentile"`
	Lower         float64 `json:"lower_percentile"`
	Upper         float64 `json:"upper_percentile"`
	MinMillicores float64 `json:"min_millicores"`
	MinMegabytes  float64 `json:"min_megabytes"`
	IntervalS     int64   `json:"memory_interval_s"`
	HalfLifeS     int64   `json:"half_life_s"`
}

type sample struct {
	MS     int64  `json:"ms"`
	CPU    *int64 `json:"millicores"`
	Memory *int64 `json:"bytes"`
	OOM    *int64 `json:"oom_requested"` // ran out of memory with so many bytes requested
}

type amounts struct {
	CPU    int64 `json:"millicores"`
	Memory int64 `json:"bytes"`
}

type output struct {
	Target amounts `json:"target"`
	Lower  amounts `json:"lower"`
	Upper  amounts `json:"upper"`
	Count  int     `json:"samples"`
}

func main() { lines.Run(recommendation) }

func recommendation(_ *testing.T, line []byte) (any, error) {
	var given input
	if err := json.Unmarshal(line, &given); err != nil {
		return nil, err
	}
	return recommend(&given), nil
}

func recommend(given *input) output {
	c := given.Config
	interval, halfLife := time.Duration(c.IntervalS)*time.Second, time.Duration(c.HalfLifeS)*time.Second
	model.InitializeAggregationsConfig(model.NewAggregationsConfig(interval, model.DefaultMemoryAggregationIntervalCount, halfLife, halfLife,
		model.DefaultOOMBumpUpRatio, model.DefaultOOMMinBumpUp))
	all := model.ContainerNameToAggregateStateMap{}
	aggregate := model.NewAggregateContainerState()
	all["c"] = aggregate
	for len(all) < given.Containers {
		all[string(rune('d'+len(all)))] = model.NewAggregateContainerState()
	}
	container := model.NewContainerState(model.Resources{}, aggregate)
	for i := range given.Samples {
		take(container, &given.Samples[i])
	}
	recommender := logic.CreatePodResourceRecommender(logic.RecommendationConfig{SafetyMarginFraction: c.Margin,
		PodMinCPUMillicores: c.MinMillicores, PodMinMemoryMb: c.MinMegabytes,
		TargetCPUPercentile: c.Target, LowerBoundCPUPercentile: c.Lower, UpperBoundCPUPercentile: c.Upper, ConfidenceIntervalCPU: 24 * time.Hour,
		TargetMemoryPercentile: c.Target, LowerBoundMemoryPercentile: c.Lower, UpperBoundMemoryPercentile: c.Upper, ConfidenceIntervalMemory: 24 * time.Hour})
	found := recommender.GetRecommendedPodResources(all)["c"]
	return output{Target: amountsOf(found.Target), Lower: amountsOf(found.LowerBound), Upper: amountsOf(found.UpperBound), Count: aggregate.TotalSamplesCount}
}

func take(container *model.ContainerState, s *sample) {
	at := time.UnixMilli(s.MS)
	if s.CPU != nil {
		container.AddSample(&model.ContainerUsageSample{MeasureStart: at, Usage: model.ResourceAmount(*s.CPU), Resource: model.ResourceCPU})
	}
	if s.Memory != nil {
		container.AddSample(&model.ContainerUsageSample{MeasureStart: at, Usage: model.ResourceAmount(*s.Memory), Resource: model.ResourceMemory})
	}
	if s.OOM != nil {
		container.RecordOOM(at, model.ResourceAmount(*s.OOM))
	}
}

func amountsOf(resources model.Resources) amounts {
	return amounts{CPU: int64(resources[model.ResourceCPU]), Memory: int64(resources[model.ResourceMemory])}
}
