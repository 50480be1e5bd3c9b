package githubtest

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// download is a file that the web host offers for a short time.
type download struct {
	until   time.Time
	media   string
	content []byte
}

// redirect answers with the address of a file. The address cannot be guessed, and works for one
// minute.
func (c *call) redirect(name, media string, content []byte) answer {
	s := c.s
	maps.DeleteFunc(s.downloads, func(_ string, d *download) bool { return !s.now().Before(d.until) })
	key := randomHex(16)
	s.downloads[key] = &download{until: s.now().Add(time.Minute), media: media, content: content}
	return answer{status: http.StatusFound, header: http.Header{"Location": {s.WebURL + "/_downloads/" + key + "/" + escape(name)}}}
}

// serveWeb is the web host: downloads and pages.
func (s *Server) serveWeb(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/_downloads/"):
		s.serveDownload(w, r)
	case r.URL.Path == "/login/oauth/authorize":
		s.serveAuthorize(w, r)
	case r.URL.Path == "/login/oauth/access_token":
		s.serveToken(w, r)
	case s.config.Pages != nil:
		s.config.Pages.ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// serveDownload serves a file. As GitHub's storage does, it refuses a request with credentials.
// Such a request has sent a token to another host, so it is a mismatch, too.
func (s *Server) serveDownload(w http.ResponseWriter, r *http.Request) {
	unlock := s.lock()
	key, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/_downloads/"), "/")
	d := s.downloads[key]
	expired := d == nil || !s.now().Before(d.until)
	leaked := r.Header.Get("Authorization") != ""
	if leaked {
		s.mismatch("download", r.URL.Path, "the request has an Authorization header, which sends the token to another host")
	}
	unlock()
	switch {
	case leaked:
		http.Error(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>InvalidAuthenticationInfo</Code></Error>`,
			http.StatusUnauthorized)
	case expired:
		http.Error(w, `<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code></Error>`, http.StatusForbidden)
	default:
		w.Header().Set("Content-Type", d.media)
		w.Header().Set("Content-Length", strconv.Itoa(len(d.content)))
		_, _ = w.Write(d.content) // an error means that the client is gone
	}
}
