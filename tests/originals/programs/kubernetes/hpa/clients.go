package main

import (
	"context"
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	autoscalinglisters "k8s.io/client-go/listers/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

// Each client implements what the controller calls; the embedded interface is nil, so that a new call fails loudly.

type scales struct{ *world }

func (s scales) Scales(string) scaleclient.ScaleInterface { return scaleOne{world: s.world} }

type scaleOne struct {
	scaleclient.ScaleInterface
	world *world
}

func (s scaleOne) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	if err := problem(s.world.now.ScaleError); err != nil {
		return nil, err
	}
	return s.world.scale(), nil
}

func (s scaleOne) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	replicas := scale.Spec.Replicas
	s.world.written = &replicas
	return scale, problem(s.world.now.WriteError)
}

type hpaClients struct{ *world }

func (h hpaClients) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return hpaClient{world: h.world}
}

type hpaClient struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	world *world
}

func (h hpaClient) UpdateStatus(_ context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	// A status update leaves the stored spec as it is; the controller's copy may have been changed.
	kept := h.world.hpa().DeepCopy()
	kept.Status = hpa.Status
	return kept, h.world.hpas.Update(kept)
}

type events struct{}

func (events) Events(string) coreclient.EventInterface { return eventSink{} }

type eventSink struct{ coreclient.EventInterface }

func (eventSink) CreateWithEventNamespace(event *corev1.Event) (*corev1.Event, error) {
	return event, nil
}

func (eventSink) PatchWithEventNamespace(event *corev1.Event, _ []byte) (*corev1.Event, error) {
	return event, nil
}

func (e eventSink) CreateWithEventNamespaceWithContext(_ context.Context, event *corev1.Event) (*corev1.Event, error) {
	return event, nil
}

func (e eventSink) PatchWithEventNamespaceWithContext(_ context.Context, event *corev1.Event, _ []byte) (*corev1.Event, error) {
	return event, nil
}

type hpaInformer struct{ *world }

func (h hpaInformer) Informer() cache.SharedIndexInformer { return informer{world: h.world} }
func (h hpaInformer) Lister() autoscalinglisters.HorizontalPodAutoscalerLister {
	return autoscalinglisters.NewHorizontalPodAutoscalerLister(h.hpas)
}

type podInformer struct{ *world }

func (p podInformer) Informer() cache.SharedIndexInformer { return informer{world: p.world} }
func (p podInformer) Lister() corelisters.PodLister       { return corelisters.NewPodLister(p.pods) }

var (
	_ autoscalinginformers.HorizontalPodAutoscalerInformer = hpaInformer{}
	_ coreinformers.PodInformer                            = podInformer{}
)

type informer struct {
	cache.SharedIndexInformer
	world *world
}

func (informer) HasSynced() bool         { return true }
func (i informer) GetStore() cache.Store { return i.world.hpas }

func (i informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	i.world.handlers = append(i.world.handlers, handler)
	return nil, nil
}

// metricsClient knows metrics by their order: the controller asks once for each, in the order of the spec.
type metricsClient struct{ world *world }

func (m metricsClient) next() *metric {
	index := m.world.readCalls
	m.world.readCalls++
	if index >= len(m.world.now.Metrics) {
		return &metric{Error: fmt.Sprint("the input has no metric ", index)}
	}
	return &m.world.now.Metrics[index]
}

// ofPods makes an error of an answer without values, as the controller's own client does (metrics/client.go @v1.37.2).
func (m metricsClient) ofPods(api string) (metrics.PodMetricsInfo, time.Time, error) {
	response := m.next()
	if err := problem(response.Error); err != nil {
		return nil, time.Time{}, err
	}
	now, found := time.Now(), metrics.PodMetricsInfo{}
	for _, value := range response.Pods {
		if value.Pod < m.world.existing() {
			found[podName(value.Pod)] = metrics.PodMetric{Timestamp: now.Add(-milliseconds(value.AgeMS)),
				Window: time.Duration(value.WindowS) * time.Second, Value: value.Milli}
		}
	}
	if len(found) == 0 {
		return nil, time.Time{}, fmt.Errorf("no metrics returned from %s metrics API", api)
	}
	return found, now, nil
}

func podName(index int) string {
	if index < 0 {
		return "unknown"
	}
	return fmt.Sprint("x-", index)
}

func (m metricsClient) GetResourceMetric(context.Context, corev1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return m.ofPods("resource")
}

func (m metricsClient) GetRawMetric(string, string, labels.Selector, labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	return m.ofPods("custom")
}

func (m metricsClient) GetObjectMetric(string, string, *autoscalingv2.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	values, now, err := m.GetExternalMetric("", "", nil)
	if err != nil {
		return 0, now, err
	}
	return values[0], now, nil
}

func (m metricsClient) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	response := m.next()
	if err := problem(response.Error); err != nil {
		return nil, time.Time{}, err
	}
	return append([]int64{}, response.Values...), time.Now(), nil
}
