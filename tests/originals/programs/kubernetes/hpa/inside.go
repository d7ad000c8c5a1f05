package main

import (
	"context"
	"reflect"
	"time"
	"unsafe"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

// proposal is what the calculator says of one metric alone.
type proposal struct {
	Replicas    int32  `json:"replicas"`
	Usage       int64  `json:"usage_milli"`
	Utilization *int32 `json:"utilization,omitempty"`
	Error       string `json:"error,omitempty"`
}

// proposals asks the calculator again, metric by metric: the controller tells only the largest.
func proposals(w *world, hpa *autoscalingv2.HorizontalPodAutoscaler, f flags, a answer) []proposal {
	w.readCalls = 0
	calculator := podautoscaler.NewReplicaCalculator(metricsClient{w}, corelisters.NewPodLister(w.pods),
		time.Duration(f.CPUInitS)*time.Second, time.Duration(f.ReadinessS)*time.Second)
	tolerances := tolerancesOf(hpa, f)
	out := make([]proposal, 0, len(hpa.Spec.Metrics))
	for i := range hpa.Spec.Metrics {
		out = append(out, propose(calculator, &hpa.Spec.Metrics[i], tolerances, a))
	}
	return out
}

func propose(c *podautoscaler.ReplicaCalculator, spec *autoscalingv2.MetricSpec, t podautoscaler.Tolerances, a answer) (p proposal) {
	pods := labels.SelectorFromSet(labels.Set{"app": "x"})
	var err error
	switch spec.Type {
	case autoscalingv2.ExternalMetricSourceType:
		m := spec.External
		if m.Target.AverageValue != nil {
			p.Replicas, p.Usage, _, err = c.GetExternalPerPodMetricReplicas(a.StatusReplicas, m.Target.AverageValue.MilliValue(), m.Metric.Name, t, "n", m.Metric.Selector)
		} else {
			p.Replicas, p.Usage, _, err = c.GetExternalMetricReplicas(a.Replicas, m.Target.Value.MilliValue(), m.Metric.Name, t, "n", m.Metric.Selector, pods)
		}
	case autoscalingv2.ObjectMetricSourceType:
		m := spec.Object
		if m.Target.Type == autoscalingv2.ValueMetricType {
			p.Replicas, p.Usage, _, err = c.GetObjectMetricReplicas(a.Replicas, m.Target.Value.MilliValue(), m.Metric.Name, t, "n", &m.DescribedObject, pods, labels.Everything())
		} else {
			p.Replicas, p.Usage, _, err = c.GetObjectPerPodMetricReplicas(a.StatusReplicas, m.Target.AverageValue.MilliValue(), m.Metric.Name, t, "n", &m.DescribedObject, labels.Everything())
		}
	case autoscalingv2.PodsMetricSourceType:
		p.Replicas, p.Usage, _, err = c.GetMetricReplicas(a.Replicas, spec.Pods.Target.AverageValue.MilliValue(), spec.Pods.Metric.Name, t, "n", pods, labels.Everything())
	case autoscalingv2.ResourceMetricSourceType:
		p, err = ofResource(c, spec.Resource.Name, "", spec.Resource.Target, t, a.Replicas)
	case autoscalingv2.ContainerResourceMetricSourceType:
		p, err = ofResource(c, spec.ContainerResource.Name, spec.ContainerResource.Container, spec.ContainerResource.Target, t, a.Replicas)
	}
	if err != nil {
		return proposal{Error: err.Error()}
	}
	return p
}

func ofResource(c *podautoscaler.ReplicaCalculator, name corev1.ResourceName, container string, target autoscalingv2.MetricTarget, t podautoscaler.Tolerances, replicas int32) (p proposal, err error) {
	pods := labels.SelectorFromSet(labels.Set{"app": "x"})
	if target.AverageValue != nil {
		p.Replicas, p.Usage, _, err = c.GetRawResourceReplicas(context.Background(), replicas, target.AverageValue.MilliValue(), name, t, "n", pods, container)
		return p, err
	}
	var percent int32
	p.Replicas, percent, p.Usage, _, err = c.GetResourceReplicas(context.Background(), replicas, *target.AverageUtilization, name, t, "n", pods, container)
	p.Utilization = &percent
	return p, err
}

// memory is what the controller knows from pass to pass, in milliseconds of Unix time.
type memory struct {
	Recommendations [][2]int64 `json:"recommendations"` // time, replicas
	Up              [][2]int64 `json:"up"`              // time, change
	Down            [][2]int64 `json:"down"`
}

// remembered reads the controller's fields, which it does not export.
func remembered(controller *podautoscaler.HorizontalController, key string) memory {
	fields := reflect.ValueOf(controller).Elem()
	return memory{Recommendations: timed(fields, "recommendations", key), Up: timed(fields, "scaleUpEvents", key), Down: timed(fields, "scaleDownEvents", key)}
}

func timed(fields reflect.Value, name, key string) [][2]int64 {
	list := fields.FieldByName(name).MapIndex(reflect.ValueOf(key))
	out := [][2]int64{}
	if !list.IsValid() {
		return out
	}
	for i := range list.Len() {
		entry := list.Index(i)
		at := entry.FieldByName("timestamp")
		moment := *(*time.Time)(unsafe.Pointer(at.UnsafeAddr()))
		out = append(out, [2]int64{moment.UnixMilli(), entry.Field(0).Int()})
	}
	return out
}

// tolerancesOf fills a struct with fields that the package does not export, as the controller does.
func tolerancesOf(hpa *autoscalingv2.HorizontalPodAutoscaler, f flags) podautoscaler.Tolerances {
	up, down := f.Tolerance, f.Tolerance
	if behavior := hpa.Spec.Behavior; behavior != nil {
		if rules := behavior.ScaleUp; rules != nil && rules.Tolerance != nil {
			up = rules.Tolerance.AsApproximateFloat64()
		}
		if rules := behavior.ScaleDown; rules != nil && rules.Tolerance != nil {
			down = rules.Tolerance.AsApproximateFloat64()
		}
	}
	var out podautoscaler.Tolerances
	fields := reflect.ValueOf(&out).Elem()
	*(*float64)(unsafe.Pointer(fields.FieldByName("scaleUp").UnsafeAddr())) = up
	*(*float64)(unsafe.Pointer(fields.FieldByName("scaleDown").UnsafeAddr())) = down
	return out
}
