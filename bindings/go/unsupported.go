//go:build !linux || !cgo

package gputide

import "runtime"

//go:generate go run ./internal/unsupported

// unsupported returns the error of every call in a build that cannot open the library.
func unsupported() error {
	if runtime.GOOS == "linux" {
		return &LibraryError{"gputide: libgputide-full.so.1 is called through cgo; this program was built without it: build it with " +
			"CGO_ENABLED=1 and a C compiler"}
	}
	return &LibraryError{"gputide: libgputide-full.so.1 runs on 64-bit Linux; this is " + runtime.GOOS + "/" + runtime.GOARCH +
		": the program compiles here, run it on Linux"}
}
