package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pair makes a certificate with a serial number, and its key.
func pair(t *testing.T, serial int64) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// TestCertificate: both files can be replaced in either order, also long after each other. Until both
// are new, the old certificate counts.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	before := time.Now().Add(-time.Hour) // so that the time of a file does not make it suspect
	write := func(path string, text []byte) {
		t.Helper()
		before = before.Add(time.Minute)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, before, before); err != nil {
			t.Fatal(err)
		}
	}
	c1, k1 := pair(t, 1)
	write(certificate, c1)
	if _, err := OpenCertificate(certificate, key); err == nil {
		t.Error("a key that does not exist is used")
	}
	write(key, k1)
	f, err := OpenCertificate(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	want := func(serial int64, usable bool) {
		t.Helper()
		if got := f.Get().Leaf.SerialNumber.Int64(); got != serial || (f.Err() == nil) != usable {
			t.Errorf("certificate %d, want %d; %v", got, serial, f.Err())
		}
	}
	want(1, true)
	c2, k2 := pair(t, 2)
	write(certificate, c2)
	want(1, false)
	write(key, k2)
	want(2, true)
	c3, k3 := pair(t, 3)
	write(key, k3)
	want(2, true)
	write(certificate, c3)
	want(3, true)
}
