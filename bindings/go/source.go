//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"time"
	"unsafe"
)

// A Credential gets tokens. Credentials of one process share a cache, so equal ones make one request.
type Credential struct{ *handle }

// OpenCredential takes a TriggerAuthentication document, or its podIdentity block alone ("provider: azure-workload"). No request is
// made. options may be nil.
func OpenCredential(text []byte, options *Options) (*Credential, error) {
	pointer, err := openText(text, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		return C.gputide_credential_open(text, size, options, (**C.gputide_credential)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_credential_free((*C.gputide_credential)(p)) }
	return &Credential{newHandle("Credential", pointer, free, nil)}, nil
}

func (c *Credential) c() *C.gputide_credential { return (*C.gputide_credential)(c.pointer) }

// A Token is a bearer token. Nothing that prints it shows its value.
type Token struct {
	value       string
	Expires     time.Time
	Refresh     time.Time // the library renews it from here on
	UsableUntil time.Time // and does not hand it out beyond this
}

// Value is the secret itself.
func (t Token) Value() string { return t.value }

// Format shows when the token expires, whatever the verb.
func (t Token) Format(out fmt.State, _ rune) {
	fmt.Fprintf(out, "Token(expires %s)", t.Expires.Format(time.RFC3339))
}

// LogValue is what log/slog shows of it.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(slog.Time("expires", t.Expires))
}

// Token gives a token for one scope ("https://prometheus.monitor.azure.com/.default"), from the cache where it can.
func (c *Credential) Token(ctx context.Context, scope string) (Token, error) {
	name, err := terminated(scope, "scope")
	if err != nil {
		return Token{}, err
	}
	defer C.free(name)
	var token Token
	err = c.wait(ctx, standardTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_credential_token(c.c(), (*C.char)(name), timeout, cancel, &f.c.text, &f.c.token, &f.c.err)
		token.value = string(take(&f.c.text))
		if status == C.GPUTIDE_OK {
			token.Expires = momentOf(f.c.token.expires_at_ms)
			token.Refresh = momentOf(f.c.token.refresh_at_ms)
			token.UsableUntil = momentOf(f.c.token.usable_until_ms)
		}
		return status
	})
	return token, err
}

// Invalidate says that a resource answered 401 to exactly this token: it is dropped. Late news about an older token change
// nothing, and a scope is renewed by force at most once in 30 s.
func (c *Credential) Invalidate(scope, token string) error {
	name, err := terminated(scope, "scope")
	if err != nil {
		return err
	}
	defer C.free(name)
	return c.do(func(f *frame) C.gputide_status {
		text, size := stringBytes(token)
		return C.gputide_credential_invalidate(c.c(), (*C.char)(name), text, size, &f.c.err)
	})
}

// WriteAgentPool changes the size of a node pool of AKS, unless the change (JSON) is dry, and follows the operation to its end: what was
// and what is to be. Every member of both is in docs/json.md, agent_pool_write, and at gputide_agent_pool_write. A ctx without a
// deadline gives it ten minutes; what was written stays where ctx ends first.
func (c *Credential) WriteAgentPool(ctx context.Context, change json.RawMessage) (json.RawMessage, error) {
	var outcome json.RawMessage
	err := c.wait(ctx, operationTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		text, size := bytesOf(change)
		status := C.gputide_agent_pool_write(c.c(), text, size, timeout, cancel, &f.c.text, &f.c.err)
		outcome = take(&f.c.text)
		return status
	})
	return outcome, err
}

// TokenClaims returns the identifying claims of a JWT (aud, iss, tid, appid, oid, sub, nbf, exp). Nothing is verified.
func TokenClaims(token string) (json.RawMessage, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	text, size := stringBytes(token)
	err = f.failure(C.gputide_token_claims(text, size, &f.c.text, &f.c.err))
	return take(&f.c.text), err
}

// A Source is a metric: where it is, how it is asked for, how its answer becomes one number.
type Source struct{ *handle }

