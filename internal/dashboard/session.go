package dashboard

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// The cookies. A browser accepts a name with this prefix only over TLS, for this host and all paths,
// so no other host can set one.
const (
	sessionCookie = "__Host-odfix-session"
	loginCookie   = "__Host-odfix-login"
)

const (
	sessionTime = 8 * time.Hour // as long as GitHub's token
	loginTime   = 10 * time.Minute
)

// session is a signed-in person.
type session struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
}

// login is a sign-in that has begun in a browser.
type login struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"` // of PKCE
	Expires  time.Time `json:"expires"`
}

// sealer encrypts cookies, so that the server keeps no token and every replica can read them.
type sealer struct{ aead cipher.AEAD }

func newSealer(secret string) (sealer, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "odfix dashboard cookies", 32)
	if err != nil {
		return sealer{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealer{aead}, err
}

// set sends a value to the browser, encrypted. The cookie's name is sealed with it, so that one
// cookie cannot take the place of another.
func (s sealer) set(w http.ResponseWriter, name string, value any, last time.Duration) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	sealed := base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(name)))
	http.SetCookie(w, cookie(name, sealed, int(last/time.Second)))
	return nil
}

// get reads a value that set has sent.
func (s sealer) get(r *http.Request, name string, into any) error {
	c, err := r.Cookie(name)
	if err != nil {
		return err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return err
	}
	text, err := s.aead.Open(nil, nil, sealed, []byte(name))
	if err != nil {
		return errors.New("the cookie is not from here")
	}
	return json.Unmarshal(text, into)
}

func drop(w http.ResponseWriter, name string) { http.SetCookie(w, cookie(name, "", -1)) }

func cookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// newState is 128 random bits.
func newState() string { return rand.Text() }
