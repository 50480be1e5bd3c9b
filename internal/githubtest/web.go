package githubtest

import (
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

var gitPath = regexp.MustCompile(`^/([^/]+)/([^/]+?)\.git(/info/refs|/git-upload-pack|/git-receive-pack|/HEAD)$`)

// serveWeb is the other host: downloads, git over HTTP, and pages.
func (s *Server) serveWeb(w http.ResponseWriter, r *http.Request) {
	switch m := gitPath.FindStringSubmatch(r.URL.Path); {
	case strings.HasPrefix(r.URL.Path, "/_downloads/"):
		s.serveDownload(w, r)
	case m != nil:
		s.serveGit(w, r, m[1], m[2], m[3])
	case s.config.Pages != nil:
		s.config.Pages.ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// serveGit lets a repository be cloned and fetched, with a token where it is
// private. Pushing is not offered: the API's git operations are.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, owner, name, path string) {
	dir, status := s.fetchable(r, owner, name)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
	}
	if status == http.StatusOK && (strings.HasSuffix(path, "receive-pack") || r.URL.Query().Get("service") == "git-receive-pack") {
		status = http.StatusForbidden
	}
	if status != http.StatusOK {
		http.Error(w, http.StatusText(status), status)
		return
	}
	git, err := exec.LookPath("git")
	if err != nil {
		http.Error(w, "git is not installed", http.StatusInternalServerError)
		return
	}
	env := append(gitrepo.Environment(dir), "GIT_PROJECT_ROOT="+filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1")
	r.URL.Path = "/" + filepath.Base(dir) + path
	if v := r.Header.Get("Git-Protocol"); v != "" {
		env = append(env, "GIT_PROTOCOL="+v)
	}
	(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Dir: dir, Env: env}).ServeHTTP(w, r)
}

func (s *Server) fetchable(r *http.Request, owner, name string) (dir string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by, err := s.authenticate(r)
	if err != nil {
		return "", http.StatusUnauthorized
	}
	repo := s.repository(owner, name)
	switch {
	case repo == nil && by.token == nil:
		return "", http.StatusUnauthorized
	case repo == nil:
		return "", http.StatusNotFound
	case repo.Private && by.token == nil:
		return "", http.StatusUnauthorized
	case repo.Private && !(by.token.covers(repo) && by.token.allows("contents:read")):
		return "", http.StatusNotFound
	}
	return repo.git.Dir, http.StatusOK
}
