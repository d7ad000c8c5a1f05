package main

import (
	"context"
	"encoding/json"
	"testing/synctest"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	autoscalingdefaults "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

type timeline struct {
	HPA   json.RawMessage `json:"hpa"`
	Flags flags           `json:"flags"`
	Steps []step          `json:"steps"`
}

type flags struct {
	Tolerance   float64 `json:"tolerance"`
	DownscaleS  int     `json:"downscale_s"`
	CPUInitS    int     `json:"cpu_init_s"`
	ReadinessS  int     `json:"readiness_s"`
	ScaleToZero bool    `json:"scale_to_zero"`
}

// step is one pass of the controller.
type step struct {
	WaitMS         int             `json:"wait_ms"`
	HPA            json.RawMessage `json:"hpa"`             // a changed manifest
	Replicas       *int32          `json:"replicas"`        // another controller has set the size
	StatusReplicas *int32          `json:"status_replicas"` // absent: as many as asked for
	Pods           []pod           `json:"pods"`            // the first status_replicas of them exist
	Metrics        []metric        `json:"metrics"`
	ScaleError     string          `json:"scale_error"`
	WriteError     string          `json:"write_error"`
}

type pod struct {
	Phase    string                      `json:"phase"`
	Ready    string                      `json:"ready"` // True, False, Unknown; "": no such condition
	Deleting bool                        `json:"deleting"`
	StartMS  *int64                      `json:"start_ms"` // before the pass
	ChangeMS int64                       `json:"change_ms"`
	Requests map[string]map[string]int64 `json:"requests"` // by container and resource, in thousandths
}

type metric struct {
	Values []int64     `json:"values"` // in thousandths
	Pods   []podMetric `json:"pods"`
	Error  string      `json:"error"`
}

type podMetric struct {
	Pod     int   `json:"pod"` // -1: one that is not listed
	Milli   int64 `json:"milli"`
	AgeMS   int64 `json:"age_ms"`
	WindowS int64 `json:"window_s"`
}

type output struct {
	Steps []answer `json:"steps"`
}

type answer struct {
	NowMS          int64                                            `json:"now_ms"`
	Replicas       int32                                            `json:"replicas"`
	StatusReplicas int32                                            `json:"status_replicas"`
	Read           bool                                             `json:"read"` // this pass looked at metrics
	Written        *int32                                           `json:"written"`
	Errors         []string                                         `json:"errors"`
	Conditions     []autoscalingv2.HorizontalPodAutoscalerCondition `json:"conditions"`
	Metrics        []proposal                                       `json:"metrics"`
	Memory         memory                                           `json:"memory"`
}

// run is called inside of a bubble of testing/synctest: time passes in its sleeps alone.
func run(line []byte) (any, error) {
	var input timeline
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	manifest, err := stored(input.HPA)
	if err != nil {
		return nil, err
	}
	// The store that answers here has no versions of objects, by which the controller would tell a stale one.
	gates := map[string]bool{"HPAScaleToZero": input.Flags.ScaleToZero, "StaleControllerConsistencyHPA": false}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	world := newWorld(manifest)
	controller := newController(ctx, world, input.Flags)
	finished := make(chan struct{})
	go func() { controller.Run(ctx, 1); close(finished) }()
	synctest.Wait()
	result, err := passes(world, controller, &input)
	stop()
	<-finished
	synctest.Wait()
	return result, err
}

func passes(world *world, controller *podautoscaler.HorizontalController, input *timeline) (output, error) {
	var failures []string
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(_ context.Context, err error, _ string, _ ...interface{}) {
		failures = append(failures, err.Error())
	}}
	result := output{Steps: []answer{}}
	for i := range input.Steps {
		failures = nil
		pass, err := world.pass(controller, &input.Steps[i], input.Flags)
		if err != nil {
			return result, err
		}
		pass.Errors = failures
		result.Steps = append(result.Steps, pass)
	}
	return result, nil
}

// stored gives a manifest as the API server stores it: with its defaults, and quantities in their canonical form.
func stored(text []byte) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	if err := json.Unmarshal(text, hpa); err != nil {
		return nil, err
	}
	defaults.Default(hpa)
	canonical, err := json.Marshal(hpa)
	if err != nil {
		return nil, err
	}
	again := &autoscalingv2.HorizontalPodAutoscaler{}
	return again, json.Unmarshal(canonical, again)
}

var defaults = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(autoscalingdefaults.AddToScheme(scheme))
	return scheme
}()

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