// OpenSource takes one entry of a ScaledObject's triggers, and beside it (in Options.Files or as further documents of the text) the
// TriggerAuthentication that it names. Nothing is sent. options may be nil.
func OpenSource(text []byte, options *Options) (*Source, error) {
	pointer, err := openText(text, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		return C.gputide_source_open(text, size, options, (**C.gputide_source)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_source_free((*C.gputide_source)(p)) }
	return &Source{newHandle("Source", pointer, free, nil).takingTurns()}, nil
}

func (s *Source) c() *C.gputide_source { return (*C.gputide_source)(s.pointer) }

// sampleBuffer is where a read writes, also one that fails.
func (f *frame) sampleBuffer() *C.gputide_sample {
	f.c.sample = C.gputide_sample{struct_size: C.sizeof_gputide_sample}
	return &f.c.sample
}

// read notes the sample that a failed read gives beside its error.
func read(sample Sample, err error) (Sample, error) {
	var problem *Error
	if errors.As(err, &problem) && sample.State != SampleNotGiven {
		problem.Sample = &sample
	}
	if err != nil {
		return Sample{}, err
	}
	return sample, nil
}

// Fetch reads one value, by the clock's time. The [Error] of a read that fails has its Sample.
func (s *Source) Fetch(ctx context.Context) (Sample, error) { return s.FetchAt(ctx, time.Time{}) }

// FetchAt is Fetch with the time at which the query is evaluated.
func (s *Source) FetchAt(ctx context.Context, now time.Time) (Sample, error) {
	var sample Sample
	err := s.wait(ctx, standardTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_source_fetch(s.c(), nowOf(now), timeout, cancel, f.sampleBuffer(), &f.c.err)
		sample = sampleOf(&f.c.sample)
		return status
	})
	return read(sample, err)
}

// FetchAll reads all series without reducing them to one number: result type, every point and histogram of every series with its
// labels, warnings, infos, partial. Several series and an empty response are allowed.
func (s *Source) FetchAll(ctx context.Context) (json.RawMessage, error) {
	return s.FetchAllAt(ctx, time.Time{})
}

// FetchAllAt is FetchAll with the time at which the query is evaluated.
func (s *Source) FetchAllAt(ctx context.Context, now time.Time) (json.RawMessage, error) {
	var response json.RawMessage
	err := s.wait(ctx, standardTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_source_fetch_all(s.c(), nowOf(now), timeout, cancel, &f.c.text, &f.c.err)
		response = take(&f.c.text)
		return status
	})
	return response, err
}

// Describe says what the trigger came to: target, metric name, type, settings with every default. It holds no secret.
func (s *Source) Describe() (json.RawMessage, error) {
	return s.text(func(f *frame) C.gputide_status { return C.gputide_source_describe(s.c(), &f.c.text, &f.c.err) })
}

// Request gives what would be sent, for a host with its own HTTP: {"method","url","headers","body"}. A cloud token is not in it: take
// one from a [Credential]. now: the zero Time is the clock's.
func (s *Source) Request(now time.Time) (json.RawMessage, error) {
	return s.text(func(f *frame) C.gputide_status {
		return C.gputide_source_request(s.c(), nowOf(now), &f.c.text, &f.c.err)
	})
}

// Parse says what an answer comes to, by the trigger's rules. Its errors are as those of Fetch.
func (s *Source) Parse(httpStatus int, body []byte) (Sample, error) {
	var sample Sample
	err := s.do(func(f *frame) C.gputide_status {
		text, size := bytesOf(body)
		status := C.gputide_source_parse(s.c(), C.int32_t(httpStatus), text, size, f.sampleBuffer(), &f.c.err)
		sample = sampleOf(&f.c.sample)
		return status
	})
	return read(sample, err)
}

// ParseAll parses a response as [Source.FetchAll] does. headers may be nil.
func (s *Source) ParseAll(httpStatus int, headers http.Header, body []byte) (json.RawMessage, error) {
	var lines strings.Builder
	if err := headers.Write(&lines); err != nil {
		return nil, err
	}
	return s.text(func(f *frame) C.gputide_status {
		head, headSize := stringBytes(lines.String())
		text, size := bytesOf(body)
		return C.gputide_source_parse_all(s.c(), C.int32_t(httpStatus), head, headSize, text, size, &f.c.text, &f.c.err)
	})
}

// ParseQuantity gives a Kubernetes quantity ("1500m", "2Ki", "0.1") in thousandths, rounded away from zero as Kubernetes does.
func ParseQuantity(text string) (milli int64, err error) {
	f, err := begin()
	if err != nil {
		return 0, err
	}
	defer f.end()
	first, size := stringBytes(text)
	if err := f.failure(C.gputide_quantity(first, size, &f.c.number, &f.c.err)); err != nil {
		return 0, err
	}
	return int64(f.c.number), nil
}

// indexOf returns a metric's index for C; one that C cannot have is beyond every count.
func indexOf(index int) C.int32_t {
	if index < 0 || index > math.MaxInt32 {
		return math.MaxInt32
	}
	return C.int32_t(index)
}
