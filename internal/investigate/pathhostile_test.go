package investigate

import (
	"archive/zip"
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/store"
)

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noise is nothing in any format.
func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = r.Read(b) // it never fails
	return b
}

// TestHostileArtifacts: what anybody packed for us is refused, leaves nothing
// behind, and does not keep the log from being read.
func TestHostileArtifacts(t *testing.T) {
	report := "<testsuite name='x'/>"
	for name, c := range map[string]struct {
		artifact string
		packed   []byte
	}{
		"leads out":    {"reports", zipped(t, map[string]string{"../../TEST-evil.xml": report})},
		"is named so":  {"../../../TEST-evil.xml", zipped(t, map[string]string{"TEST-a.xml": report})},
		"is a bomb":    {"test-reports", zipped(t, map[string]string{"TEST-a.xml": strings.Repeat("\x00", 64<<20)})},
		"is nothing":   {"junit", noise(4096)},
		"says nothing": {"surefire", zipped(t, map[string]string{"TEST-a.xml": string(noise(1 << 20))})},
		"refers to a file": {"results", zipped(t,
			map[string]string{"TEST-a.xml": "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><testsuite name='&e;'/>"})},
		"never ends its tag": {"results", zipped(t, map[string]string{"TEST-a.xml": "<testsuite name='" + strings.Repeat("a", 1<<20)})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hub{t: t, runner: investigatetest.NewRunner(t, "demo.report.json")}
			var work string
			h.adjust = func(o *Options) {
				work = filepath.Join(o.Dir, "a", "b")
				h.Must(os.MkdirAll(work, 0o755))
				o.Dir = work
			}
			h.github(githubtest.Config{})
			h.serve(h.runner)
			p := h.Pull(nil)
			run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
			h.Must(err)
			run.AddRawArtifact(c.artifact, c.packed)
			run.Job("test").Complete(h.Ctx, "failure", investigatetest.Recording(t, "demo.log"))
			run.Complete(h.Ctx, "failure")
			if list := h.settled(p, 1); list[0].State != store.Done || len(h.Posted(p).Causes()) != 1 {
				t.Errorf("%+v, %d comments", list, len(h.Posted(p).Causes()))
			}
			h.Must(filepath.WalkDir(filepath.Dir(filepath.Dir(work)), func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					t.Errorf("left behind: %s", path)
				}
				return err
			}))
		})
	}
}

// TestNoiseForALog: a red job whose log is nothing is nobody's business.
func TestNoiseForALog(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	p := h.Pull(nil)
	run, err := h.Repo.StartRun(h.Ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"test"}})
	h.Must(err)
	run.Job("test").Complete(h.Ctx, "failure", noise(8<<20))
	run.Complete(h.Ctx, "failure")
	list := h.settled(p, 1)
	if s := h.Posted(p); list[0].State != store.Cancelled || len(s.Checks)+len(s.Causes())+len(h.asked()) != 0 {
		t.Errorf("%+v, %d checks", list, len(s.Checks))
	}
}
