//go:build linux

package gputide

// #include <stdint.h>
import "C"

import "time"

// nowOf is a point in time for C; the zero Time is the clock's.
func nowOf(t time.Time) C.int64_t {
	if t.IsZero() {
		t = time.Now()
	}
	return C.int64_t(t.UnixMilli())
}

// optionalMs is a point in time that may be left out.
func optionalMs(t time.Time) C.int64_t {
	if t.IsZero() {
		return 0
	}
	return C.int64_t(t.UnixMilli())
}

// momentOf is a point in time of C's; 0 is none.
func momentOf(ms C.int64_t) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}
