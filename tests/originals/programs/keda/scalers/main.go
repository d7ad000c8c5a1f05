// Runs KEDA's formulas on values, and its prometheus scaler on the answers of a server: scalers formula|prometheus.
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
	"formula":    lines.InStandingTime(formulaValues),
	"prometheus": prometheusAnswer,
}

func main() {
	if len(os.Args) != 2 || kinds[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: scalers formula|prometheus")
		os.Exit(2)
	}
	klog.SetLogger(logr.Discard())
	logf.SetLogger(logr.Discard())
	lines.Run(kinds[os.Args[1]])
}
