//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"
	"unsafe"
)

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

// sampleRoom is where a read writes, also one that fails.
func (f *frame) sampleRoom() *C.gputide_sample {
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
		status := C.gputide_source_fetch(s.c(), nowOf(now), timeout, cancel, f.sampleRoom(), &f.c.err)
		sample = sampleOf(&f.c.sample)
		return status
	})
	return read(sample, err)
}

// FetchAll reads the whole answer: several series and none are both fine.
func (s *Source) FetchAll(ctx context.Context) (*Samples, error) {
	return s.FetchAllAt(ctx, time.Time{})
}

// FetchAllAt is FetchAll with the time at which the query is evaluated.
func (s *Source) FetchAllAt(ctx context.Context, now time.Time) (*Samples, error) {
	var samples *Samples
	err := s.wait(ctx, standardTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		out := (**C.gputide_samples)(unsafe.Pointer(&f.c.handle))
		status := C.gputide_source_fetch_all(s.c(), nowOf(now), timeout, cancel, out, &f.c.err)
		if status == C.GPUTIDE_OK {
			samples = newSamples(*out)
		}
		return status
	})
	return samples, err
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
		status := C.gputide_source_parse(s.c(), C.int32_t(httpStatus), text, size, f.sampleRoom(), &f.c.err)
		sample = sampleOf(&f.c.sample)
		return status
	})
	return read(sample, err)
}

// ParseAll gives an answer as it came. headers may be nil.
func (s *Source) ParseAll(httpStatus int, headers http.Header, body []byte) (*Samples, error) {
	var lines strings.Builder
	if err := headers.Write(&lines); err != nil {
		return nil, err
	}
	var samples *Samples
	err := s.do(func(f *frame) C.gputide_status {
		head, headSize := stringBytes(lines.String())
		text, size := bytesOf(body)
		out := (**C.gputide_samples)(unsafe.Pointer(&f.c.handle))
		status := C.gputide_source_parse_all(s.c(), C.int32_t(httpStatus), head, headSize, text, size, out, &f.c.err)
		if status == C.GPUTIDE_OK {
			samples = newSamples(*out)
		}
		return status
	})
	return samples, err
}

// Samples are an answer as it came: all series, with their labels, and what the peer said beside them.
type Samples struct{ *handle }

func newSamples(out *C.gputide_samples) *Samples {
	free := func(p unsafe.Pointer) { C.gputide_samples_free((*C.gputide_samples)(p)) }
	return &Samples{newHandle("Samples", unsafe.Pointer(out), free, nil)}
}

func (s *Samples) c() *C.gputide_samples { return (*C.gputide_samples)(s.pointer) }

// Len is how many series there are; 0 after Close.
func (s *Samples) Len() int {
	count := 0
	_ = s.do(func(*frame) C.gputide_status {
		count = int(C.gputide_samples_count(s.c()))
		return C.GPUTIDE_OK
	})
	return count
}

// At gives the newest point of one series; an index beyond the count is [ErrNotFound].
func (s *Samples) At(index int) (Sample, error) {
	var sample Sample
	err := s.do(func(f *frame) C.gputide_status {
		status := C.gputide_samples_get(s.c(), indexOf(index), f.sampleRoom(), &f.c.err)
		sample = sampleOf(&f.c.sample)
		return status
	})
	if err != nil {
		return Sample{}, err
	}
	return sample, nil
}

// Labels gives the labels of one series; nil for an index beyond the count.
func (s *Samples) Labels(index int) map[string]string {
	var labels map[string]string
	_ = s.do(func(*frame) C.gputide_status {
		if text := C.gputide_samples_labels(s.c(), indexOf(index)); text != nil {
			// The library wrote it: what does not fit a map of texts would be its fault, and is left out.
			_ = json.Unmarshal([]byte(C.GoString(text)), &labels)
		}
		return C.GPUTIDE_OK
	})
	return labels
}

// All ranges over the series: labels, and the newest point.
func (s *Samples) All() iter.Seq2[map[string]string, Sample] {
	return func(yield func(map[string]string, Sample) bool) {
		for i := range s.Len() {
			sample, err := s.At(i)
			if err != nil || !yield(s.Labels(i), sample) {
				return
			}
		}
	}
}

// Describe gives the whole answer: type of result, every point and histogram of every series, warnings, infos, partial.
func (s *Samples) Describe() (json.RawMessage, error) {
	return s.text(func(f *frame) C.gputide_status { return C.gputide_samples_describe(s.c(), &f.c.text, &f.c.err) })
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

// indexOf is an index for C, where a negative one is beyond every count.
func indexOf(index int) C.uint32_t {
	if index < 0 || uint64(index) > uint64(^C.uint32_t(0)) {
		return ^C.uint32_t(0)
	}
	return C.uint32_t(index)
}
