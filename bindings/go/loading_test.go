//go:build linux && cgo

package gputide_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gputide "github.com/gputide/gputide/bindings/go"
)

func init() {
	programs["open"] = func() {
		path, err := gputide.LibraryPath()
		var problem *gputide.LibraryError
		if errors.As(err, &problem) {
			fmt.Print(problem)
			os.Exit(3)
		}
		fmt.Print(path)
	}
	programs["load"] = func() {
		wanted := os.Getenv("GPUTIDE_TEST_LOAD")
		if err := gputide.Load(wanted); err != nil {
			fmt.Print(err)
			os.Exit(3)
		}
		if err := gputide.Load(wanted); err != nil {
			fmt.Print("again: ", err)
			os.Exit(4)
		}
		fmt.Print(gputide.Load("/nonexistent/libgputide-full.so.1"))
	}
	programs["without"] = func() { fmt.Print(gputide.LimitScaleUp, " ", gputide.ActionRetry) }
}

// stub builds a library that is the wrong one.
func stub(t *testing.T, abi, release int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libgputide-full.so.1")
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	command := exec.Command(compiler, "-shared", "-fPIC", fmt.Sprintf("-DABI=%d", abi), fmt.Sprintf("-DRELEASE=%d", release),
		"-o", path, "../../tests/bindings/stub.c")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return path
}

func TestWrongABI(t *testing.T) {
	for _, one := range []struct {
		abi, release int
		reason       string
	}{
		{99, 99_000_000, "ABI 99: a newer release; install the gputide package that belongs to it"},
		{0, 2_000, "ABI 0: an older release; install the gputide package that belongs to it"},
		{gputide.ABIVersion, 1_000, "release 0.1.0: too old; install a newer libgputide, or the gputide package that belongs to it"},
		{gputide.ABIVersion, 3_000, "release 0.3.0 is incomplete: it lacks functions of this package; install libgputide-full"},
	} {
		path := stub(t, one.abi, one.release)
		output, err := again(t, "open", "GPUTIDE_LIBRARY="+path)
		refused(t, output, err, "  GPUTIDE_LIBRARY="+path+"   "+one.reason)
	}
}

// refused is the whole message, with its one place.
func refused(t *testing.T, output string, err error, place string) {
	t.Helper()
	want := "gputide: no usable libgputide-full.so.1 for ABI 1, release 0.3.0 or newer. Tried:\n" + place +
		"\nInstall Debian's libgputide-full1, or set GPUTIDE_LIBRARY to the library's full path."
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("the program ended with %v", err)
	}
	equal(t, "message", output, want)
}

func TestMissing(t *testing.T) {
	output, err := again(t, "open", "GPUTIDE_LIBRARY=/nonexistent/libgputide-full.so.1")
	refused(t, output, err, "  GPUTIDE_LIBRARY=/nonexistent/libgputide-full.so.1   there is no such file")
	empty := filepath.Join(t.TempDir(), "libgputide-full.so.1")
	must(t, os.WriteFile(empty, nil, 0o600))
	output, err = again(t, "open", "GPUTIDE_LIBRARY="+empty)
	refused(t, output, err, "  GPUTIDE_LIBRARY="+empty+"   "+empty+": file too short")
	output, err = again(t, "load", "GPUTIDE_TEST_LOAD=/nonexistent/x.so")
	refused(t, output, err, "  /nonexistent/x.so   there is no such file")
	if _, err := exec.LookPath("ldconfig"); err == nil {
		output, err = again(t, "open", "GPUTIDE_LIBRARY=", "LD_LIBRARY_PATH=")
		if err != nil { // where no libgputide is installed
			place := "  libgputide-full.so.1 (the system's search)   libgputide-full.so.1: cannot open shared object file: No such file or directory"
			refused(t, output, err, place)
		}
	}
	output, err = again(t, "without", "GPUTIDE_LIBRARY=/nonexistent/libgputide-full.so.1")
	must(t, err)
	equal(t, "what works without a library", output, "Limit(3) Action(1)")
}

func TestLoadIsFinal(t *testing.T) {
	path, err := gputide.LibraryPath()
	must(t, err)
	must(t, gputide.Load(path))
	link := filepath.Join(t.TempDir(), "libgputide-full.so.1")
	must(t, os.Symlink(path, link))
	output, err := again(t, "load", "GPUTIDE_TEST_LOAD="+link, "GPUTIDE_LIBRARY=/nonexistent/libgputide-full.so.1")
	must(t, err)
	if !strings.HasSuffix(output, "is open already, /nonexistent/libgputide-full.so.1 cannot take its place") {
		t.Errorf("got %s", output)
	}
	output, err = again(t, "open", "GPUTIDE_LIBRARY=libgputide-full.so.1")
	if err == nil || !strings.Contains(output, "there is no such file") {
		t.Errorf("a name without a slash is a file of this folder: %v %s", err, output)
	}
}

func TestWhatTheLibraryIs(t *testing.T) {
	version, err := gputide.LibraryVersion()
	must(t, err)
	equal(t, "version", gputide.Version, version)
	features, err := gputide.LibraryFeatures()
	must(t, err)
	equal(t, "YAML", features.YAML && features.Core && features.Plan && features.Kubernetes, true)
	info, err := gputide.BuildInfo()
	must(t, err)
	if !strings.Contains(string(info), "compiler") {
		t.Errorf("build info: %s", info)
	}
}
