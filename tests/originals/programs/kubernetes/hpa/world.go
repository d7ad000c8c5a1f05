package main

import (
	"context"
	"errors"
	"fmt"
	"testing/synctest"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

// world is what the clients answer from.
type world struct {
	hpas, pods cache.Indexer
	handlers   []cache.ResourceEventHandler
	replicas   int32
	status     int32
	written    *int32
	readCalls  int
	now        *step
}

func newWorld(hpa *autoscalingv2.HorizontalPodAutoscaler) *world {
	by := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	w := &world{hpas: cache.NewIndexer(cache.MetaNamespaceKeyFunc, by), pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, by)}
	w.hpas.Add(hpa)
	return w
}

// newController has a resync period that no timeline reaches: a pass comes only with a new generation of the object.
func newController(ctx context.Context, w *world, f flags) *podautoscaler.HorizontalController {
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{apps})
	mapper.Add(apps.WithKind("Deployment"), meta.RESTScopeNamespace)
	second := time.Second
	return podautoscaler.NewHorizontalController(ctx, events{}, scales{w}, hpaClients{w}, mapper, metricsClient{w},
		hpaInformer{w}, podInformer{w}, 1e6*time.Hour, time.Duration(f.DownscaleS)*second, f.Tolerance,
		time.Duration(f.CPUInitS)*second, time.Duration(f.ReadinessS)*second)
}

// pass lets time go by, and the controller look once.
func (w *world) pass(controller *podautoscaler.HorizontalController, s *step, f flags) (answer, error) {
	time.Sleep(milliseconds(int64(s.WaitMS)))
	old := w.hpa()
	changed := old.DeepCopy()
	changed.Generation++
	if len(s.HPA) > 0 {
		edited, err := stored(s.HPA)
		if err != nil {
			return answer{}, err
		}
		changed.Spec = edited.Spec
	}
	w.take(s)
	result := answer{NowMS: time.Now().UnixMilli(), Replicas: w.replicas, StatusReplicas: w.status}
	w.hpas.Update(changed)
	for _, handler := range w.handlers {
		if changed.Generation == 1 {
			handler.OnAdd(changed, false)
		} else {
			handler.OnUpdate(old, changed)
		}
	}
	synctest.Wait()
	if w.written != nil {
		result.Written = w.written
		if s.WriteError == "" {
			w.replicas = *w.written
		}
	}
	result.Read = w.readCalls > 0
	result.Conditions = conditions(w.hpa())
	result.Metrics = proposals(w, changed, f, result)
	result.Memory = remembered(controller, changed.Namespace+"/"+changed.Name)
	return result, nil
}

func conditions(hpa *autoscalingv2.HorizontalPodAutoscaler) []autoscalingv2.HorizontalPodAutoscalerCondition {
	list := append([]autoscalingv2.HorizontalPodAutoscalerCondition{}, hpa.Status.Conditions...)
	for i := range list {
		list[i].LastTransitionTime = metav1.Time{}
	}
	return list
}

func (w *world) hpa() *autoscalingv2.HorizontalPodAutoscaler {
	return w.hpas.List()[0].(*autoscalingv2.HorizontalPodAutoscaler)
}

func (w *world) take(s *step) {
	w.now, w.written, w.readCalls = s, nil, 0
	if s.Replicas != nil {
		w.replicas = *s.Replicas
	}
	w.status = w.replicas
	if s.StatusReplicas != nil {
		w.status = *s.StatusReplicas
	}
	pods := make([]interface{}, 0, len(s.Pods))
	for i := range w.existing() {
		pods = append(pods, podObject(i, &s.Pods[i]))
	}
	w.pods.Replace(pods, "")
}

func (w *world) existing() int { return min(len(w.now.Pods), int(w.status)) }

func podObject(index int, p *pod) *corev1.Pod {
	now := time.Now()
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("x-", index), Namespace: "n", Labels: map[string]string{"app": "x"}}}
	out.Status.Phase = corev1.PodPhase(p.Phase)
	if p.StartMS != nil {
		out.Status.StartTime = &metav1.Time{Time: now.Add(-milliseconds(*p.StartMS))}
	}
	if p.Ready != "" {
		out.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionStatus(p.Ready),
			LastTransitionTime: metav1.Time{Time: now.Add(-milliseconds(p.ChangeMS))}}}
	}
	if p.Deleting {
		out.DeletionTimestamp = &metav1.Time{Time: now}
	}
	for _, name := range []string{"main", "side"} {
		requests, given := p.Requests[name]
		if !given {
			continue
		}
		container := corev1.Container{Name: name}
		container.Resources.Requests = corev1.ResourceList{}
		for resourceName, milli := range requests {
			container.Resources.Requests[corev1.ResourceName(resourceName)] = *resource.NewMilliQuantity(milli, resource.DecimalSI)
		}
		out.Spec.Containers = append(out.Spec.Containers, container)
	}
	return out
}

func (w *world) scale() *autoscalingv1.Scale {
	return &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "n"},
		Spec:   autoscalingv1.ScaleSpec{Replicas: w.replicas},
		Status: autoscalingv1.ScaleStatus{Replicas: w.status, Selector: "app=x"}}
}

func problem(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
