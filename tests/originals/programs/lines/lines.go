// Package lines lets a program answer JSON lines, in real time or where time stands still.
package lines

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"testing/synctest"
)

// Answer gives the result for a line; an error is an input that the original refuses.
type Answer func(t *testing.T, line []byte) (any, error)

// Run answers each line of the standard input on the standard output, and exits at its end.  It runs as a test: only there may time
// stand still.
func Run(answer Answer) {
	all := func(string, string) (bool, error) { return true, nil }
	lines := func(t *testing.T) { answerAll(t, answer); os.Exit(0) }
	testing.Main(all, []testing.InternalTest{{Name: "lines", F: lines}}, nil, nil)
}

func answerAll(t *testing.T, answer Answer) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 || err != nil {
			return
		}
		result, err := answer(t, line)
		if err != nil {
			result = map[string]string{"refused": err.Error()}
		}
		if err := out.Encode(result); err != nil {
			panic(err)
		}
	}
}

// InStandingTime answers where the clock moves only by sleeps, from 2000-01-01T00:00:00Z on.
func InStandingTime(answer func(line []byte) (any, error)) Answer {
	return func(t *testing.T, line []byte) (result any, err error) {
		synctest.Test(t, func(*testing.T) { result, err = answer(line) })
		return result, err
	}
}

// Said gives an error's text; "" where there is none.
func Said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
