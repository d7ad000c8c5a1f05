// Command conformance answers protocol 1 of docs/conformance.md over the public functions of this module: the program that
// gputide_conformance --through drives. One line in, one line out, until the input ends.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	gputide "github.com/gputide/gputide/bindings/go"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	path, err := gputide.LibraryPath()
	if err != nil {
		return err
	}
	hello := object{
		"door": 1, "binding": "go", "version": gputide.Version, "abi": gputide.ABIVersion, "library": path,
		"calls": slices.Sorted(maps.Keys(calls)),
	}
	if err := say(out, hello); err != nil {
		return err
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var request object
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&request); err != nil {
			return err
		}
		if err := say(out, answer(request)); err != nil {
			return err
		}
	}
}

func say(out io.Writer, value object) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
