// Command unsupported writes unsupported_calls.go: what the files that import "C" declare, for builds without cgo and for systems other
// than Linux. A declaration that does not depend on C is copied, without comments. An exported function that does becomes one that returns the error of
// unsupported(). The rest is left out.
//
//	go run ./internal/unsupported            # in bindings/go, after a change of a file that imports "C"
package main

import (
	"fmt"
	"os"
)

const target = "unsupported_calls.go"

func main() {
	text, err := generate(".")
	if err == nil {
		err = os.WriteFile(target, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "unsupported:", err)
		os.Exit(1)
	}
}

// generate returns the text of unsupported_calls.go for the package in this folder.
func generate(folder string) ([]byte, error) {
	p, err := load(folder)
	if err != nil {
		return nil, err
	}
	p.findCDependent()
	p.findUsed()
	return p.write()
}
