package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	scaleclient "k8s.io/client-go/scale"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)

// target is the workload that is scaled.  Clients implement what KEDA calls; an embedded interface is nil, so that a new call
// fails loudly.
type target struct {
	replicas   int32
	ready      int
	readError  string
	writeError string
	writes     []int32
}

func deployment() *kedav1alpha1.GroupVersionKindResource {
	return &kedav1alpha1.GroupVersionKindResource{Group: "apps", Version: "v1", Kind: "Deployment", Resource: "deployments"}
}

type objects struct {
	client.Client
	target *target
	jobs   *jobInput
	made   int
}

func (o *objects) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	found, is := into.(*appsv1.Deployment)
	if !is {
		return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, key.Name)
	}
	if o.target.readError != "" {
		return errors.New(o.target.readError)
	}
	found.Spec.Replicas = &o.target.replicas
	return nil
}

func (o *objects) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	var asked client.ListOptions
	asked.ApplyOptions(options)
	switch list := into.(type) {
	case *corev1.PodList:
		if o.jobs != nil {
			list.Items = o.jobs.pods(asked.LabelSelector)
			return nil
		}
		for i := range o.target.ready {
			pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("x-", i)}}
			pod.Status.Phase = corev1.PodRunning
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			list.Items = append(list.Items, pod)
		}
	case *batchv1.JobList:
		list.Items = o.jobs.list()
	default:
		return fmt.Errorf("no list of %T", into)
	}
	return nil
}

func (o *objects) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	if o.jobs.Refused > 0 {
		o.jobs.Refused--
		return errors.New("exceeded quota")
	}
	o.made++
	return nil
}

func (o *objects) Status() client.SubResourceWriter { return statusWriter{} }

type statusWriter struct{ client.SubResourceWriter }

func (statusWriter) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}

type scales struct{ target *target }

func (s scales) Scales(string) scaleclient.ScaleInterface { return scaleOne{target: s.target} }

type scaleOne struct {
	scaleclient.ScaleInterface
	target *target
}

func (s scaleOne) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: s.target.replicas}, Status: autoscalingv1.ScaleStatus{Selector: "app=x"}}, nil
}

func (s scaleOne) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	s.target.writes = append(s.target.writes, scale.Spec.Replicas)
	if s.target.writeError != "" {
		return nil, errors.New(s.target.writeError)
	}
	s.target.replicas = scale.Spec.Replicas
	return scale, nil
}

// recorder keeps events as "Type Reason: note".
type recorder struct{ said []string }

func (r *recorder) Eventf(_ runtime.Object, _ runtime.Object, kind, reason, _, note string, arguments ...interface{}) {
	r.said = append(r.said, kind+" "+reason+": "+fmt.Sprintf(note, arguments...))
}
