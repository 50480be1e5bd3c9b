package keys

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
	"strings"
	"testing"
)

const signerMark = "ODFIX_TEST_SIGNER"

// TestMain makes the test binary a signer command, which signs with no key but shows what it got.
func TestMain(m *testing.M) {
	switch os.Getenv(signerMark) {
	case "":
		os.Exit(m.Run())
	case "fail":
		_, _ = os.Stderr.WriteString("no such key in the vault\n")
		os.Exit(1)
	case "words":
		_, _ = os.Stdout.WriteString("no signature")
	default:
		text, _ := io.ReadAll(os.Stdin)
		out := base64.StdEncoding.EncodeToString(append(make([]byte, 256), text...))
		_, _ = os.Stdout.WriteString(out[:76] + "\n" + out[76:] + "\n")
	}
	os.Exit(0)
}

// TestCommand checks what a signer command gets, and which answers count.
func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(mark string) ([]byte, error) {
		return Command([]string{self, "--key", "k"}, []string{signerMark + "=" + mark})(t.Context(), []byte("header.claims"))
	}
	if got, err := ask("sign"); err != nil || string(got[256:]) != "header.claims" {
		t.Errorf("%q, %v", got, err)
	}
	for mark, want := range map[string]string{"fail": "no such key in the vault", "words": "did not write a signature"} {
		if _, err := ask(mark); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mark, err)
		}
	}
	if _, err := Command([]string{"/no/such/program"}, nil)(t.Context(), nil); err == nil {
		t.Error("a program that is missing signs")
	}
}

// TestSignature checks the forms of Base64 that programs write.
func TestSignature(t *testing.T) {
	want := make([]byte, 256)
	for i := range want {
		want[i] = byte(255 - i)
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if got, err := signature(e.EncodeToString(want) + "\r\n"); err != nil || string(got) != string(want) {
			t.Errorf("%v: %v", got, err)
		}
	}
	for _, text := range []string{"", base64.StdEncoding.EncodeToString(want[:200]), strings.Repeat("A", 2000), string(want)} {
		if _, err := signature(text); err == nil {
			t.Errorf("%d bytes count", len(text))
		}
	}
}

// TestOf checks that the key of a file signs as it is at that moment.
func TestOf(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Of(Fixed(key))(t.Context(), []byte("text"))
	sum := sha256.Sum256([]byte("text"))
	if err != nil || rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], got) != nil {
		t.Error(err)
	}
}
