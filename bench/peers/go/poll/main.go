// Does what KEDA's operator does per Prometheus trigger, with nothing around it: a goroutine with a timer, net/http, the answer
// read whole and unmarshalled by encoding/json, the value parsed.  One client for all triggers with at most 1,024
// connections, fewer than the server takes, which is kinder than KEDA's client per trigger without a limit.
//
//	go_poll paced URL LABEL TRIGGERS PERIOD_S FIRST_S WINDOW_S
//	go_poll flat URL POLLS         64 in flight, as fast as they come
//	go_poll parse NAME=FILE...     the parse alone
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// The shape of pkg/scalers/prometheus_scaler.go in kedacore/keda.
type answer struct {
	Status string `json:"status"`
	Data   struct {
		ResultType string `json:"resultType"`
		Result     []struct {
			Metric struct{}      `json:"metric"`
			Value  []interface{} `json:"value"`
		} `json:"result"`
	} `json:"data"`
}

type line struct {
	Of       string  `json:"of"`
	Peer     string  `json:"peer"`
	Baseline string  `json:"baseline"`
	Value    float64 `json:"value"`
	Note     string  `json:"note"`
}

const inFlight = 64

var client = &http.Client{
	Timeout:   10 * time.Second,
	Transport: &http.Transport{MaxConnsPerHost: 1024, MaxIdleConnsPerHost: 1024, IdleConnTimeout: 5 * time.Minute},
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench go:", err)
		os.Exit(1)
	}
}

func valuesOf(body []byte) (sum float64, err error) {
	var got answer
	if err := json.Unmarshal(body, &got); err != nil {
		return 0, err
	}
	for _, series := range got.Data.Result {
		text, ok := series.Value[1].(string)
		if !ok {
			return 0, fmt.Errorf("the value is not a string")
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}

func poll(server string, trigger int) error {
	query := url.QueryEscape(fmt.Sprintf("avg(DCGM_FI_DEV_GPU_UTIL{deployment=\"app-%d\"})", trigger))
	when := time.Now().UTC().Format(time.RFC3339)
	request, err := http.NewRequest("GET", fmt.Sprintf("%s/api/v1/query?query=%s&time=%s", server, query, when), nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != 200 {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	_, err = valuesOf(body)
	return err
}

func processorSeconds() float64 {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)*1e-6 }
	return seconds(used.Utime) + seconds(used.Stime)
}

func residentMiB() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	check(err)
	pages, err := strconv.ParseFloat(strings.Fields(string(text))[1], 64)
	check(err)
	return pages * float64(os.Getpagesize()) / (1 << 20)
}

func number(text string) int {
	out, err := strconv.Atoi(text)
	check(err)
	return out
}

// A goroutine and a timer per trigger, starts spread evenly over the period.
func paced(server, label string, triggers, period, first, window int) []line {
	var polls int64
	for i := 0; i < triggers; i++ {
		go func(trigger int) {
			every := time.Duration(period) * time.Second
			time.Sleep(time.Duration(first) * time.Second * time.Duration(trigger) / time.Duration(triggers))
			timer := time.NewTicker(every)
			for ; ; <-timer.C {
				check(poll(server, trigger))
				atomic.AddInt64(&polls, 1)
			}
		}(i)
	}
	time.Sleep(time.Duration(first) * time.Second)
	busy, before := processorSeconds(), atomic.LoadInt64(&polls)
	time.Sleep(time.Duration(window) * time.Second)
	busy, count := processorSeconds()-busy, atomic.LoadInt64(&polls)-before
	what := fmt.Sprintf("same requests, same pace; %d polls", count)
	name := "Go: net/http and encoding/json, goroutine per trigger"
	return []line{
		{"runtime_" + label + "_polls", "go", name, float64(count) / busy, what},
		{"runtime_" + label + "_rss", "go", name, residentMiB(), "at the end of the window; polls alone, no decisions"},
	}
}

func flat(server string, polls int) []line {
	var sent int64
	var all sync.WaitGroup
	busy := processorSeconds()
	for i := 0; i < inFlight; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for next := atomic.AddInt64(&sent, 1); next <= int64(polls); next = atomic.AddInt64(&sent, 1) {
				check(poll(server, int(next)))
			}
		}()
	}
	all.Wait()
	busy = processorSeconds() - busy
	return []line{{"fetch_tls_64", "go", "Go: net/http and encoding/json", float64(polls) / busy,
		fmt.Sprintf("%d polls; the answer read and parsed, which ours leaves out here", polls)}}
}

func parsed(file string) float64 {
	body, err := os.ReadFile(file)
	check(err)
	rounds := 100_000_000/len(body)/50 + 1
	best := 1e18
	for round := 0; round < 50; round++ {
		begin := time.Now()
		for i := 0; i < rounds; i++ {
			_, err := valuesOf(body)
			check(err)
		}
		if took := float64(time.Since(begin).Nanoseconds()) / float64(rounds); took < best {
			best = took
		}
	}
	return best
}

func run(arguments []string) []line {
	switch {
	case len(arguments) == 7 && arguments[0] == "paced":
		return paced(arguments[1], arguments[2], number(arguments[3]), number(arguments[4]), number(arguments[5]),
			number(arguments[6]))
	case len(arguments) == 3 && arguments[0] == "flat":
		return flat(arguments[1], number(arguments[2]))
	case len(arguments) > 1 && arguments[0] == "parse":
		var out []line
		for _, argument := range arguments[1:] {
			name, file, _ := strings.Cut(argument, "=")
			out = append(out, line{name, "go", "Go: encoding/json into KEDA's struct", parsed(file), "best of 50 rounds"})
		}
		return out
	}
	fmt.Fprintln(os.Stderr, "usage: go_poll paced|flat|parse ...")
	os.Exit(2)
	return nil
}

func main() {
	check(json.NewEncoder(os.Stdout).Encode(run(os.Args[1:])))
}
