//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Options say what the host program allows and knows. Trust is the host's: none of this can be said by a manifest. A zero member is
// "not given".
type Options struct {
	AllowEnvironment     bool // any name in ${NAME} and env:
	AllowPlainHTTP       bool // a credential over http to a host that is not loopback
	AllowCustomAuthority bool // a login endpoint outside the known Azure clouds
	EnableAzureProxy     bool // AKS identity bindings: AZURE_KUBERNETES_TOKEN_PROXY
	Strict               bool // the strict profile, as if each manifest said gputide.io/profile: strict
	VerifiedPeers        bool // no credential to a peer without a verified certificate
	AllowUnverifiedPeers bool // cloud tokens to triggers with unsafeSsl in the manifest

	TextName           string   // of the main text in messages; else "<text>"
	Scaler             string   // which one, "name" or "namespace/name", where the text holds several
	Files              []File   // further texts
	AllowedEnvironment []string // variables that ${NAME} and env: may name: "TENANT", "APP_*"
	AllowedTokenHosts  []string // hosts that may get a cloud token beside the cloud's own
	AllowedPrograms    []string // programs that may be run for a token: "az", "/opt/bin/token"
	SecretsDir         string   // DIR/<name>/<key> for secretTargetRef and configMapTargetRef; tokenFile lies below
	CAFile             string   // PEM roots; instead of SSL_CERT_FILE, SSL_CERT_DIR and the system's
	CAPEM              []byte   // the same as text; goes before CAFile
	Proxy              string   // "http://proxy:3128"; "environment": HTTPS_PROXY, HTTP_PROXY, NO_PROXY
	UserAgent          string
	Kubeconfig         string // the Kubernetes cluster to read from; else KUBECONFIG where it is allowed, else the pod's account
	KubeContext        string // one of its contexts; else current-context
	ServiceAccountDir  string // token, ca.crt and namespace of a pod; else where Kubernetes mounts them
}

// File is a text that stands beside the main one: a TriggerAuthentication, a Secret, a ConfigMap in a file of its own.
type File struct {
	Name string // for messages
	Text []byte
}

func bit[T ~uint32](set bool, flag T) C.uint32_t {
	if set {
		return C.uint32_t(flag)
	}
	return 0
}

func (o *Options) flags() C.uint32_t {
	return bit(o.AllowEnvironment, uint32(C.GPUTIDE_ALLOW_ENVIRONMENT)) |
		bit(o.AllowPlainHTTP, uint32(C.GPUTIDE_ALLOW_PLAIN_HTTP)) |
		bit(o.AllowCustomAuthority, uint32(C.GPUTIDE_ALLOW_CUSTOM_AUTHORITY)) |
		bit(o.EnableAzureProxy, uint32(C.GPUTIDE_ENABLE_AZURE_PROXY)) |
		bit(o.Strict, uint32(C.GPUTIDE_STRICT)) |
		bit(o.VerifiedPeers, uint32(C.GPUTIDE_VERIFIED_PEERS)) |
		bit(o.AllowUnverifiedPeers, uint32(C.GPUTIDE_ALLOW_UNVERIFIED_PEERS))
}

// options fills C's struct; NULL for nil.
func (f *frame) options(o *Options) (*C.gputide_options, error) {
	if o == nil {
		return nil, nil
	}
	raw := (*C.gputide_options)(f.alloc(C.sizeof_gputide_options))
	raw.struct_size = C.sizeof_gputide_options
	raw.flags = o.flags()
	for _, option := range []struct {
		member **C.char
		value  string
		name   string
	}{
		{&raw.text_name, o.TextName, "TextName"},
		{&raw.scaler, o.Scaler, "Scaler"},
		{&raw.secrets_dir, o.SecretsDir, "SecretsDir"},
		{&raw.ca_file, o.CAFile, "CAFile"},
		{&raw.proxy, o.Proxy, "Proxy"},
		{&raw.user_agent, o.UserAgent, "UserAgent"},
		{&raw.kubeconfig, o.Kubeconfig, "Kubeconfig"},
		{&raw.kube_context, o.KubeContext, "KubeContext"},
		{&raw.service_account_dir, o.ServiceAccountDir, "ServiceAccountDir"},
	} {
		var err error
		if *option.member, err = f.word(option.value, option.name); err != nil {
			return nil, err
		}
	}
	for _, option := range []struct {
		member **C.char
		values []string
		name   string
	}{
		{&raw.allowed_environment, o.AllowedEnvironment, "AllowedEnvironment"},
		{&raw.allowed_token_hosts, o.AllowedTokenHosts, "AllowedTokenHosts"},
		{&raw.allowed_programs, o.AllowedPrograms, "AllowedPrograms"},
	} {
		var err error
		if *option.member, err = f.list(option.values, option.name); err != nil {
			return nil, err
		}
	}
	if o.CAPEM != nil {
		raw.ca_pem, raw.ca_pem_bytes = f.copied(o.CAPEM)
	}
	return raw, f.files(raw, o.Files)
}

// list gives what C has as one text with commas.
func (f *frame) list(values []string, name string) (*C.char, error) {
	for _, value := range values {
		if strings.Contains(value, ",") {
			return nil, fmt.Errorf("gputide: %s: a comma in %q; each element is one name", name, value)
		}
	}
	return f.word(strings.Join(values, ","), name)
}

func (f *frame) files(raw *C.gputide_options, files []File) error {
	buffer := array[C.gputide_file](f, len(files))
	for i, file := range files {
		var err error
		if buffer[i].name, err = f.word(file.Name, "a file's name"); err != nil {
			return err
		}
		buffer[i].text, buffer[i].size_bytes = f.copied(file.Text)
	}
	raw.files = unsafe.SliceData(buffer)
	raw.file_count = C.uint32_t(len(files))
	raw.file_size = C.sizeof_gputide_file
	return nil
}

// copied gives bytes in C memory, for what a struct points to.
func (f *frame) copied(text []byte) (*C.char, C.int64_t) {
	buffer := unsafe.Slice((*byte)(f.alloc(uintptr(len(text))+1)), len(text)+1)
	copy(buffer, text)
	return (*C.char)(unsafe.Pointer(&buffer[0])), C.int64_t(len(text))
}
