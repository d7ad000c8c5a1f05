//go:build linux

package gputide

// #include "frame.h"
// #include <stdint.h>
import "C"

import (
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// A frame is the C memory of one call: its error, its outputs, and the structs and texts that its inputs point to.
type frame struct {
	c     *C.call_frame
	used  uintptr          // bytes of c.buffer
	extra []unsafe.Pointer // what did not fit there
}

const bufferBytes = unsafe.Sizeof(C.call_frame{}.buffer)

var frames = sync.Pool{New: func() any {
	c := (*C.call_frame)(C.calloc(1, C.sizeof_call_frame))
	if c == nil {
		panic("gputide: no memory for a call")
	}
	c.err.struct_size = C.sizeof_gputide_error
	c.decision.struct_size = C.sizeof_gputide_decision
	c.event.struct_size = C.sizeof_gputide_event
	c.token.struct_size = C.sizeof_gputide_token_info
	f := &frame{c: c}
	runtime.AddCleanup(f, func(c *C.call_frame) { C.free(unsafe.Pointer(c)) }, c)
	return f
}}

// begin gives a frame for a call of the library, which it opens unless it is open.
func begin() (*frame, error) {
	if err := open(); err != nil {
		return nil, err
	}
	return newFrame(), nil
}

func newFrame() *frame { return frames.Get().(*frame) }

// end gives the frame back, and what the inputs took.
func (f *frame) end() {
	for _, block := range f.extra {
		C.free(block)
	}
	f.extra = nil
	f.used = 0
	frames.Put(f)
}

// alloc gives zeroed bytes until the end of the call.
func (f *frame) alloc(bytes uintptr) unsafe.Pointer {
	bytes = (bytes + 7) &^ 7
	if f.used+bytes > bufferBytes {
		block := C.calloc(1, C.size_t(bytes))
		if block == nil {
			panic("gputide: no memory for a call")
		}
		f.extra = append(f.extra, block)
		return block
	}
	block := unsafe.Add(unsafe.Pointer(&f.c.buffer), f.used)
	f.used += bytes
	clear(unsafe.Slice((*byte)(block), bytes))
	return block
}

// array gives buffer for n zeroed elements; nil for none.
func array[T any](f *frame, n int) []T {
	if n == 0 {
		return nil
	}
	var element T
	return unsafe.Slice((*T)(f.alloc(unsafe.Sizeof(element)*uintptr(n))), n)
}

// word gives a text as C has it where it stops at a NUL; NULL for "", which is "not given" in every struct of gputide.h.
func (f *frame) word(text, name string) (*C.char, error) {
	if text == "" {
		return nil, nil
	}
	return f.name(text, name)
}

// name is word for arguments, where "" is a text.
func (f *frame) name(text, name string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, &nulError{name: name}
	}
	buffer := unsafe.Slice((*byte)(f.alloc(uintptr(len(text))+1)), len(text)+1)
	copy(buffer, text)
	return (*C.char)(unsafe.Pointer(&buffer[0])), nil
}

// terminated is name for a call without a frame; end it with free.
func terminated(text, name string) (unsafe.Pointer, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, &nulError{name: name}
	}
	return unsafe.Pointer(C.CString(text)), nil
}

// nothing is the text of no bytes, which C wants to have an address.
var nothing = []byte{0}

// bytesOf lends Go's bytes to a call that takes a size: they hold no pointers.
func bytesOf(text []byte) (*C.char, C.int64_t) {
	if len(text) == 0 {
		return (*C.char)(unsafe.Pointer(&nothing[0])), 0
	}
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.int64_t(len(text))
}

// optionalBytes is bytesOf for what may be left out; NULL for none.
func optionalBytes(text []byte) (*C.char, C.int64_t) {
	if len(text) == 0 {
		return nil, 0
	}
	return bytesOf(text)
}

// stringBytes is bytesOf for a string.
func stringBytes(text string) (*C.char, C.int64_t) {
	if text == "" {
		return bytesOf(nil)
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.int64_t(len(text))
}

// take copies a text that the library made, and frees it; nil where it made none.
func take(text *C.gputide_text) []byte {
	if text.data == nil {
		return nil
	}
	out := make([]byte, int(text.size_bytes))
	copy(out, unsafe.Slice((*byte)(unsafe.Pointer(text.data)), len(out)))
	C.gputide_text_free(text)
	return out
}

// chars is what a char array of a struct holds, up to its NUL.
func chars(array []C.char) string {
	all := unsafe.Slice((*byte)(unsafe.Pointer(&array[0])), len(array))
	for i, character := range all {
		if character == 0 {
			return string(all[:i])
		}
	}
	return string(all)
}

// failure is what a call came to: nil, or what its frame says.
func (f *frame) failure(status C.gputide_status) error {
	if status == C.GPUTIDE_OK {
		return nil
	}
	return f.problem()
}

func (f *frame) problem() *Error {
	raw := &f.c.err
	problem := &Error{
		Status:      Status(raw.status),
		Action:      Action(raw.action),
		Retryable:   raw.retryable != 0,
		RetryAt:     momentOf(raw.retry_at_ms),
		HTTPStatus:  int(raw.http_status),
		ServiceCode: chars(raw.service_code[:]),
		Where:       chars(raw.where[:]),
		Message:     chars(raw.message[:]),
	}
	if raw.detail[0] != 0 {
		problem.Detail = json.RawMessage(chars(raw.detail[:]))
	}
	return problem
}

// opening is a C function that makes a handle of a text: what opens a policy, a scaler, a source, a credential.
type opening func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status

// openText gives the C handle that such a function made.
func openText(text []byte, options *Options, call opening) (unsafe.Pointer, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	chosen, err := f.options(options)
	if err != nil {
		return nil, err
	}
	first, size := bytesOf(text)
	if err := f.failure(call(f, first, size, chosen)); err != nil {
		return nil, err
	}
	return f.c.handle, nil
}

// openPlain is openText without a text.
func openPlain(call func(f *frame) C.gputide_status) (unsafe.Pointer, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	if err := f.failure(call(f)); err != nil {
		return nil, err
	}
	return f.c.handle, nil
}

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
