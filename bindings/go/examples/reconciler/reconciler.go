package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	manifestLabel = "gputide.io/manifest"
	manifestKey   = "scaledobject.yaml"
)

// A Reconciler has one scaler in its fleet for each ConfigMap with a manifest. ConfigMaps say which scalers there are, Deployments
// how large they are, events what to write.
type Reconciler struct {
	client      kubernetes.Interface
	namespace   string
	factory     informers.SharedInformerFactory
	manifests   corelisters.ConfigMapLister
	deployments appslisters.DeploymentLister
	queue       workqueue.TypedRateLimitingInterface[string]
	fleet       *gputide.Runtime

	guard   sync.Mutex
	scalers map[string]scaler // by the ConfigMap's name
}

// A scaler is what became of one ConfigMap.
type scaler struct {
	id     gputide.ScalerID
	text   string
	target string // the Deployment's name
}

// NewReconciler works in one namespace. options say how the fleet works; nil: its defaults.
func NewReconciler(client kubernetes.Interface, namespace string, options *gputide.RuntimeOptions) (*Reconciler, error) {
	fleet, err := gputide.NewRuntime(options)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 10*time.Minute, informers.WithNamespace(namespace))
	configMaps, deployments := factory.Core().V1().ConfigMaps(), factory.Apps().V1().Deployments()
	r := &Reconciler{
		client: client, namespace: namespace, factory: factory, fleet: fleet, scalers: map[string]scaler{},
		manifests: configMaps.Lister(), deployments: deployments.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	if _, err := configMaps.Informer().AddEventHandler(handler(r.manifestChanged)); err != nil {
		return nil, err
	}
	if _, err := deployments.Informer().AddEventHandler(handler(r.deploymentChanged)); err != nil {
		return nil, err
	}
	return r, nil
}

// handler calls one function for whatever happens to an object.
func handler(changed func(object any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    changed,
		UpdateFunc: func(_, object any) { changed(object) },
		DeleteFunc: changed,
	}
}

func (r *Reconciler) manifestChanged(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if configMap, ok := object.(*corev1.ConfigMap); ok {
		if _, labelled := configMap.Labels[manifestLabel]; labelled {
			r.queue.Add(configMap.Name)
		}
	}
}

// deploymentChanged lets every scaler of that target be looked at again, which observes the size.
func (r *Reconciler) deploymentChanged(object any) {
	deployment, ok := object.(*appsv1.Deployment)
	if !ok {
		return
	}
	r.guard.Lock()
	defer r.guard.Unlock()
	for name, scaler := range r.scalers {
		if scaler.target == deployment.Name {
			r.queue.Add(name)
		}
	}
}

// Run works until ctx ends.
func (r *Reconciler) Run(ctx context.Context) error {
	defer r.fleet.Close()
	r.factory.Start(ctx.Done())
	for kind, synced := range r.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the cache of %v has not come: %w", kind, ctx.Err())
		}
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Add(1)
	go func() {
		defer all.Done()
		r.work(ctx)
	}()
	defer r.queue.ShutDown()
	for event, err := range r.fleet.Events(ctx) {
		if err != nil {
			return err
		}
		if event.WantsWrite() {
			r.write(ctx, event)
		}
	}
	return nil
}

func (r *Reconciler) work(ctx context.Context) {
	for {
		name, shutdown := r.queue.Get()
		if shutdown {
			return
		}
		err := r.reconcile(name)
		switch {
		case err == nil:
			r.queue.Forget(name)
		case errors.Is(err, gputide.ErrInvalid): // until the manifest changes
			r.queue.Forget(name)
			slog.Error("a manifest that cannot be used", "configmap", name, "err", err)
		case ctx.Err() == nil:
			r.queue.AddRateLimited(name)
			slog.Warn("again later", "configmap", name, "err", err)
		}
		r.queue.Done(name)
	}
}

// reconcile makes the fleet have what one ConfigMap says, and know its target's size. It may be called at any time.
func (r *Reconciler) reconcile(name string) error {
	r.guard.Lock()
	defer r.guard.Unlock()
	manifest, err := r.manifests.ConfigMaps(r.namespace).Get(name)
	scaler, known := r.scalers[name]
	switch {
	case apierrors.IsNotFound(err):
		if !known {
			return nil
		}
		delete(r.scalers, name)
		return r.fleet.Remove(scaler.id)
	case err != nil:
		return err
	}
	text, options := manifest.Data[manifestKey], &gputide.Options{TextName: name + "/" + manifestKey}
	if !known {
		if scaler.id, err = r.fleet.Add([]byte(text), options); err != nil {
			return err
		}
	} else if scaler.text != text {
		if err := r.fleet.Replace(scaler.id, []byte(text), options); err != nil {
			return err
		}
	}
	if scaler.text != text {
		if scaler.target, err = targetOf(text, options); err != nil {
			return err
		}
		scaler.text = text
	}
	r.scalers[name] = scaler
	return r.observe(scaler)
}

// targetOf is the Deployment that a manifest names.
func targetOf(text string, options *gputide.Options) (string, error) {
	policy, err := gputide.OpenPolicy([]byte(text), options)
	if err != nil {
		return "", err
	}
	defer policy.Close()
	description, err := policy.Describe()
	if err != nil {
		return "", err
	}
	var described struct{ Target struct{ Kind, Name string } }
	if err := json.Unmarshal(description, &described); err != nil {
		return "", err
	}
	if kind := described.Target.Kind; kind != "Deployment" {
		return "", fmt.Errorf("the target is a %s; this skeleton scales Deployments", kind)
	}
	return described.Target.Name, nil
}

func (r *Reconciler) observe(scaled scaler) error {
	deployment, err := r.deployments.Deployments(r.namespace).Get(scaled.target)
	if err != nil {
		return r.fleet.Observe(scaled.id, gputide.Observation{Unreadable: true})
	}
	seen := gputide.Observation{Current: 1, StatusReplicas: &deployment.Status.Replicas, ReadyReplicas: &deployment.Status.ReadyReplicas}
	if deployment.Spec.Replicas != nil {
		seen.Current = *deployment.Spec.Replicas
	}
	return r.fleet.Observe(scaled.id, seen)
}

// write does what an event asks for, and says how that went.
func (r *Reconciler) write(ctx context.Context, event *gputide.Event) {
	err := r.scale(ctx, event)
	if err != nil {
		slog.Error("the size was not written", "scaler", event.Name, "err", err)
	} else {
		slog.Info("scaled", "scaler", event.Name, "from", event.Decision.Current, "to", event.Decision.Desired, "limited_by", event.Decision.LimitedBy)
	}
	if err := r.fleet.Record(event, err == nil); err != nil && !errors.Is(err, gputide.ErrNotFound) { // removed meanwhile
		slog.Error("record", "scaler", event.Name, "err", err)
	}
}

func (r *Reconciler) scale(ctx context.Context, event *gputide.Event) error {
	r.guard.Lock()
	var target string
	for _, scaler := range r.scalers {
		if scaler.id == event.ID {
			target = scaler.target
		}
	}
	r.guard.Unlock()
	if target == "" {
		return errors.New("its manifest is gone")
	}
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, event.Decision.Desired)
	_, err := r.client.AppsV1().Deployments(r.namespace).Patch(ctx, target, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "gputide"})
	return err
}
