package githubtest_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/description"
)

// FuzzRequests sends any request. The stand-in must answer without an internal error.
func FuzzRequests(f *testing.F) {
	rest, err := description.REST()
	if err != nil {
		f.Fatal(err)
	}
	for _, op := range rest.Operations() {
		path := strings.NewReplacer("{owner}", "acme", "{repo}", "demo", "{pull_number}", "1", "{issue_number}", "1", "{ref}", "main",
			"{basehead}", "main...main", "{commit_sha}", "main", "{path}", "../x", "{username}", "dev").Replace(op.Path)
		f.Add(op.Method, path, `{"body":"x","sha":"--output=x","ref":"refs/heads/../x","path":"README.md","line":-1}`)
	}
	f.Add("GET", "/repos/acme/demo/contents/%2e%2e/%2e%2e/etc/passwd", "")
	f.Add("GET", "/repos/acme/demo/commits/-x", "")
	w := newFuzzWorld(f)
	f.Fuzz(func(t *testing.T, method, path, body string) {
		r, err := http.NewRequestWithContext(t.Context(), method, w.URL, strings.NewReader(body))
		if err != nil || !strings.HasPrefix(path, "/") {
			t.Skip("no such request can be sent")
		}
		u, err := r.URL.Parse(path)
		if err != nil || u.Host != r.URL.Host {
			t.Skip("no such request can be sent")
		}
		r.URL = u
		w.Advance(time.Minute) // no limit is reached
		resp, err := w.gh.Client().Transport.RoundTrip(r)
		if err != nil {
			t.Skip(err)
		}
		_ = resp.Body.Close()
		for _, m := range w.TakeMismatches() {
			if m.Where == "answer" {
				t.Errorf("%s %s %s: %s", method, path, body, m)
			}
		}
	})
}

func newFuzzWorld(f *testing.F) *world {
	// The fuzzer provokes mismatches, so this server starts without the check for them.
	s, err := githubtest.New(f.Context(), githubtest.Config{Dir: f.TempDir()})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	w := &world{Server: s, ctx: f.Context(), dev: s.AddUser("dev"), t: f}
	w.owner = s.AddOrganization("acme", w.dev)
	if w.app, err = s.AddApp(githubtest.AppSpec{Name: "odfix", Permissions: permissions}); err != nil {
		f.Fatal(err)
	}
	if w.repo, err = s.AddRepository(w.ctx, githubtest.RepositorySpec{Owner: w.owner, Name: "demo", Files: base}); err != nil {
		f.Fatal(err)
	}
	w.gh = w.client(w.app.Install(w.owner))
	w.pull()
	return w
}

// A payload has every field that all published examples of its event have.
func TestPayloadsHaveWhatAllPublishedExamplesHave(t *testing.T) {
	examples, err := description.Examples()
	if err != nil {
		t.Fatal(err)
	}
	common := map[string]map[string]bool{}
	for _, e := range examples {
		var head struct{ Action string }
		if err := json.Unmarshal(e.Payload, &head); err != nil {
			t.Fatal(err)
		}
		these, kind := map[string]bool{}, e.Event+" "+head.Action
		fields(e.Payload, these)
		if common[kind] == nil {
			common[kind] = these
		}
		maps.DeleteFunc(common[kind], func(path string, _ bool) bool { return !these[path] })
	}
	w := newWorld(t, githubtest.Config{})
	p := w.pull()
	run, err := w.repo.StartRun(w.ctx, githubtest.RunSpec{Pull: p, Jobs: []string{"build"}})
	w.must(err)
	run.Complete(w.ctx, "failure")
	p.Comment(w.ctx, w.dev, "x")
	w.must(w.Drain(w.ctx))
	checked := 0
	for _, d := range w.app.Deliveries() {
		ours := map[string]bool{}
		fields(d.Payload, ours)
		for path := range common[d.Event+" "+d.Action] {
			checked++
			if !ours[path] && !accident(path) {
				t.Errorf("%s %s lacks %s", d.Event, d.Action, path)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d fields checked", checked)
	}
}

// accident reports whether a field belongs to the repositories and Apps of the examples only.
func accident(path string) bool {
	for _, part := range []string{".permissions.", ".license.", "labels[].", "assignee", "requested_",
		"milestone.", "head_commit.", "commits[]."} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

func fields(raw []byte, into map[string]bool) {
	var v any
	if json.Unmarshal(raw, &v) == nil {
		walk(v, "", into)
	}
}

func walk(v any, path string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, one := range v {
			into[path+"."+k] = true
			walk(one, path+"."+k, into)
		}
	case []any:
		for _, one := range v {
			walk(one, path+"[]", into)
		}
	}
}
