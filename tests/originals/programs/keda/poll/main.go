// Runs KEDA's executor on polls, its fallback on reads and its counting on ScaledJobs: poll executor|fallback|jobs.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
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
