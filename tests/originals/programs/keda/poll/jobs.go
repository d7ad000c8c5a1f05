package main

import (
	"context"
	"encoding/json"
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/metrics/pkg/apis/external_metrics"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scaling/executor"
	"github.com/kedacore/keda/v2/pkg/scaling/scaledjob"
)

// ownTypes is for the owner reference of each Job.
var ownTypes = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(kedav1alpha1.AddToScheme(scheme))
	return scheme
}()

type jobInput struct {
	Object    json.RawMessage `json:"object"`
	Triggers  []jobTrigger    `json:"triggers"`
	Running   int             `json:"running"` // those that wait included
	Pending   int             `json:"pending"`
	WasActive bool            `json:"was_active"`
	Refused   int             `json:"refused"` // so many of the Jobs to be made are refused
}

type jobTrigger struct {
	Threshold  float64  `json:"threshold"`
	Activation float64  `json:"activation"`
	Value      *float64 `json:"value"` // null: the read failed
}

type jobOutput struct {
	Active     bool               `json:"active"`
	ScaleTo    int64              `json:"scale_to"`
	MaxScale   int64              `json:"max_scale"`
	Created    int                `json:"created"`
	Conditions []metav1.Condition `json:"conditions"`
	Events     []string           `json:"events"`
}

func (j *jobInput) list() (jobs []batchv1.Job) {
	for i := range j.Running {
		jobs = append(jobs, batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("j-", i)}})
	}
	return jobs
}

// pods gives each Job but the first `pending` ones a pod at work.
func (j *jobInput) pods(selector labels.Selector) []corev1.Pod {
	for i := range j.Running {
		if i >= j.Pending && selector.Matches(labels.Set{"job-name": fmt.Sprint("j-", i)}) {
			pod := corev1.Pod{}
			pod.Status.Phase = corev1.PodRunning
			return []corev1.Pod{pod}
		}
	}
	return nil
}

func jobPoll(line []byte) (any, error) {
	var input jobInput
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &kedav1alpha1.ScaledJob{}
	if err := json.Unmarshal(input.Object, object); err != nil {
		return nil, err
	}
	if input.WasActive {
		object.Status.Conditions.SetActiveCondition(metav1.ConditionTrue, "ScalerActive", "")
	}
	found, failed := metricsOf(&input, object)
	strategy := object.Spec.ScalingStrategy
	active, scaleTo, maxScale, _ := scaledjob.IsScaledJobActive(found, strategy.MultipleScalersCalculation, object.MinReplicaCount(), object.MaxReplicaCount())
	cluster, events := &objects{jobs: &input, target: &target{}}, &recorder{}
	result := executor.NewScaleExecutor(cluster, nil, ownTypes, 0, events).RequestJobScale(context.Background(), object, active, failed, scaleTo, maxScale, executor.ScaleExecutorOptions{})
	out := jobOutput{Active: active, ScaleTo: scaleTo, MaxScale: maxScale, Created: cluster.made, Events: events.said}
	for _, condition := range result.Conditions {
		out.Conditions = append(out.Conditions, metav1.Condition{Type: string(condition.Type), Status: condition.Status, Reason: condition.Reason, Message: condition.Message})
	}
	return out, nil
}

// metricsOf does what the scale handler does with each trigger (pkg/scaling/scale_handler.go getScaledJobMetrics @v2.21.0).
func metricsOf(input *jobInput, object *kedav1alpha1.ScaledJob) (out []scaledjob.ScalerMetrics, failed bool) {
	for i, trigger := range input.Triggers {
		if trigger.Value == nil {
			failed = true
			continue
		}
		name := fmt.Sprint("s", i, "-values")
		spec := []autoscalingv2.MetricSpec{{External: &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: name}, Target: targetOf(autoscalingv2.AverageValueMetricType, trigger.Threshold)}}}
		values := []external_metrics.ExternalMetricValue{valueOf(name, *trigger.Value)}
		length, most, _ := scaledjob.CalculateQueueLengthAndMaxValue(values, spec, object.MaxReplicaCount())
		out = append(out, scaledjob.ScalerMetrics{QueueLength: length, MaxValue: most, IsActive: *trigger.Value > trigger.Activation})
	}
	return out, failed
}
