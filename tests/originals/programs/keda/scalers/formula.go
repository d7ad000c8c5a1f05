package main

import (
	"encoding/json"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/metrics/pkg/apis/external_metrics"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scaling/cache"
	"github.com/kedacore/keda/v2/pkg/scaling/modifiers"
)

type formulaInput struct {
	Object json.RawMessage `json:"object"`
	Names  []string        `json:"names"`
	Steps  [][]*int64      `json:"steps"` // thousandths by name; null: too many failures, where the fallback says scalingModifiers
}

type formulaValue struct {
	Milli *int64 `json:"milli"`
}

func formulaValues(line []byte) (any, error) {
	var input formulaInput
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &kedav1alpha1.ScaledObject{}
	if err := json.Unmarshal(input.Object, object); err != nil {
		return nil, err
	}
	program, err := kedav1alpha1.ValidateAndCompileScalingModifiers(object)
	if err != nil {
		return nil, err
	}
	compiled := &cache.ScalersCache{CompiledFormula: program}
	results := []formulaValue{}
	for _, step := range input.Steps {
		results = append(results, evaluate(object, compiled, input.Names, step))
	}
	return map[string]any{"steps": results}, nil
}

func evaluate(object *kedav1alpha1.ScaledObject, compiled *cache.ScalersCache, names []string, step []*int64) formulaValue {
	object.Status.Health = map[string]kedav1alpha1.HealthStatus{}
	pairs, values := map[string]string{}, []external_metrics.ExternalMetricValue{}
	for i, name := range names {
		metric := "metric-" + name
		pairs[metric] = name
		milli := int64(-1000)
		if step[i] != nil {
			milli = *step[i]
		} else {
			failures := object.Spec.Fallback.FailureThreshold + 1
			object.Status.Health[metric] = kedav1alpha1.HealthStatus{NumberOfFailures: &failures, Status: kedav1alpha1.HealthStatusFailing}
		}
		values = append(values, external_metrics.ExternalMetricValue{MetricName: metric, Value: *resource.NewMilliQuantity(milli, resource.DecimalSI)})
	}
	found := modifiers.HandleScalingModifiers(object, values, pairs, false, nil, compiled, logr.Discard())
	if len(found) != 1 {
		return formulaValue{}
	}
	milli := found[0].Value.MilliValue()
	return formulaValue{Milli: &milli}
}
