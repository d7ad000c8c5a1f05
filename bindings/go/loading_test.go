//go:build linux && cgo

package gputide_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	for _, wrong := range []struct {
		abi, release int
		reason       string
	}{
		{99, 99_000_000, "ABI 99: a newer release; install the gputide package that belongs to it"},
		{0, 2_000, "ABI 0: an older release; install the gputide package that belongs to it"},
		{gputide.ABIVersion, 1_000, "release 0.1.0: too old; install a newer libgputide, or the gputide package that belongs to it"},
		{gputide.ABIVersion, 3_000, "release 0.3.0 is incomplete: it lacks functions of this package; install libgputide-full"},
	} {
		path := stub(t, wrong.abi, wrong.release)
		output, err := again(t, "open", "GPUTIDE_LIBRARY="+path)
		refused(t, output, err, "  GPUTIDE_LIBRARY="+path+"   "+wrong.reason)
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

// httpsPeer answers over TLS, and has its certificate in a file of that name.
func httpsPeer(t *testing.T) (server *httptest.Server, file string, certificate []byte) {
	server = httptest.NewUnstartedServer(answering(42.5))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it has a word for each client that does not trust it
	server.StartTLS()
	t.Cleanup(server.Close)
	certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	file = filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(file, certificate, 0o600))
	return server, file, certificate
}

func TestHTTPS(t *testing.T) {
	noneLeft(t)
	server, file, certificate := httpsPeer(t)
	for _, options := range []*gputide.Options{{CAFile: file}, {CAPEM: certificate}} {
		source, err := gputide.OpenSource(triggerText(server.URL), options)
		closing(t, source, err)
		sample, err := source.Fetch(t.Context())
		must(t, err)
		equal(t, "value", sample.Value, 42.5)
	}
	source, err := gputide.OpenSource(triggerText(server.URL), nil)
	closing(t, source, err)
	_, err = source.Fetch(t.Context())
	is(t, err, gputide.ErrSecurity)
}

// A symbol of libcurl or OpenSSL that was looked for by the library or by them, and found in a file.
var bound = regexp.MustCompile("binding file \\S*/lib(?:gputide|curl|ssl|crypto)\\S* \\[\\d+\\] to (\\S+) \\[\\d+\\]: " +
	"normal symbol `(?:SSL|EVP|X509|BIO|curl|nghttp2)_\\w+'")

func TestNoSymbolOfLibcurlOrOpenSSLIsTheProgram(t *testing.T) {
	server, file, _ := httpsPeer(t)
	observation := filepath.Join(t.TempDir(), "bindings")
	output, err := again(t, "fetch", "GPUTIDE_TEST_ADDRESS="+server.URL, "GPUTIDE_TEST_CA_FILE="+file,
		"LD_DEBUG=bindings", "LD_DEBUG_OUTPUT="+observation)
	must(t, err)
	equal(t, "value", output, "42.5")
	logs, err := filepath.Glob(observation + ".*")
	must(t, err)
	count := 0
	for _, log := range logs {
		text, err := os.ReadFile(log)
		must(t, err)
		for _, found := range bound.FindAllStringSubmatch(string(text), -1) {
			count++
			if found[1] == os.Args[0] {
				t.Errorf("bound to the program: %s", found[0])
			}
		}
	}
	if count == 0 {
		t.Error("no symbol of libcurl or OpenSSL was observation")
	}
}

func init() {
	programs["fetch"] = func() {
		source, err := gputide.OpenSource(triggerText(os.Getenv("GPUTIDE_TEST_ADDRESS")),
			&gputide.Options{CAFile: os.Getenv("GPUTIDE_TEST_CA_FILE")})
		if err == nil {
			defer source.Close()
			var sample gputide.Sample
			sample, err = source.Fetch(context.Background())
			fmt.Print(sample.Value)
		}
		if err != nil {
			fmt.Print(err)
			os.Exit(1)
		}
	}
}
