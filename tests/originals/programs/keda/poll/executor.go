package main

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scaling/executor"
	"gputide/tests/originals/lines"
)

type executorInput struct {
	Object json.RawMessage `json:"object"` // created at the first moment
	Steps  []poll          `json:"steps"`
}

type poll struct {
	WaitMS      int               `json:"wait_ms"`
	Active      bool              `json:"active"`
	Error       bool              `json:"error"`
	Replicas    *int32            `json:"replicas"` // another controller has set the size
	ReadError   string            `json:"read_error"`
	WriteError  string            `json:"write_error"`
	Annotations map[string]string `json:"annotations"` // from now on, where given
}

type polled struct {
	NowMS        int64              `json:"now_ms"`
	Replicas     int32              `json:"replicas"`
	Writes       []int32            `json:"writes"`
	Conditions   []metav1.Condition `json:"conditions"` // those that this poll sets
	LastActiveMS *int64             `json:"last_active_ms"`
	Events       []string           `json:"events"`
	Error        string             `json:"error"`
}

func executorPolls(line []byte) (any, error) {
	var input executorInput
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	object := &kedav1alpha1.ScaledObject{}
	if err := json.Unmarshal(input.Object, object); err != nil {
		return nil, err
	}
	object.CreationTimestamp = metav1.Now()
	object.Status.ScaleTargetGVKR = deployment()
	workload, events := &target{}, &recorder{}
	runs := executor.NewScaleExecutor(&objects{target: workload}, scales{workload}, runtime.NewScheme(), 0, events)
	results := []polled{}
	for i := range input.Steps {
		results = append(results, pollOnce(runs, object, workload, events, &input.Steps[i]))
	}
	return map[string]any{"steps": results}, nil
}

// pollOnce does what the scale handler does with a result: lastActiveTime goes into the object, in whole seconds, as the API
// server keeps it.
func pollOnce(runs executor.ScaleExecutor, object *kedav1alpha1.ScaledObject, workload *target, events *recorder, p *poll) polled {
	time.Sleep(time.Duration(p.WaitMS) * time.Millisecond)
	if p.Replicas != nil {
		workload.replicas = *p.Replicas
	}
	if p.Annotations != nil {
		object.Annotations = p.Annotations
	}
	workload.readError, workload.writeError, workload.writes, events.said = p.ReadError, p.WriteError, nil, nil
	out := polled{NowMS: time.Now().UnixMilli(), Replicas: workload.replicas}
	result := runs.RequestScale(context.Background(), object, p.Active, p.Error, executor.ScaleExecutorOptions{})
	if result.LastActiveTime != nil {
		object.Status.LastActiveTime = &metav1.Time{Time: result.LastActiveTime.Truncate(time.Second)}
	}
	if object.Status.LastActiveTime != nil {
		at := object.Status.LastActiveTime.UnixMilli()
		out.LastActiveMS = &at
	}
	out.Writes, out.Events, out.Error = workload.writes, events.said, lines.Said(result.Error)
	for _, condition := range result.Conditions {
		out.Conditions = append(out.Conditions, metav1.Condition{Type: string(condition.Type), Status: condition.Status, Reason: condition.Reason, Message: condition.Message})
	}
	return out
}
