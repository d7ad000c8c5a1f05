// Command go prints the nanoseconds of one State.DecideValues and of one State.Decide with one number, the best of 200 rounds each:
// what decide.c measures, from Go.
package main

import (
	"fmt"
	"log"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const (
	manifest = `{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},` +
		`"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,` +
		`"triggers":[{"type":"values","metadata":{"threshold":"5","activationThreshold":"2"}}]}}`
	rounds = 200
	calls  = 1000
)

func main() {
	policy, err := gputide.OpenPolicy([]byte(manifest), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer policy.Close()
	values := best(policy, func(state *gputide.State, now time.Time, value float64) (gputide.Decision, error) {
		return state.DecideValues(now, 3, value)
	})
	samples := make([]gputide.Sample, 1)
	observation := best(policy, func(state *gputide.State, now time.Time, value float64) (gputide.Decision, error) {
		samples[0] = gputide.Number(value)
		return state.Decide(gputide.Observation{Current: 3, Samples: samples, Now: now})
	})
	fmt.Println(values, observation)
}

func best(policy *gputide.Policy, decide func(*gputide.State, time.Time, float64) (gputide.Decision, error)) int64 {
	state, err := policy.NewState(time.Time{})
	if err != nil {
		log.Fatal(err)
	}
	defer state.Close()
	now := time.UnixMilli(1_795_255_200_000)
	least := time.Hour
	for range rounds {
		start := time.Now()
		for i := range calls {
			now = now.Add(15 * time.Second)
			if _, err := decide(state, now, float64(10+i%7)); err != nil {
				log.Fatal(err)
			}
		}
		least = min(least, time.Since(start))
	}
	return (least / calls).Nanoseconds()
}
