package gputide_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	gputide "github.com/gputide/gputide/bindings/go"
)

func TestACAFileIsTrustedAndNothingElse(t *testing.T) {
	noneLeft(t)
	server := httptest.NewUnstartedServer(answering(42.5))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it has a word for each client that does not trust it
	server.StartTLS()
	defer server.Close()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	file := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(file, certificate, 0o600))
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
