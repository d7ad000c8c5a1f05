// Runs the HPA controller of Kubernetes on timelines, with clients that answer from the input and a clock that only the input
// moves.
package main

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"gputide/tests/originals/lines"
)

func main() {
	klog.SetLogger(logr.Discard())
	lines.Run(lines.InStandingTime(run))
}
