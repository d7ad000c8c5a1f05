//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync/atomic"
	"unsafe"
)

// A LogReader has every line of the whole process' library from its opening on; up to 256 wait for it, then the oldest give way.
// Nothing is logged before one is opened.
type LogReader struct{ *handle }

// A LogLine is one line of the library's log.
type LogLine struct {
	Level LogLevel
	Text  string
}

// OpenLog gives a reader of lines of this level and more severe ones.
func OpenLog(level LogLevel) (*LogReader, error) {
	pointer, err := openPlain(func(f *frame) C.gputide_status {
		return C.gputide_log_open(C.int32_t(level), (**C.gputide_log_reader)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_log_free((*C.gputide_log_reader)(p)) }
	return &LogReader{newHandle("LogReader", pointer, free, nil).takingTurns()}, nil
}

func (l *LogReader) c() *C.gputide_log_reader { return (*C.gputide_log_reader)(l.pointer) }

// Next waits for the next line. Where ctx ends first, the error wraps ctx.Err().
func (l *LogReader) Next(ctx context.Context) (LogLine, error) {
	var line LogLine
	err := l.wait(ctx, forever, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_log_next(l.c(), timeout, cancel, &f.c.text, &f.c.small, &f.c.err)
		line = LogLine{Level: LogLevel(f.c.small), Text: string(take(&f.c.text))}
		return status
	})
	if errors.Is(err, ErrNoData) { // in the time that the context had
		return LogLine{}, tooLate(ctx)
	}
	if err != nil {
		return LogLine{}, err
	}
	return line, nil
}

// Lines ranges over lines until ctx ends or the reader is closed, which both end it without an error. What else goes wrong comes
// once, and ends it.
func (l *LogReader) Lines(ctx context.Context) iter.Seq2[LogLine, error] {
	return untilEnded(ctx, l.handle, l.Next)
}

// forwardedTo is the logger of the latest LogTo, for the one thing that this package says itself.
var forwardedTo atomic.Pointer[slog.Logger]

// LogTo carries the library's lines of this level and more severe ones into a logger, until stop is called, which waits for the
// last of them.
func LogTo(logger *slog.Logger, level LogLevel) (stop func(), err error) {
	reader, err := OpenLog(level)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for line, err := range reader.Lines(context.Background()) {
			if err != nil {
				logger.Error("gputide: no more lines of the library's log", "err", err)
				return
			}
			logger.Log(context.Background(), line.Level.slog(), line.Text)
		}
	}()
	forwardedTo.Store(logger)
	return func() {
		forwardedTo.CompareAndSwap(logger, nil)
		_ = reader.Close()
		<-done
	}, nil
}

func (l LogLevel) slog() slog.Level {
	switch l {
	case LogError:
		return slog.LevelError
	case LogWarning:
		return slog.LevelWarn
	case LogInfo:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// warnForgotten is for the garbage collector's finds.
func warnForgotten(kind string) {
	if logger := forwardedTo.Load(); logger != nil {
		logger.Warn("gputide: a " + kind + " was forgotten open: call its Close")
	}
}
