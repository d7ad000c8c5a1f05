//go:build linux

package gputide

// #cgo CFLAGS: -std=c11 -Wall -Wextra
// #cgo !gputide_link LDFLAGS: -ldl
// #cgo gputide_link CFLAGS: -DGPUTIDE_LINKED
// #cgo gputide_link pkg-config: gputide-full
// #include <stdlib.h>
// #include "gputide_calls.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A LibraryError says that no usable libgputide-full.so.1 was found: what was wanted, each place that was tried, what was found there,
// and the remedy.
type LibraryError struct{ message string }

func (e *LibraryError) Error() string { return e.message }

// opened: C's table is there. A thread that sees it set sees the table.
var opened atomic.Bool

// open opens the library unless it is open. A failed attempt is not an obstacle to the next.
func open() error {
	if opened.Load() {
		return nil
	}
	return openFile(nil)
}

func openFile(path *C.char) error {
	if message := C.gputide_library_open(path, nil); message != nil {
		defer C.free(unsafe.Pointer(message))
		return &LibraryError{C.GoString(message)}
	}
	opened.Store(true)
	return nil
}

// Load opens this library file and no other. It belongs before anything else of this package: where another file is open already,
// that is a [LibraryError].
func Load(path string) error {
	name, err := terminated(path, "path")
	if err != nil {
		return err
	}
	defer C.free(name)
	return openFile((*C.char)(name))
}

// LibraryPath is the file that the functions come from.
func LibraryPath() (string, error) {
	if err := open(); err != nil {
		return "", err
	}
	return C.GoString(C.gputide_library_path()), nil
}

// LibraryVersion is the release of the library that runs: "0.3.0".
func LibraryVersion() (string, error) {
	if err := open(); err != nil {
		return "", err
	}
	return C.GoString(C.gputide_version()), nil
}

// Features says what the library was built with.
type Features struct {
	Pure, Core, Plan, Kubernetes bool // the components of the library: headers of include/gputide
	YAML                         bool // manifests may be YAML; without it only JSON
	HTTP2                        bool
	Cron                         bool // triggers of type cron
}

// LibraryFeatures says what the library that runs was built with.
func LibraryFeatures() (Features, error) {
	if err := open(); err != nil {
		return Features{}, err
	}
	bits := C.gputide_features()
	return Features{
		Pure: bits&C.GPUTIDE_FEATURE_PURE != 0, Core: bits&C.GPUTIDE_FEATURE_CORE != 0, Plan: bits&C.GPUTIDE_FEATURE_PLAN != 0,
		Kubernetes: bits&C.GPUTIDE_FEATURE_KUBERNETES != 0, YAML: bits&C.GPUTIDE_FEATURE_YAML != 0,
		HTTP2: bits&C.GPUTIDE_FEATURE_HTTP2 != 0, Cron: bits&C.GPUTIDE_FEATURE_CRON != 0,
	}, nil
}

// BuildInfo is JSON of compiler and dependency versions, for bug reports.
func BuildInfo() (json.RawMessage, error) {
	if err := open(); err != nil {
		return nil, err
	}
	return json.RawMessage(C.GoString(C.gputide_build_info())), nil
}

// unnamed is how a number is printed that has no name here.
func unnamed(kind string, number int32) string { return fmt.Sprintf("%s(%d)", kind, number) }
