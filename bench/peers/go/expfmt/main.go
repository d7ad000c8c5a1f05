// Reads a page of metrics with Prometheus' own parser for Go (Debian's golang-github-prometheus-common-dev).
//
//	go_expfmt FILE
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/common/expfmt"
)

const rounds = 12

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench go:", err)
		os.Exit(1)
	}
}

func main() {
	page, err := os.ReadFile(os.Args[1])
	check(err)
	best := 1e18
	for i := 0; i < rounds; i++ {
		begin := time.Now()
		var parser expfmt.TextParser
		families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
		check(err)
		if len(families) == 0 {
			check(fmt.Errorf("nothing was read"))
		}
		if took := time.Since(begin).Seconds(); took < best {
			best = took
		}
	}
	check(json.NewEncoder(os.Stdout).Encode([]map[string]interface{}{{
		"of": "exposition_all", "peer": "go", "baseline": "Go: expfmt.TextParser", "value": float64(len(page)) / best,
		"note": fmt.Sprintf("the same page, best of %d", rounds)}}))
}
