// Command first goes from a manifest to a decision for 3 replicas. The manifest's prometheus triggers are asked.
//
//	go run ./examples/first so.yaml
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

func main() {
	manifest, err := os.ReadFile(os.Args[1])
	check(err)
	scaler, err := gputide.OpenScaler(manifest, &gputide.Options{AllowEnvironment: true})
	check(err)
	defer scaler.Close()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	decision, err := scaler.Tick(ctx, gputide.Observation{Current: 3})
	check(err)
	fmt.Println(decision.Current, "->", decision.Desired, decision.LimitedBy)
	if decision.WantsWrite() {
		check(scaler.Record(&decision, true)) // here: write decision.Desired to the target, and record whether it succeeded
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
