package keys

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"

	"github.com/odfix/odfix/internal/child"
)

// Signer signs a text with the App's private key: RSASSA-PKCS1-v1_5 with SHA-256 (RS256).
type Signer func(ctx context.Context, text []byte) ([]byte, error)

// ParseKey reads an RSA private key in PEM.
func ParseKey(text []byte) (*rsa.PrivateKey, error) {
	key, err := jwt.ParseRSAPrivateKeyFromPEM(text)
	if err != nil {
		return nil, fmt.Errorf("the App's private key cannot be read (%w): use the .pem file that GitHub offered "+
			"when the key was made", err)
	}
	return key, nil
}

// PEM signs with a key that never changes.
func PEM(text []byte) (Signer, error) {
	key, err := ParseKey(text)
	return Of(Fixed(key)), err
}

// Of signs with the key of a file, as it is now.
func Of(key *File[*rsa.PrivateKey]) Signer {
	return func(_ context.Context, text []byte) ([]byte, error) {
		sum := sha256.Sum256(text)
		return rsa.SignPKCS1v15(rand.Reader, key.Get(), crypto.SHA256, sum[:])
	}
}

const (
	// commandTime bounds a run of a signer command.
	commandTime  = 10 * time.Second
	maxOutput    = 16 << 10 // bytes
	maxComplaint = 300      // bytes of its standard error in an error
)

// Command signs with a program, which gets the text as its input and writes the signature in Base64.
// It returns an error if the program fails, takes more than ten seconds, or writes something else.
func Command(words, environment []string) Signer {
	return func(ctx context.Context, text []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, commandTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		out, complaint := &child.Tail{Size: maxOutput}, &child.Tail{Size: maxOutput}
		cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = environment, bytes.NewReader(text), out, complaint, time.Second
		if err := child.Run(cmd); err != nil {
			last, _ := complaint.End(maxComplaint)
			return nil, fmt.Errorf("the signer command failed: %w: %s", errors.Join(ctx.Err(), err), strings.TrimSpace(last))
		}
		return signature(out.String())
	}
}

// signature decodes Base64, with or without line breaks and padding, also that of URLs.
func signature(text string) ([]byte, error) {
	text = strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(strings.Join(strings.Fields(text), ""))
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 256 || len(b) > 1024 {
		return nil, errors.New("the signer command did not write a signature of an RSA key of 2048 or more bits, in Base64")
	}
	return b, nil
}
