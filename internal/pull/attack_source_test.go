package pull

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/github"
)

// packed are sources with so many members.
func packed(t *testing.T, members int) []byte {
	t.Helper()
	var one, all bytes.Buffer
	w := tar.NewWriter(&one)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "a/", Mode: 0o755})
	z, worse := gzip.NewWriterLevel(&all, gzip.NoCompression) // which takes no time
	if err := errors.Join(err, worse); err != nil {
		t.Fatal(err)
	}
	_, err = z.Write(bytes.Repeat(one.Bytes(), members))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return all.Bytes()
}

// TestAttackLargeSources: what the server keeps of sources while a runner works is bounded. Sources
// beyond that are refused with a reason, and leave nothing.
func TestAttackLargeSources(t *testing.T) {
	const most = 100_000
	sha := strings.Repeat("a", 40)
	for _, members := range []int{3, most + 1} {
		content := packed(t, members)
		mux := http.NewServeMux()
		mux.HandleFunc("GET /repos/acme/shop/tarball/"+sha, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+r.Host+"/packed", http.StatusFound)
		})
		mux.HandleFunc("GET /packed", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
		server := httptest.NewServer(mux)
		defer server.Close()
		client, err := github.NewWorkflowClient(github.WorkflowOptions{API: server.URL, Token: "t"})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		tree, err := Sources(t.Context(), Place{Client: client, Repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}, sha, dir)
		if tree != nil {
			defer tree.Close()
		}
		if members < most {
			if err != nil {
				t.Errorf("%d members: %v", members, err)
			}
			continue
		}
		want := "the sources of " + sha + ": the archive is refused: it has more than 100000 files and folders"
		if !errors.Is(err, archive.ErrRefused) || err.Error() != want {
			t.Errorf("%d members: %v", members, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("it leaves %v, %v", left, err)
		}
	}
	if treeLimits.Bytes > 1<<30 {
		t.Errorf("sources may take %d MiB of the disk", treeLimits.Bytes>>20)
	}
}

// TestAttackBaseBranch: the default branch is asked for a file, too, since the author of a pull request
// chooses its base. An error is no answer that the file is not there.
func TestAttackBaseBranch(t *testing.T) {
	const both = 2
	for name, c := range map[string]struct {
		base     string
		answers  map[string]string // of a branch; none: it does not have the file
		status   int               // instead of all answers
		want     []string
		requests int
	}{
		"main":                    {"main", map[string]string{"main": "text"}, 0, []string{"text"}, 1},
		"another branch":          {"old", map[string]string{"main": "text", "old": "other"}, 0, []string{"other", "text"}, both},
		"only the default branch": {"old", map[string]string{"main": "text"}, 0, []string{"text"}, both},
		"a new file":              {"old", nil, 0, nil, both},
		"an error that stays":     {"main", nil, 502, nil, mostReads},
		"a path that is refused":  {"main", nil, 414, []string{""}, 1},
		"a limit":                 {"main", nil, 403, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			mux := http.NewServeMux()
			mux.HandleFunc("GET /repos/acme/shop/pulls/1", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"number":1,"state":"open","base":{"ref":%q,"repo":{"default_branch":"main"}}}`, c.base)
			})
			mux.HandleFunc("GET /repos/acme/shop/contents/test/a.js", func(w http.ResponseWriter, r *http.Request) {
				asked++
				text, exists := c.answers[r.URL.Query().Get("ref")]
				switch {
				case c.status > 0:
					if c.status == http.StatusForbidden {
						w.Header().Set("X-RateLimit-Remaining", "0")
						w.Header().Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Hour).Unix()))
					}
					w.WriteHeader(c.status)
				case !exists:
					w.WriteHeader(http.StatusNotFound)
				default:
					fmt.Fprintf(w, `{"type":"file","encoding":"base64","content":%q}`, base64.StdEncoding.EncodeToString([]byte(text)))
				}
			})
			server := httptest.NewServer(mux)
			defer server.Close()
			client, err := github.NewWorkflowClient(github.WorkflowOptions{API: server.URL, Token: "t"})
			if err != nil {
				t.Fatal(err)
			}
			b := BaseOf(t.Context(), Place{Client: client, Repo: github.Repo{ID: 1, Owner: "acme", Name: "shop"}}, 1)
			b.pause = time.Millisecond
			got, err := b.Texts("test/a.js")
			if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil && c.status > 0) || asked != c.requests {
				t.Errorf("%q, %v, after %d requests", got, err, asked)
			}
		})
	}
}
