package githubtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// download is something offered for a short while on the web host.
type download struct {
	until   int64 // Unix seconds
	media   string
	content []byte
}

// offer makes a signed address that works until it expires, for whoever has it.
func (s *Server) offer(name, media string, content []byte, life time.Duration) string {
	maps.DeleteFunc(s.downloads, func(_ string, d *download) bool { return s.now().Unix() >= d.until })
	key, until := randomHex(16), s.now().Add(life).Unix()
	s.downloads[key] = &download{until: until, media: media, content: content}
	return fmt.Sprintf("%s/_downloads/%s/%s?se=%d&sig=%s", s.WebURL, key, escape(name), until, s.signature(key, until))
}

func (s *Server) signature(key string, until int64) string {
	mac := hmac.New(sha256.New, s.secret)
	fmt.Fprintf(mac, "%s %d", key, until)
	return hex.EncodeToString(mac.Sum(nil))
}

// serveDownload gives what was offered. As on the storage behind GitHub, a
// request that brings credentials along is refused; that it leaked a token to
// another host is kept as a mismatch.
func (s *Server) serveDownload(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	key, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/_downloads/"), "/")
	until, _ := strconv.ParseInt(r.URL.Query().Get("se"), 10, 64) // no number was never signed
	d := s.downloads[key]
	good := hmac.Equal([]byte(r.URL.Query().Get("sig")), []byte(s.signature(key, until)))
	expired := s.now().Unix() >= until
	leaked := r.Header.Get("Authorization") != ""
	if leaked {
		s.mismatch("download", r.URL.Path, "the request carries an Authorization header: the token is leaked to another host")
	}
	s.mu.Unlock()
	switch {
	case leaked:
		http.Error(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>InvalidAuthenticationInfo</Code></Error>`, http.StatusUnauthorized)
	case d == nil || !good || expired:
		http.Error(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code></Error>`, http.StatusForbidden)
	default:
		w.Header().Set("Content-Type", d.media)
		w.Header().Set("Content-Length", strconv.Itoa(len(d.content)))
		_, _ = w.Write(d.content) // the client is gone
	}
}

// archive redirects to a packed commit, whose folder is named as GitHub names it.
func (c *call) archive() (answer, error) {
	ref := either(c.params["ref"], c.repo.Default)
	sha, err := c.repo.git.Resolve(c.ctx, ref)
	if err != nil {
		return answer{}, notFound()
	}
	format, media := "tar.gz", "application/x-gzip"
	if strings.Contains(c.end.op.ID, "zip") {
		format, media = "zip", "application/zip"
	}
	folder := fmt.Sprintf("%s-%s-%s", c.repo.owner.Login, c.repo.Name, sha[:7])
	packed, err := c.repo.git.Archive(c.ctx, sha, format, folder)
	if err != nil {
		return answer{}, err
	}
	return redirect(c.s.offer(folder+"."+format, media, packed, 5*time.Minute)), nil
}
