//go:build linux && cgo

package gputide_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	gputide "github.com/gputide/gputide/bindings/go"
)

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
	for _, one := range logs {
		text, err := os.ReadFile(one)
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
