package gputide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// An Error is a call that failed. errors.Is finds its status ([ErrThrottled] and the others), and ctx.Err() where the call's context
// had ended.
type Error struct {
	Status      Status
	Action      Action          // what to do next
	Retryable   bool            // the same call, unchanged, may work later
	RetryAt     time.Time       // when, if it is known
	HTTPStatus  int             // of the answer that failed; 0: there was none
	ServiceCode string          // the peer's own word: AADSTS700024, bad_data
	Where       string          // so.yaml:17 spec.triggers[0].metadata.threshold
	Message     string          // which thing, what was expected, what came, what to do
	Detail      json.RawMessage // what else is known; nil where that is nothing, or too much for the buffer that C gives it
	Sample      *Sample         // of Source.Fetch and Source.Parse: the same reason as a decision takes it

	ended error // the context's, where that is why
}

// Error is "where: message".
func (e *Error) Error() string {
	if e.Where == "" {
		return e.Message
	}
	return e.Where + ": " + e.Message
}

// Name is the status as C spells it: "E_THROTTLED".
func (e *Error) Name() string { return e.Status.String() }

// Is says whether target is the sentinel of this error's status.
func (e *Error) Is(target error) bool {
	status, ok := target.(sentinel)
	return ok && Status(status) == e.Status
}

// Unwrap gives the error of the context if its end was the reason, else nil.
func (e *Error) Unwrap() error { return e.ended }

// Timeout says whether a deadline was the reason: the caller's, or the peer's own.
func (e *Error) Timeout() bool { return e.Status == StatusTimeout }

// sentinel is what errors.Is compares an Error with.
type sentinel Status

func (s sentinel) Error() string { return "gputide: " + Status(s).String() }

// ErrClosed is what errors.Is finds where a handle was used after its Close. A mistake in the program, no status of the library.
var ErrClosed = errors.New("gputide: the handle is closed")

type closedError struct{ kind string }

func (e *closedError) Error() string        { return "gputide: this " + e.kind + " is closed" }
func (e *closedError) Is(target error) bool { return target == ErrClosed }

// ErrNUL is what errors.Is finds where a name, path or scope holds a NUL character, at which C would cut it.
var ErrNUL = errors.New("gputide: a text holds a NUL character")

type nulError struct{ name string }

func (e *nulError) Error() string        { return "gputide: " + e.name + " holds a NUL character" }
func (e *nulError) Is(target error) bool { return target == ErrNUL }

// because notes that the context had ended, where the status says that something of this kind was the reason.
func because(err error, ctx context.Context) error {
	var problem *Error
	if errors.As(err, &problem) && (problem.Status == StatusCancelled || problem.Status == StatusTimeout) {
		problem.ended = endOf(ctx)
		if errors.Is(problem.ended, context.DeadlineExceeded) {
			problem.Status = StatusTimeout
		}
	}
	return err
}

// tooLate is the error of a wait that the end of its context ended.
func tooLate(ctx context.Context) error {
	ended := endOf(ctx)
	status := StatusCancelled
	if errors.Is(ended, context.DeadlineExceeded) {
		status = StatusTimeout
	}
	message := fmt.Sprintf("gave up waiting: %v", ended)
	return &Error{Status: status, Action: ActionRetry, Retryable: true, Message: message, ended: ended}
}

// endOf is ctx.Err(), also where the deadline is a moment away: the library counts whole milliseconds, and a context notices late.
func endOf(ctx context.Context) error {
	const moment = 5 * time.Millisecond
	deadline, ok := ctx.Deadline()
	if err := ctx.Err(); err != nil || !ok || time.Until(deadline) > moment {
		return err
	}
	return context.DeadlineExceeded
}

// hasEnded says whether an error is the end of its context.
func hasEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
