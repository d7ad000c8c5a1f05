//go:build linux && cgo && !race

package gputide_test

import "time"

const (
	raceEnabled  = false
	concurrently = time.Second
)
