package main

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// objects are those of a cluster, as the API server's clients get them.
type objects struct {
	nodes     []*corev1.Node
	running   []*corev1.Pod
	pending   []*corev1.Pod
	listed    []runtime.Object // all that informers have
	claims    map[string]bool
	templates map[string]*resourcev1.ResourceClaimTemplate
}

// objectsOf reads objects, with the defaults of the API server and the claims that a controller creates from templates.
func objectsOf(items []json.RawMessage) (*objects, error) {
	out := &objects{claims: map[string]bool{}, templates: map[string]*resourcev1.ResourceClaimTemplate{}}
	namespaces := map[string]bool{}
	for _, item := range items {
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
		if err != nil {
			return nil, err
		}
		legacyscheme.Scheme.Default(object)
		meta, ok := object.(metav1.Object)
		if !ok {
			return nil, fmt.Errorf("not an object: %T", object)
		}
		if meta.GetUID() == "" {
			meta.SetUID(types.UID(fmt.Sprintf("%T/%s/%s", object, meta.GetNamespace(), meta.GetName())))
		}
		namespaces[meta.GetNamespace()] = true
		out.take(object)
	}
	delete(namespaces, "")
	for name := range namespaces {
		out.listed = append(out.listed, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for _, pod := range out.pending {
		if isLeftOut(pod) {
			continue
		}
		if err := out.createClaims(pod); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (o *objects) take(object runtime.Object) {
	switch object := object.(type) {
	case *corev1.Node:
		o.nodes = append(o.nodes, object)
	case *corev1.Pod:
		finished := object.Status.Phase == corev1.PodSucceeded || object.Status.Phase == corev1.PodFailed
		if finished { // the scheduler does not list them
			return
		}
		if object.Spec.NodeName != "" {
			o.running = append(o.running, object)
		} else {
			o.pending = append(o.pending, object)
		}
	case *resourcev1.ResourceClaimTemplate:
		o.templates[object.Namespace+"/"+object.Name] = object
	case *resourcev1.ResourceClaim:
		o.claims[object.Namespace+"/"+object.Name] = true
		o.listed = append(o.listed, object)
	default:
		o.listed = append(o.listed, object)
	}
}

// createClaims creates the claims of templates as the resourceclaim controller does, unless the pod's status names them.
func (o *objects) createClaims(pod *corev1.Pod) error {
	controller := true
	for _, reference := range pod.Spec.ResourceClaims {
		if reference.ResourceClaimTemplateName == nil || hasClaim(pod, reference.Name) {
			continue
		}
		from := o.templates[pod.Namespace+"/"+*reference.ResourceClaimTemplateName]
		if from == nil {
			return fmt.Errorf("no ResourceClaimTemplate %s", *reference.ResourceClaimTemplateName)
		}
		name := pod.Name + "-" + reference.Name
		owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controller}
		claim := &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: name, UID: types.UID(pod.Namespace + "/" + name),
				OwnerReferences: []metav1.OwnerReference{owner}},
			Spec: *from.Spec.Spec.DeepCopy(),
		}
		legacyscheme.Scheme.Default(claim)
		o.listed = append(o.listed, claim)
		pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses,
			corev1.PodResourceClaimStatus{Name: reference.Name, ResourceClaimName: &name})
	}
	return nil
}

func hasClaim(pod *corev1.Pod, reference string) bool {
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name == reference {
			return true
		}
	}
	return false
}
