//go:build linux

package gputide

// #include "frame.h"
import "C"

import "unsafe"

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
