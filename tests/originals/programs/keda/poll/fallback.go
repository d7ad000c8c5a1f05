package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/metrics/pkg/apis/external_metrics"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/fallback"
	"gputide/tests/originals/lines"
)

type fallbackInput struct {
	Object     json.RawMessage                `json:"object"`
	MetricType autoscalingv2.MetricTargetType `json:"metric_type"`
	Threshold  float64                        `json:"threshold"`
	Steps      []read                         `json:"steps"`
}

type read struct {
	Value    float64 `json:"value"`
	Error    string  `json:"error"`
	Replicas int32   `json:"replicas"`
	Ready    int     `json:"ready"`
	NoScale  string  `json:"read_error"` // the scale cannot be read
}

type fellBack struct {
	Milli    *int64 `json:"milli"`
	Fallback bool   `json:"fallback"`
	Error    string `json:"error"`
	Failures *int32 `json:"failures"`
	Status   string `json:"status"`
	Holds    string `json:"condition"`
	Reason   string `json:"reason"`
}

const metricName = "s0-values"

func fallbackReads(line []byte) (any, error) {
	var input fallbackInput
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &kedav1alpha1.ScaledObject{}
	if err := json.Unmarshal(input.Object, object); err != nil {
		return nil, err
	}
	object.Status.ScaleTargetGVKR = deployment()
	if object.Spec.Fallback != nil && object.Spec.Fallback.Behavior == "" {
		object.Spec.Fallback.Behavior = kedav1alpha1.FallbackBehaviorStatic // the definition's default, which the API server fills in
	}
	workload, lock := &target{}, &sync.RWMutex{}
	handler := fallback.ScaledObjectHandler{Ctx: context.Background(), KubeClient: &objects{target: workload}, ScaleClient: scales{workload}, UpdateLock: lock, ScaledObject: object}
	spec := autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
		Metric: autoscalingv2.MetricIdentifier{Name: metricName}, Target: targetOf(input.MetricType, input.Threshold)}}
	results := []fellBack{}
	for _, step := range input.Steps {
		workload.replicas, workload.ready, workload.readError = step.Replicas, step.Ready, step.NoScale
		results = append(results, readOnce(handler, spec, step))
	}
	return map[string]any{"steps": results}, nil
}

func readOnce(handler fallback.ScaledObjectHandler, spec autoscalingv2.MetricSpec, value read) (out fellBack) {
	var values []external_metrics.ExternalMetricValue
	var failed error
	if value.Error != "" {
		failed = errors.New(value.Error)
	} else {
		values = append(values, valueOf(metricName, value.Value))
	}
	values, active, err := fallback.GetMetricsWithFallback(handler, values, failed, metricName, spec)
	out.Fallback, out.Error = active, lines.Said(err)
	if len(values) == 1 {
		milli := values[0].Value.MilliValue()
		out.Milli = &milli
	}
	if health, known := handler.ScaledObject.Status.Health[metricName]; known {
		failures := *health.NumberOfFailures // KEDA counts in place
		out.Failures, out.Status = &failures, string(health.Status)
	}
	condition := handler.ScaledObject.Status.Conditions.GetFallbackCondition()
	out.Holds, out.Reason = string(condition.Status), condition.Reason
	return out
}
