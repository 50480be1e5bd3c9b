package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func event(t *testing.T, name, body string) *Event {
	t.Helper()
	e, err := DecodeEvent(name, []byte(strings.ReplaceAll(body, "SHA", sha)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return e
}

// TestWhatIsKept: for each kind of event just what odfix needs.
func TestWhatIsKept(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, body string
		want       Event
	}{
		{"workflow_run", `{"action":"completed","workflow":{"name":"CI"},"workflow_run":{"id":7,"name":"run name","path":".github/workflows/ci.yml","head_sha":"SHA",
			"head_branch":"x","head_repository":{"id":2},"event":"pull_request","conclusion":"failure","run_attempt":3,"html_url":"https://h",
			"pull_requests":[{"number":4,"base":{"repo":{"id":1}}},{"number":5,"base":{"repo":{"id":77}}}]},` + head + `}`,
			Event{Action: "completed", Check: &CheckEvent{HeadSHA: sha, HeadBranch: "x",
				HeadRepository: 2, Conclusion: "failure", Name: "run name", Key: "run/7/3",
				PullRequests: []int64{4}}}},
		{"workflow_job", `{"action":"completed","workflow_job":{"id":8,"run_id":7,"run_attempt":1,"name":"test (17)","workflow_name":"CI","head_sha":"SHA","head_branch":null,"conclusion":"timed_out","html_url":"u"},` + head + `}`,
			Event{Action: "completed", Check: &CheckEvent{HeadSHA: sha, Conclusion: "timed_out",
				Name: "test (17)", Key: "job/8"}}},
		{"check_run", `{"action":"requested_action","requested_action":{"identifier":"retry"},"check_run":{"id":5,"name":"odfix","external_id":"e","head_sha":"SHA","conclusion":null,"details_url":"d","app":{"slug":"odfix"},"check_suite":{"head_branch":"x"},"pull_requests":[]},` + head + `}`,
			Event{Action: "requested_action",
				Check: &CheckEvent{HeadSHA: sha, HeadBranch: "x", Name: "odfix", App: "odfix",
					ExternalID: "e", Requested: "retry"}}},
		{"check_suite", `{"action":"rerequested","check_suite":{"id":6,"head_sha":"SHA","head_branch":null,"conclusion":"failure","app":{"slug":"ci"},"pull_requests":[{"number":4,"base":{"repo":{"id":1}}}]},` + head + `}`,
			Event{Action: "rerequested", Check: &CheckEvent{HeadSHA: sha, Conclusion: "failure",
				Name: "ci", App: "ci", PullRequests: []int64{4}}}},
		{"status", `{"id":3,"sha":"SHA","state":"error","context":"jenkins/pr","target_url":"u","branches":[{"name":"x"}],` + head + `}`,
			Event{Check: &CheckEvent{HeadSHA: sha, HeadBranch: "x", Conclusion: "error", Name: "jenkins/pr"}}},
		{"pull_request", `{"action":"synchronize","pull_request":{"number":4,"state":"open","draft":true,"maintainer_can_modify":true,"author_association":"CONTRIBUTOR","updated_at":"2026-01-02T03:04:05Z","head":{"sha":"SHA","ref":"x","repo":null},"base":{"ref":"main","repo":{"id":1}}},` + head + `}`,
			Event{Action: "synchronize", PullRequest: &PullRequestEvent{Number: 4, HeadSHA: sha, HeadRef: "x",
				BaseRef: "main", Open: true, Association: "CONTRIBUTOR", Updated: when}}},
		{"issue_comment", `{"action":"created","issue":{"number":4,"pull_request":{"url":"u"}},"comment":{"id":11,"body":"Thanks!\r\n\r\n/odfix ignore a.B#c  \r\n/odfix retry","user":{"login":"ann","type":"User"}},` + head + `}`,
			Event{Action: "created", Comment: &CommentEvent{ID: 11, Number: 4, Author: "ann", Command: "/odfix ignore a.B#c"}}},
		{"push", `{"ref":"refs/heads/release/2","after":"SHA","commits":[{"added":["a"],"modified":[".github/.odfix.yml"],"removed":[]}],` + head + `}`,
			Event{Push: &PushEvent{Branch: "release/2", After: sha}}},
	} {
		c.want.Name, c.want.Installation = c.name, 9
		c.want.Repository, c.want.Sender = Repository{1, "acme/shop"}, Sender{"ann", "User"}
		got := event(t, c.name, c.body)
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		kept(t, got)
	}
}

// TestAttackUselessDeliveries: somebody can cause very many deliveries about jobs that end. Those that odfix
// has no use for are not stored, so those of other installations do not wait for them.
func TestAttackUselessDeliveries(t *testing.T) {
	for _, c := range []struct {
		event, conclusion, app string
		used                   bool
	}{
		{"workflow_run", "failure", "", true},
		{"workflow_run", "success", "", true}, // comments may be settled
		{"workflow_run", "cancelled", "", false},
		{"workflow_job", "failure", "", true},
		{"workflow_job", "success", "", false},
		{"workflow_job", "cancelled", "", false},
		{"check_run", "failure", "ci", true},
		{"check_run", "success", "ci", true},
		{"check_run", "neutral", "ci", false},
		{"check_run", "failure", actionsApp, false}, // its job is delivered, too
		{"check_suite", "failure", "ci", false},
	} {
		body := fmt.Sprintf(`{"action":"completed","%s":{"id":6,"head_sha":"%s","conclusion":"%s","app":{"slug":"%s"}},%s}`,
			c.event, sha, c.conclusion, c.app, head)
		_, err := DecodeEvent(c.event, []byte(body))
		if err != nil && !errors.Is(err, ErrIgnored) || (err == nil) != c.used {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// kept: what is stored reads back as the same.
func kept(t *testing.T, e *Event) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var again Event
	if err := json.Unmarshal(text, &again); err != nil || !cmp.Equal(*e, again) {
		t.Errorf("%v: %s", err, cmp.Diff(*e, again))
	}
}

func TestInstallationEvents(t *testing.T) {
	when := time.Unix(1557933591, 0).UTC()
	about := `"installation":{"id":9,"account":{"id":5,"login":"acme"},"permissions":{"checks":"write"},"suspended_at":NULL,"updated_at":1557933591}`
	list := `[{"id":1,"full_name":"acme/shop"}]`
	shop := []Repository{{ID: 1, FullName: "acme/shop"}}
	for _, c := range []struct {
		name, action, more, suspended string
		want                          InstallationEvent
	}{
		{"installation", "created", `"repositories":` + list, "null", InstallationEvent{Added: shop}},
		{"installation", "deleted", `"repositories":` + list, "null", InstallationEvent{Removed: true, Gone: shop}},
		{"installation", "suspend", `"x":1`, `"2026-01-02T03:04:05Z"`, InstallationEvent{Suspended: true}},
		{"installation_repositories", "added", `"repositories_added":` + list + `,"repositories_removed":[]`,
			"null", InstallationEvent{Added: shop, Gone: []Repository{}}},
		{"installation_repositories", "removed", `"repositories_removed":` + list, "null", InstallationEvent{Gone: shop}},
	} {
		c.want.AccountID, c.want.Account, c.want.Permissions, c.want.Updated = 5, "acme", map[string]string{"checks": "write"}, when
		e := event(t, c.name, `{"action":"`+c.action+`",`+c.more+`,`+strings.Replace(about, "NULL", c.suspended, 1)+`}`)
		if diff := cmp.Diff(&c.want, e.Installed); diff != "" {
			t.Errorf("%s %s: %s", c.name, c.action, diff)
		}
	}
}

func TestPushesThatMatter(t *testing.T) {
	for body, want := range map[string]bool{
		`"ref":"refs/heads/main","commits":[{"modified":["src/A.java"]}]`:                  false,
		`"ref":"refs/heads/main","commits":[{"removed":[".odfix.yml"]}]`:                   true,
		`"ref":"refs/heads/main","commits":[{"modified":["sub/.odfix.yml"]}]`:              false,
		`"ref":"refs/heads/main","forced":true,"commits":[{"modified":["a"]}]`:             true,
		`"ref":"refs/heads/main","commits":[]`:                                             true,
		`"ref":"refs/tags/v1","commits":[{"modified":[".odfix.yml"]}]`:                     false,
		`"ref":"refs/heads/main","deleted":true,"commits":[]`:                              false,
		`"ref":"refs/heads/main","commits":[` + strings.Repeat(`{},`, mostCommits) + `{}]`: true,
	} {
		_, err := DecodeEvent("push", []byte(`{"after":"`+sha+`",`+body+`,`+head+`}`))
		if err != nil && !errors.Is(err, ErrIgnored) || (err == nil) != want {
			t.Errorf("%.80s: %v", body, err)
		}
	}
}

func TestCommands(t *testing.T) {
	for body, want := range map[string]string{
		"/odfix retry": "/odfix retry", "/odfix": "/odfix", "please\n/odfix explain\n": "/odfix explain",
		"/odfixer": "", "see /odfix retry": "", "> /odfix retry": "", "    /odfix retry": "", "```\n/odfix retry\n```": "",
		"```\nx\n```\n/odfix retry": "/odfix retry", "": "", "/ODFIX retry": "",
	} {
		if got := commandIn(body); got != want {
			t.Errorf("%q: %q", body, got)
		}
	}
	for _, c := range []string{`"issue":{"number":4},"comment":{"id":1,"body":"/odfix retry"}`,
		`"issue":{"number":4,"pull_request":{}},"comment":{"id":1,"body":"/odfix retry","user":{"type":"Bot"}}`} {
		if _, err := DecodeEvent("issue_comment", []byte(`{"action":"created",`+c+`,`+head+`}`)); !errors.Is(err, ErrIgnored) {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// TestLongTextsAreCut: what is stored stays small, whatever somebody called their check.
func TestLongTextsAreCut(t *testing.T) {
	e := event(t, "check_run", strings.Replace(checkRun, `"name":"test"`, `"name":"`+strings.Repeat("ü", 1<<20)+`"`, 1))
	text, err := json.Marshal(e)
	if err != nil || len(text) > 4000 || len(e.Check.Name) == 0 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add("check_run", checkRun)
	f.Add("push", `{"ref":"refs/heads/main","after":"`+sha+`","commits":[],`+head+`}`)
	f.Add("installation", `{"action":"created","installation":{"id":1,"account":{"login":"a"},"updated_at":1},"repositories":[{"id":1,"full_name":"a/b"}]}`)
	f.Add("issue_comment", `{"action":"created","issue":{"number":4,"pull_request":{}},"comment":{"id":1,"body":"/odfix x","user":{"type":"User"}},`+head+`}`)
	f.Add("pull_request", `{"action":"opened","pull_request":{"number":4,"state":"open","updated_at":"2026-01-02T03:04:05Z","head":{"sha":"`+sha+`"},"base":{"repo":{"id":1}}},`+head+`}`)
	f.Fuzz(func(t *testing.T, name, body string) {
		e, err := DecodeEvent(name, []byte(body))
		if (e == nil) == (err == nil) {
			t.Fatalf("%v, %v", e, err)
		}
		if err != nil {
			return
		}
		set := 0
		for _, there := range []bool{e.Check != nil, e.PullRequest != nil, e.Comment != nil, e.Push != nil, e.Installed != nil} {
			if there {
				set++
			}
		}
		if set != 1 || e.Installation == 0 {
			t.Errorf("%+v", e)
		}
		text, err := json.Marshal(e)
		var again Event
		if err != nil || json.Unmarshal(text, &again) != nil {
			t.Errorf("%v: %s", err, text)
		}
	})
}
