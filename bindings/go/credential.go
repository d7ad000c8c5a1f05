//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
	"unsafe"
)

// A Credential gets tokens. Credentials of one process share a cache, so equal ones make one request.
type Credential struct{ *handle }

// OpenCredential takes a TriggerAuthentication document, or its podIdentity block alone ("provider: azure-workload"). No request is
// made. options may be nil.
func OpenCredential(text []byte, options *Options) (*Credential, error) {
	pointer, err := openText(text, options, func(f *frame, text *C.char, size C.int64_t, options *C.gputide_options) C.gputide_status {
		return C.gputide_credential_open(text, size, options, (**C.gputide_credential)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_credential_free((*C.gputide_credential)(p)) }
	return &Credential{newHandle("Credential", pointer, free, nil)}, nil
}

func (c *Credential) c() *C.gputide_credential { return (*C.gputide_credential)(c.pointer) }

// A Token is a bearer token. Nothing that prints it shows its value.
type Token struct {
	value       string
	Expires     time.Time
	Refresh     time.Time // the library renews it from here on
	UsableUntil time.Time // and does not hand it out beyond this
}

// Value is the secret itself.
func (t Token) Value() string { return t.value }

// Format shows when the token expires, whatever the verb.
func (t Token) Format(out fmt.State, _ rune) {
	fmt.Fprintf(out, "Token(expires %s)", t.Expires.Format(time.RFC3339))
}

// LogValue is what log/slog shows of it.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(slog.Time("expires", t.Expires))
}

// Token gives a token for one scope ("https://prometheus.monitor.azure.com/.default"), from the cache where it can.
func (c *Credential) Token(ctx context.Context, scope string) (Token, error) {
	name, err := terminated(scope, "scope")
	if err != nil {
		return Token{}, err
	}
	defer C.free(name)
	var token Token
	err = c.wait(ctx, standardTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		status := C.gputide_credential_token(c.c(), (*C.char)(name), timeout, cancel, &f.c.text, &f.c.token, &f.c.err)
		token.value = string(take(&f.c.text))
		if status == C.GPUTIDE_OK {
			token.Expires = momentOf(f.c.token.expires_at_ms)
			token.Refresh = momentOf(f.c.token.refresh_at_ms)
			token.UsableUntil = momentOf(f.c.token.usable_until_ms)
		}
		return status
	})
	return token, err
}

// Invalidate says that a resource answered 401 to exactly this token: it is dropped. Late news about an older token change
// nothing, and a scope is renewed by force at most once in 30 s.
func (c *Credential) Invalidate(scope, token string) error {
	name, err := terminated(scope, "scope")
	if err != nil {
		return err
	}
	defer C.free(name)
	return c.do(func(f *frame) C.gputide_status {
		text, size := stringBytes(token)
		return C.gputide_credential_invalidate(c.c(), (*C.char)(name), text, size, &f.c.err)
	})
}

// WriteAgentPool changes the size of a node pool of AKS, unless the change (JSON) is dry, and follows the operation to its end: what was
// and what is to be. Every member of both is in docs/json.md, agent_pool_write, and at gputide_agent_pool_write. A ctx without a
// deadline gives it ten minutes; what was written stays where ctx ends first.
func (c *Credential) WriteAgentPool(ctx context.Context, change json.RawMessage) (json.RawMessage, error) {
	var outcome json.RawMessage
	err := c.wait(ctx, operationTimeout, func(f *frame, timeout C.int32_t, cancel *C.gputide_cancel) C.gputide_status {
		text, size := bytesOf(change)
		status := C.gputide_agent_pool_write(c.c(), text, size, timeout, cancel, &f.c.text, &f.c.err)
		outcome = take(&f.c.text)
		return status
	})
	return outcome, err
}

// TokenClaims gives the claims of a JWT that tell whose it is (aud, iss, tid, appid, oid, sub, nbf, exp). Nothing is verified.
func TokenClaims(token string) (json.RawMessage, error) {
	f, err := begin()
	if err != nil {
		return nil, err
	}
	defer f.end()
	text, size := stringBytes(token)
	err = f.failure(C.gputide_token_claims(text, size, &f.c.text, &f.c.err))
	return take(&f.c.text), err
}
