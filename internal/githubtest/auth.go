package githubtest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// caller is the sender of a request: an App, an installation of one, a person, or an anonymous client.
type caller struct {
	app   *App
	token *token
	user  *userToken
}

func (c *caller) String() string {
	switch {
	case c == nil:
		return "refused"
	case c.token != nil:
		return fmt.Sprintf("installation %d", c.token.installation.ID)
	case c.user != nil:
		return "user " + c.user.person.Login
	case c.app != nil:
		return fmt.Sprintf("app %d", c.app.ID)
	}
	return "anonymous"
}

// token is an installation access token.
type token struct {
	text         string
	installation *Installation
	expires      time.Time
	permissions  map[string]string
	repositories []*Repository // nil: all of the installation's
}

func (t *token) covers(r *Repository) bool {
	return t.installation.covers(r) && (t.repositories == nil || slices.Contains(t.repositories, r))
}

func (t *token) allows(permission string) bool {
	for _, one := range strings.Split(permission, "|") {
		name, level, _ := strings.Cut(one, ":")
		// A permission that the installation lost since the token was made is lost for the token
		// too.
		if min(rank(t.permissions[name]), rank(t.installation.granted[name])) >= rank(level) {
			return true
		}
	}
	return permission == ""
}

func rank(level string) int { return slices.Index([]string{"", "read", "write", "admin"}, level) }

// tokenText makes a token in the long form that GitHub uses now: letters, dots and dashes.
func tokenText() string {
	part := func(n int) string { return base64.RawURLEncoding.EncodeToString(random(n)) }
	return "ghs_" + part(27) + "." + part(210) + "." + part(150)
}

// authenticate returns the sender of a request.
func (s *Server) authenticate(r *http.Request) (*caller, error) {
	text, ok := credentials(r)
	if !ok {
		return &caller{}, nil
	}
	if strings.Count(text, ".") == 2 && strings.HasPrefix(text, "ey") {
		return s.byJWT(text)
	}
	if u := s.people[text]; u != nil && s.now().Before(u.expires) {
		return &caller{user: u}, nil
	}
	t := s.tokens[text]
	if t == nil || !s.now().Before(t.expires) {
		return nil, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if !t.installation.suspended.IsZero() {
		return nil, refuse(http.StatusForbidden, "This installation has been suspended")
	}
	return &caller{token: t}, nil
}

func credentials(r *http.Request) (string, bool) {
	header := r.Header.Get("Authorization")
	scheme, text, ok := strings.Cut(header, " ")
	switch {
	case ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token")):
		return strings.TrimSpace(text), true
	case ok && strings.EqualFold(scheme, "basic"):
		_, password, _ := r.BasicAuth()
		return password, true
	}
	return "", header != ""
}

// byJWT checks a token of an App itself: signed with RS256 by the App's key, issued in the past,
// and valid for at most ten minutes.
func (s *Server) byJWT(text string) (*caller, error) {
	var app *App
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation(), jwt.WithJSONNumber())
	claims := jwt.MapClaims{}
	_, err := parser.ParseWithClaims(text, claims, func(*jwt.Token) (any, error) {
		iss := fmt.Sprint(claims["iss"])
		for _, a := range s.apps {
			if a.Key != nil && (iss == strconv.FormatInt(a.ID, 10) || iss == a.ClientID) {
				app = a
				return &a.Key.PublicKey, nil
			}
		}
		return nil, errNoApp
	})
	if errors.Is(err, errNoApp) {
		if claims["iss"] == nil {
			return nil, refuse(http.StatusUnauthorized, "Missing 'issuer' claim ('iss') in assertion")
		}
		if iss := fmt.Sprint(claims["iss"]); strings.Trim(iss, "0123456789") != "" && !strings.HasPrefix(iss, "Iv") {
			return nil, refuse(http.StatusUnauthorized, "'Issuer' claim ('iss') must be an Integer")
		}
		return nil, refuse(http.StatusNotFound, "Integration not found")
	}
	if err != nil {
		return nil, refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	if text := s.claims(claims); text != "" {
		return nil, refuse(http.StatusUnauthorized, text)
	}
	return &caller{app: app}, nil
}

var errNoApp = errors.New("no such app")

// claims returns GitHub's text for the first wrong claim, or nothing.
func (s *Server) claims(claims jwt.MapClaims) string {
	exp, expOK := seconds(claims["exp"])
	iat, iatOK := seconds(claims["iat"])
	now := s.now()
	switch {
	case !iatOK || iat.After(now):
		return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	case !expOK || !exp.After(now):
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	case exp.After(now.Add(10 * time.Minute)):
		return "'Expiration time' claim ('exp') is too far in the future"
	}
	return ""
}

func seconds(claim any) (time.Time, bool) {
	n, ok := claim.(json.Number)
	if !ok {
		return time.Time{}, false
	}
	f, err := n.Float64()
	return time.Unix(int64(f), 0), err == nil
}

// admit checks that the caller may use the operation, and finds the repository of the path.
func (c *call) admit() error {
	switch c.end.who {
	case asApp:
		if c.by.app == nil {
			return refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
		}
	case asUser:
		if c.by.user == nil {
			return refuse(http.StatusUnauthorized, "Requires authentication")
		}
	case asInstall:
		if c.by.token == nil {
			return refuse(http.StatusForbidden, "Resource not accessible by integration")
		}
	case onRepository:
		return c.admitToRepository()
	}
	return nil
}

// admitToRepository is stricter than GitHub for public repositories: there, anonymous clients and
// tokens of other accounts can read.
func (c *call) admitToRepository() error {
	if c.by.app != nil {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	repo := c.s.repository(c.params["owner"], c.params["repo"])
	switch {
	case repo == nil || repo.Private && (c.by.token == nil || !c.by.token.covers(repo)):
		return notFound()
	case c.by.token == nil:
		return refuse(http.StatusUnauthorized, "Requires authentication")
	case !c.by.token.covers(repo) || !c.by.token.allows(c.end.need):
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	c.repo = repo
	return nil
}
