//go:build linux

package gputide

// #cgo CFLAGS: -std=c11 -Wall -Wextra
// #cgo !gputide_link LDFLAGS: -ldl
// #cgo gputide_link CFLAGS: -DGPUTIDE_LINKED
// #cgo gputide_link pkg-config: gputide
// #include <stdlib.h>
// #include "gputide_calls.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A LibraryError says that no usable libgputide.so.1 was found: what was wanted, each place that was tried, what was found there,
// and the remedy.
type LibraryError struct{ message string }

func (e *LibraryError) Error() string { return e.message }

// opened: C's table is there. Whoever sees it set sees the table.
var opened atomic.Bool

// open opens the library where nobody has. A failed attempt is no obstacle to the next.
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

// LibraryVersion is the release of the library that runs: "0.2.0".
func LibraryVersion() (string, error) {
	if err := open(); err != nil {
		return "", err
	}
	return C.GoString(C.gputide_version()), nil
}

// LibraryVersionNumber is major * 1000000 + minor * 1000 + patch of the library that runs.
func LibraryVersionNumber() (int, error) {
	if err := open(); err != nil {
		return 0, err
	}
	return int(C.gputide_version_number()), nil
}

// Features says what the library was built with.
type Features struct {
	YAML  bool // manifests may be YAML; without it JSON alone
	HTTP2 bool
}

// LibraryFeatures says what the library that runs was built with.
func LibraryFeatures() (Features, error) {
	if err := open(); err != nil {
		return Features{}, err
	}
	bits := C.gputide_features()
	return Features{YAML: bits&C.GPUTIDE_FEATURE_YAML != 0, HTTP2: bits&C.GPUTIDE_FEATURE_HTTP2 != 0}, nil
}

// BuildInfo is JSON of compiler and dependency versions, for bug reports.
func BuildInfo() (json.RawMessage, error) {
	if err := open(); err != nil {
		return nil, err
	}
	return json.RawMessage(C.GoString(C.gputide_build_info())), nil
}

// Action says what a status usually asks for; Error.Action knows the single case.
func (s Status) Action() Action {
	if open() != nil {
		return ActionNone
	}
	return Action(C.gputide_status_action(C.gputide_status(s)))
}

// unnamed is how a number is printed that has no name here.
func unnamed(kind string, number int32) string { return fmt.Sprintf("%s(%d)", kind, number) }
