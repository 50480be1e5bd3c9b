package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/work"
)

// writeCertificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func writeCertificate(t *testing.T, certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, cerr := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	text, kerr := x509.MarshalPKCS8PrivateKey(private)
	if err := errors.Join(cerr, kerr,
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}), 0o600),
		os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)); err != nil {
		t.Fatal(err)
	}
}

var credential = strings.Repeat("1", shortestToken)

// TestAttackPlainWorkers: without TLS, only this machine reaches the workers' address, unless the
// operator says that somebody else encrypts.
func TestAttackPlainWorkers(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	writeCertificate(t, certificate, key)
	for _, c := range []struct {
		o    workOptions
		says string // empty: it is accepted
	}{
		{workOptions{listen: "127.0.0.1:8090"}, ""},
		{workOptions{listen: "[::1]:8090"}, ""},
		{workOptions{listen: "localhost:8090"}, ""},
		{workOptions{listen: "10.0.0.5:8090"}, "without TLS"},
		{workOptions{listen: "0.0.0.0:8090"}, "without TLS"},
		{workOptions{listen: ":8090"}, "without TLS"},
		{workOptions{listen: "127.0.0.1.example.com:8090"}, "without TLS"},
		{workOptions{listen: ":8090", plain: true}, ""},
		{workOptions{listen: ":8090", certFile: certificate, keyFile: key}, ""},
		{workOptions{listen: ":8090", certFile: certificate}, "belong together"},
		{workOptions{listen: ":8090", certFile: certificate, keyFile: key, plain: true}, "contradicts"},
		{workOptions{listen: ":8090", certFile: key, keyFile: certificate}, "--work-tls-cert"},
		{workOptions{local: true, certFile: certificate, keyFile: key}, "no use"},
	} {
		err := c.o.complete(func(string) string { return credential })
		if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.says)
		}
	}
}

// TestAttackOtherServer: a worker gives its credential only to a server whose certificate its
// authority has signed. A new certificate counts without a restart of the server.
func TestAttackOtherServer(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	writeCertificate(t, certificate, key)
	o := workOptions{listen: "127.0.0.1:0", certFile: certificate, keyFile: key}
	if err := o.complete(func(string) string { return credential }); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		t.Fatal(err)
	}
	came := 0
	s := &server{log: zap.NewNop(), failed: make(chan error, 1)}
	s.serveWorkers(l, o.certificate, arrival{noTasks{}, func() { came++ }}, o.tokens.Get)
	t.Cleanup(func() { s.servers[0].Close() })
	claim := func(ca string) error {
		t.Helper()
		c, err := work.NewClient("https://"+l.Addr().String(), func() (string, error) { return credential, nil })
		if err != nil {
			t.Fatal(err)
		}
		if ca != "" {
			text, err := os.ReadFile(ca)
			if err := errors.Join(err, c.Trust(text)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = c.Claim(t.Context(), work.Request{Worker: "w", Slots: 1})
		return err
	}
	other := filepath.Join(dir, "other.crt")
	writeCertificate(t, other, filepath.Join(dir, "other.key"))
	for _, ca := range []string{"", other} {
		var unknown x509.UnknownAuthorityError
		if err := claim(ca); !errors.As(err, &unknown) || came > 0 {
			t.Errorf("with the authorities of %q: %v", ca, err)
		}
	}
	if err := claim(certificate); err != nil || came != 1 {
		t.Errorf("with its own authority: %v", err)
	}
	writeCertificate(t, certificate, key)
	if err := claim(certificate); err != nil || came != 2 {
		t.Errorf("with a new certificate: %v", err)
	}
	if c, err := work.NewClient("https://x", nil); err != nil || c.Trust([]byte("no certificate")) == nil {
		t.Error("a file without a certificate is accepted")
	}
}
