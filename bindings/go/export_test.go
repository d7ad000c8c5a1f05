//go:build linux && cgo

package gputide

import (
	"context"
	"iter"
	"time"
	"unsafe"
)

// The inside that the tests see.

func SecretToken(value string, expires time.Time) Token { return Token{value: value, Expires: expires} }

func Milliseconds(d time.Duration) int32 { return int32(milliseconds(d)) }

// LoopOver gives the loop of Runtime.Events and LogReader.Lines over calls of the test's own, and what closes its handle.
func LoopOver[T any](ctx context.Context, next func(context.Context) (T, error)) (loop iter.Seq2[T, error], closeHandle func() error) {
	h := newHandle("Test", nil, func(unsafe.Pointer) {}, nil)
	return untilEnded(ctx, h, next), h.Close
}
