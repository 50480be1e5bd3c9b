package github

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/golang-jwt/jwt/v4"
)

// passes are the tokens with which the App identifies itself. GitHub takes each for 90 seconds.
// A signer can be a request to another machine, so a token is used more than once.
type passes struct {
	sign func(ctx context.Context, text []byte) ([]byte, error)

	mu   sync.Mutex
	last string
	made time.Time
}

var _ ghinstallation.Signer = (*passes)(nil)

const (
	passLife = 30 * time.Second // for how long a token is used
	signTime = 15 * time.Second
)

// Sign implements ghinstallation.Signer.
func (p *passes) Sign(claims jwt.Claims) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since := time.Since(p.made); p.last != "" && since >= 0 && since < passLife {
		return p.last, nil
	}
	text, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SigningString()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), signTime)
	defer cancel()
	made := time.Now()
	signature, err := p.sign(ctx, []byte(text))
	if err != nil {
		return "", fmt.Errorf("the App's key cannot sign: %w", err)
	}
	p.last, p.made = text+"."+base64.RawURLEncoding.EncodeToString(signature), made
	return p.last, nil
}
