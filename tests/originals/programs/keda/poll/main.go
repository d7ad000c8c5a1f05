// Runs KEDA's executor on polls, its fallback on reads and its counting on ScaledJobs: poll executor|fallback|jobs.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	"k8s.io/metrics/pkg/apis/external_metrics"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"gputide/tests/originals/lines"
)

var kinds = map[string]lines.Answer{
	"executor": lines.InStandingTime(executorPolls),
	"fallback": lines.InStandingTime(fallbackReads),
	"jobs":     lines.InStandingTime(jobPoll),
}

func main() {
	if len(os.Args) != 2 || kinds[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: poll executor|fallback|jobs")
		os.Exit(2)
	}
	klog.SetLogger(logr.Discard())
	logf.SetLogger(logr.Discard())
	lines.Run(kinds[os.Args[1]])
}

// Does what pkg/scalers/scaler.go GetMetricTargetMili and GenerateMetricInMili @v2.21.0 make of a finite number that is not negative.  That
// package brings the clients of every scaler with it, half an hour of a processor, which polls do without.

func quantityOf(value float64) resource.Quantity {
	return resource.MustParse(fmt.Sprintf("%.3f", value))
}

func targetOf(kind autoscalingv2.MetricTargetType, value float64) autoscalingv2.MetricTarget {
	quantity := quantityOf(value)
	if kind == autoscalingv2.AverageValueMetricType {
		return autoscalingv2.MetricTarget{Type: kind, AverageValue: &quantity}
	}
	return autoscalingv2.MetricTarget{Type: kind, Value: &quantity}
}

func valueOf(name string, value float64) external_metrics.ExternalMetricValue {
	return external_metrics.ExternalMetricValue{MetricName: name, Value: quantityOf(value)}
}
