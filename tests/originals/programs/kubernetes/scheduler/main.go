// Asks the filters of the kube-scheduler, with its default plugins, where the pending pods of a cluster fit.
package main

import (
	"context"
	"encoding/json"
	"sort"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"gputide/tests/originals/lines"
)

func main() {
	klog.SetLogger(logr.Discard())
	metrics.Register()
	lines.Run(lines.InStandingTime(answer))
}

// An annotation of pods that the library must leave out as not modeled: they are not asked about.
const leftOut = "gputide.io/left-out"

type result struct {
	Runs []*run `json:"runs"`
}

// Equal pods that wait one after another.
type run struct {
	Pods []string          `json:"pods"`
	On   map[string]int    `json:"on"`            // by node
	Why  map[string]string `json:"why,omitempty"` // by node, of the last pod that it refused; "": no node is looked at
	next []*corev1.Pod
}

func answer(line []byte) (any, error) {
	var given struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(line, &given); err != nil {
		return nil, err
	}
	objects, err := objectsOf(given.Items)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	made, err := newCluster(ctx, objects)
	if err != nil {
		cancel()
		return nil, err
	}
	defer made.close(cancel)
	out := result{Runs: runsOf(objects.pending)}
	for _, each := range out.Runs {
		if err := made.place(ctx, each); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// runsOf gives the pods by priority, then in the order of the list; neighbors of one controller go together.
func runsOf(pods []*corev1.Pod) []*run {
	pods = append([]*corev1.Pod{}, pods...)
	sort.SliceStable(pods, func(a, b int) bool { return priorityOf(pods[a]) > priorityOf(pods[b]) })
	out, last := []*run{}, ""
	for _, pod := range pods {
		if isLeftOut(pod) {
			continue
		}
		owner := ""
		if len(pod.OwnerReferences) > 0 {
			owner = string(pod.OwnerReferences[0].UID)
		}
		if owner == "" || owner != last {
			out = append(out, &run{On: map[string]int{}})
		}
		at := out[len(out)-1]
		at.Pods = append(at.Pods, pod.Namespace+"/"+pod.Name)
		at.next = append(at.next, pod)
		last = owner
	}
	return out
}

func isLeftOut(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[leftOut]
	return ok
}

func priorityOf(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// place goes over the nodes and puts as many pods on each as it takes, until no node takes another one.
func (c *cluster) place(ctx context.Context, each *run) error {
	var asked *verdict // holds until a pod is bound
	for again := true; again && len(each.next) > 0; {
		again = false
		for _, node := range c.nodes {
			for len(each.next) > 0 {
				pod := each.next[0]
				if asked == nil {
					var err error
					if asked, err = c.ask(ctx, pod); err != nil {
						return err
					}
				}
				if why, refused := asked.why[node.Name]; refused || asked.whole != "" {
					each.note(node.Name, why, asked.whole)
					break
				}
				if err := c.bind(ctx, asked, pod, node.Name); err != nil {
					return err
				}
				asked = nil
				each.On[node.Name]++
				each.next, again = each.next[1:], true
			}
		}
	}
	return nil
}

func (r *run) note(node, why, whole string) {
	if r.Why == nil {
		r.Why = map[string]string{}
	}
	if whole != "" {
		r.Why[""] = whole
		return
	}
	r.Why[node] = why
}
