// Command numbers decides from plain numbers: no file, no network, no clock. GPU utilization 42.5 % on 3 replicas, threshold 5.
//
//	go run ./examples/numbers
package main

import (
	"fmt"
	"log"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const manifest = `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  minReplicaCount: 1
  maxReplicaCount: 20
  triggers:
    - type: values
      metadata: {threshold: "5", activationThreshold: "2"}
`

func main() {
	if err := run(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)); err != nil {
		log.Fatal(err)
	}
}

func run(now time.Time) error {
	policy, err := gputide.OpenPolicy([]byte(manifest), nil)
	if err != nil {
		return err
	}
	defer policy.Close()
	state, err := policy.NewState(now)
	if err != nil {
		return err
	}
	defer state.Close()
	var decision gputide.Decision
	replicas := int32(3)
	for _, utilization := range []float64{42.5, 42.5, 21, 4} {
		observation := gputide.Observation{Current: replicas, Samples: gputide.Values(utilization), Now: now}
		if decision, err = state.DecideWithReport(observation); err != nil {
			return err
		}
		fmt.Println(decision)
		if decision.WantsWrite() {
			replicas = decision.Desired
			if err := state.RecordAt(&decision, true, now); err != nil {
				return err
			}
		}
		now = now.Add(15 * time.Second)
	}
	lines, err := decision.Explain()
	fmt.Print(lines)
	return err
}
