package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
	"gputide/tests/originals/lines"
)

type prometheusInput struct {
	Status     int               `json:"status"`
	Body       string            `json:"body"`
	Metadata   map[string]string `json:"metadata"`
	MetricType string            `json:"metric_type"`
}

type prometheusOutput struct {
	Milli  *int64 `json:"milli"`
	Active bool   `json:"active"`
	Error  string `json:"error"`
}

// server gives one answer at a time, on loopback.
type server struct {
	sync.Mutex
	status int
	body   string
	url    string
}

var prometheus = sync.OnceValue(func() *server {
	s := &server{}
	s.url = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.Lock()
		defer s.Unlock()
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	})).URL
	return s
})

func prometheusAnswer(_ *testing.T, line []byte) (any, error) {
	var input prometheusInput
	if err := json.Unmarshal(line, &input); err != nil {
		return nil, err
	}
	s := prometheus()
	s.Lock()
	s.status, s.body = input.Status, input.Body
	s.Unlock()
	metadata := map[string]string{"serverAddress": s.url, "query": "up"}
	for key, value := range input.Metadata {
		metadata[key] = value
	}
	scaler, err := scalers.NewPrometheusScaler(&scalersconfig.ScalerConfig{ScalableObjectName: "x", ScalableObjectNamespace: "n", TriggerName: "t",
		TriggerType: "prometheus", TriggerMetadata: metadata, GlobalHTTPTimeout: 10 * time.Second, MetricType: autoscalingv2.MetricTargetType(input.MetricType)})
	if err != nil {
		return nil, err
	}
	defer scaler.Close(context.Background())
	return ask(scaler), nil
}

// ask keeps a panic of KEDA from ending the program: an answer with a value that is not a text has one.
func ask(scaler scalers.Scaler) (out prometheusOutput) {
	defer func() {
		if problem := recover(); problem != nil {
			out = prometheusOutput{Error: fmt.Sprint("panic: ", problem)}
		}
	}()
	name := scaler.GetMetricSpecForScaling(context.Background())[0].External.Metric.Name
	values, active, err := scaler.GetMetricsAndActivity(context.Background(), name)
	out.Active, out.Error = active, lines.Said(err)
	if err == nil && len(values) == 1 {
		milli := values[0].Value.MilliValue()
		out.Milli = &milli
	}
	return out
}
