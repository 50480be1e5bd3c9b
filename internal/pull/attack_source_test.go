package pull

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

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
