package main

import (
	"context"
	"fmt"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	toolscache "k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// cluster is a scheduler's view of one cluster: real plugins over informers of a client that answers from the input.
type cluster struct {
	nodes     []*corev1.Node
	snapshot  *cache.Snapshot
	framework framework.Framework
	informers informers.SharedInformerFactory
	slices    *resourceslicetracker.Tracker
}

func newCluster(ctx context.Context, of *objects) (*cluster, error) {
	client := fake.NewSimpleClientset(of.listed...)
	factory := informers.NewSharedInformerFactory(client, 0)
	resources := factory.Resource().V1()
	slices, err := resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		EnableDeviceTaintRules:   utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            resources.ResourceSlices(),
		TaintInformer:            resources.DeviceTaintRules(),
	})
	if err != nil {
		return nil, err
	}
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), resources.ResourceClaims().Informer(), "ResourceClaim", "", nil)
	out := &cluster{nodes: of.nodes, snapshot: cache.NewSnapshot(of.running, of.nodes), informers: factory, slices: slices}
	if err := out.snapshot.StartMutations(); err != nil {
		return nil, err
	}
	devices := dynamicresources.NewDRAManager(ctx, claims, slices, factory)
	if classes, ok := devices.DeviceClassResolver().(toolscache.ResourceEventHandler); ok { // as the scheduler's own handlers
		if _, err := resources.DeviceClasses().Informer().AddEventHandler(classes); err != nil {
			return nil, err
		}
	}
	profile, err := defaultProfile()
	if err != nil {
		return nil, err
	}
	out.framework, err = runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		runtime.WithClientSet(client),
		runtime.WithInformerFactory(factory),
		runtime.WithSharedDRAManager(devices),
		runtime.WithSnapshotSharedLister(out.snapshot),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		runtime.WithPodGroupManager(out.snapshot),
		runtime.WithWaitingPods(runtime.NewWaitingPodsMap()),
		runtime.WithPodsInPreBind(runtime.NewPodsInPreBindMap()))
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	synctest.Wait() // until the plugins' own caches have seen everything
	return out, nil
}

func (c *cluster) close(cancel func()) {
	cancel()
	c.slices.Stop()
	c.informers.Shutdown()
	synctest.Wait()
}

func defaultProfile() (*config.KubeSchedulerProfile, error) {
	var versioned configv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&versioned)
	var internal config.KubeSchedulerConfiguration
	if err := scheme.Scheme.Convert(&versioned, &internal, nil); err != nil {
		return nil, err
	}
	return &internal.Profiles[0], nil
}

// verdict is what the filters say of a pod: why a node refuses it, or why no node is looked at.
type verdict struct {
	whole string
	why   map[string]string
	state fwk.CycleState
}

// ask runs the filters on every node.  An error of any of them ends the whole cycle, as in the scheduler.
func (c *cluster) ask(ctx context.Context, pod *corev1.Pod) (*verdict, error) {
	out := &verdict{why: map[string]string{}, state: framework.NewCycleState()}
	allowed, status, _ := c.framework.RunPreFilterPlugins(ctx, out.state, pod)
	if !status.IsSuccess() {
		out.whole = said(status)
		return out, nil
	}
	for _, node := range c.nodes {
		if !allowed.AllNodes() && !allowed.NodeNames.Has(node.Name) {
			out.why[node.Name] = "not among the nodes that a plugin allows"
			continue
		}
		info, err := c.snapshot.Get(node.Name)
		if err != nil {
			return nil, err
		}
		status := c.framework.RunFilterPlugins(ctx, out.state, pod, info)
		if status.Code() == fwk.Error {
			out.whole = said(status)
		} else if !status.IsSuccess() {
			out.why[node.Name] = said(status)
		}
	}
	return out, nil
}

func said(status *fwk.Status) string { return fmt.Sprintf("%s: %s", status.Plugin(), status.Message()) }

// bind reserves what the pod needs, and adds it to the node.  Its claims stay in flight, which counts as allocated.
func (c *cluster) bind(ctx context.Context, asked *verdict, pod *corev1.Pod, node string) error {
	bound := pod.DeepCopy()
	bound.Spec.NodeName = node
	if status := c.framework.RunReservePluginsReserve(ctx, asked.state, bound, node); !status.IsSuccess() {
		return fmt.Errorf("reserving %s on %s: %s", pod.Name, node, said(status))
	}
	info, err := framework.NewPodInfo(bound)
	if err != nil {
		return err
	}
	return c.snapshot.AddPod(info, node)
}
