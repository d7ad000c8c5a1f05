package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheFileIsWhatTheCommandWrites(t *testing.T) {
	folder := filepath.Join("..", "..")
	wanted, err := generate(folder)
	if err != nil {
		t.Fatal(err)
	}
	held, err := os.ReadFile(filepath.Join(folder, target))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(held, wanted) {
		t.Errorf("%s differs from the files that import \"C\": run go generate in bindings/go", target)
	}
}
