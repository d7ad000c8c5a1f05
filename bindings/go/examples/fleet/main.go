// Command fleet runs several scalers at once: their triggers are polled side by side, each decision that matters is an event.
//
//	go run ./examples/fleet ADDRESS DURATION     ADDRESS: of a Prometheus, or of anything that answers /api/v1/query as it does
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const manifest = `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: %[1]s
  annotations: {gputide.io/sync-period: 1s}
spec:
  scaleTargetRef: {name: %[1]s}
  minReplicaCount: 1
  maxReplicaCount: 10
  pollingInterval: 1
  triggers:
    - type: prometheus
      metadata: {serverAddress: "%[2]s", query: 'queue_length{model="%[1]s"}', threshold: "4"}
`

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: fleet ADDRESS DURATION")
	}
	duration, err := time.ParseDuration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, stop := context.WithTimeout(interrupted, duration)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string) error {
	fleet, err := gputide.NewRuntime(&gputide.RuntimeOptions{StartSpread: 200 * time.Millisecond})
	if err != nil {
		return err
	}
	defer fleet.Close()
	for _, name := range []string{"chat", "embed", "rerank"} {
		id, err := fleet.Add(fmt.Appendf(nil, manifest, name, address), nil)
		if err != nil {
			return err
		}
		if err := fleet.Observe(id, gputide.Observation{Current: 1}); err != nil {
			return err
		}
	}
	var writes sync.WaitGroup
	defer writes.Wait()
	for event, err := range fleet.Events(ctx) {
		if err != nil {
			return err
		}
		if event.WantsWrite() {
			writes.Add(1)
			go func() { // a write may take its time; the other scalers go on
				defer writes.Done()
				if err := fleet.Record(event, resize(event.Name, event.Decision.Desired)); err != nil {
					log.Print(err)
				}
			}()
		}
	}
	text, err := fleet.Stats()
	if err != nil {
		return err
	}
	var stats struct{ Polls int }
	if err := json.Unmarshal(text, &stats); err != nil {
		return err
	}
	fmt.Println(stats.Polls, "polls")
	return nil
}

// resize is where a host would write to Kubernetes, to Ray, to its own process table.
func resize(name string, replicas int32) bool {
	time.Sleep(10 * time.Millisecond)
	fmt.Println(name, "now has", replicas, "replicas")
	return true
}
