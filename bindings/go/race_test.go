//go:build linux && cgo && race

package gputide_test

import "time"

const (
	raceEnabled  = true
	concurrently = 5 * time.Second
)
