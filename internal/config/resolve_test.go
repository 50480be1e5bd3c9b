package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func repo(text string) Source   { return Source{Where: Repository, Text: []byte(text)} }
func folder(text string) Source { return Source{Where: GitHubFolder, Text: []byte(text)} }
func organisation(text string) Source {
	return Source{Where: Organisation, File: "acme/.github/.odfix.yml", Text: []byte(text)}
}

func resolved(t *testing.T, sources ...Source) Resolved {
	t.Helper()
	r := Resolve(sources...)
	for _, p := range r.Problems {
		t.Error(p)
	}
	return r
}

func TestNoFilesMeanDefaults(t *testing.T) {
	for name, sources := range map[string][]Source{
		"no file": nil, "empty": {repo("")}, "comment": {repo("# nothing yet\n")}, "null": {repo("---\n~\n")}, "mark": {repo("\ufeff")},
	} {
		if diff := cmp.Diff(Defaults(), resolved(t, sources...).Config); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPrecedence checks that each setting comes from the file with the highest precedence that has
// it.
func TestPrecedence(t *testing.T) {
	sources := []Source{
		organisation("jdk: 11\nnetwork: true\nbudgets: {job-minutes: 5, reruns: 7}\nladder: [comment]\n"),
		repo("jdk: 21\nbudgets:\n  job-minutes: 30\n"),
		folder("jdk: 17\ncomments: {tone: short}\nladder: []\n"),
	}
	want := Defaults()
	want.JDK, want.Network, want.Ladder = 21, true, []Rung{}
	want.Budgets.JobMinutes, want.Budgets.Reruns, want.Comments.Tone = 30, 7, Short
	for range 3 { // the order of the sources does not matter
		sources = append(sources[1:], sources[0])
		r := resolved(t, sources...)
		if diff := cmp.Diff(want, r.Config); diff != "" {
			t.Error(diff)
		}
		for path, origin := range map[string]string{
			"jdk": ".odfix.yml:1", "network": "acme/.github/.odfix.yml:2", "budgets.job-minutes": ".odfix.yml:3",
			"ladder": ".github/.odfix.yml:3", "enabled": "default",
		} {
			if got := r.Origins[path].String(); got != origin {
				t.Errorf("%s is reported as from %s, not %s", path, got, origin)
			}
		}
	}
}

// TestAFileWithProblemsDisablesOdfix checks that a file that cannot be read disables odfix, because
// it could contain that setting.
func TestAFileWithProblemsDisablesOdfix(t *testing.T) {
	r := Resolve(repo("enabeld: false\n"), organisation("jdk: 17\n"))
	if len(r.Problems) != 1 || r.Config.Enabled || r.Config.JDK != 0 {
		t.Errorf("%+v", r)
	}
	r = Resolve(repo("jdk: 17\n"), organisation("policy: {forbid: [newtork]}\n"))
	if len(r.Problems) != 1 || r.Config.Enabled || r.Problems[0].File != "acme/.github/.odfix.yml" {
		t.Errorf("%+v", r)
	}
}

func TestPolicyBindsOnlyFromTheOrganisation(t *testing.T) {
	for _, s := range []Source{repo("policy: {}\n"), folder("jdk: 17\npolicy:\n  forbid: [network]\n")} {
		r := Resolve(s)
		if len(r.Problems) != 1 || r.Problems[0].Path != "policy" || !strings.Contains(r.Problems[0].Hint, "organisation's .github") {
			t.Errorf("%+v", r.Problems)
		}
	}
}

const greedy = `
network: true
environment: [TZ]
ladder: [suggestion, commit, stacked-pull-request]
ignore: [{test: a.B, until: 2030-01-01}]
tests:
  command: [mvn, verify]
  modules: [core, {path: web, command: [npm, test]}]
budgets: {job-minutes: 360, investigations-per-day: 10000}
comments: {max-per-day: 1000}
never-patch: [a/**]
approval: {when: never}
`

func TestPolicyRemovesForbiddenSettings(t *testing.T) {
	r := resolved(t, repo(greedy), organisation(`
policy:
  forbid: [network, environment, commands, ignoring, unapproved, stacked-pull-request, commit]
  max-job-minutes: 10
  max-investigations-per-day: 0
  max-comments-per-day: 3
  never-patch: [legacy/**]
`))
	want := Defaults()
	want.Ladder, want.NeverPatch = []Rung{Suggestion}, []Path{"a/**", "legacy/**"}
	want.Tests.Modules = []Module{{Path: "core"}, {Path: "web"}}
	want.Budgets.JobMinutes, want.Budgets.InvestigationsPerDay, want.Comments.MaxPerDay = 10, 0, 3
	want.Budgets.ProofMinutes = 10 // no setting of a repository, so it is not refused
	want.Policy = r.Config.Policy
	if diff := cmp.Diff(want, r.Config); diff != "" {
		t.Error(diff)
	}
	var refused []string
	for _, x := range r.Refused {
		refused = append(refused, x.Path)
		if x.Origin.File != ".odfix.yml" || x.Policy.File != "acme/.github/.odfix.yml" || x.Reason == "" {
			t.Errorf("%+v", x)
		}
	}
	slices.Sort(refused)
	all := []string{"approval.when", "budgets.investigations-per-day", "budgets.job-minutes", "comments.max-per-day",
		"environment", "ignore", "ladder", "ladder", "network", "tests.command", "tests.modules"}
	if diff := cmp.Diff(all, refused); diff != "" {
		t.Error(diff)
	}
}

// TestPolicyLowersDefaultsSilently checks that a lowered default is not reported as refused,
// because no repository set it.
func TestPolicyLowersDefaultsSilently(t *testing.T) {
	r := resolved(t, organisation("policy: {max-job-minutes: 5, forbid: [network, commit]}\n"))
	if r.Config.Budgets.JobMinutes != 5 || len(r.Refused) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestForbidUnapproved: a repository can ask for more approvals than its organisation, and not for
// fewer.
func TestForbidUnapproved(t *testing.T) {
	for text, want := range map[[2]string]ApprovalWhen{
		{"approval: {when: never}", "policy: {forbid: [unapproved]}"}:                            InPublic,
		{"approval: {when: never}", "approval: {when: always}\npolicy: {forbid: [unapproved]}"}:  Always,
		{"approval: {when: public}", "approval: {when: always}\npolicy: {forbid: [unapproved]}"}: Always,
		{"approval: {when: always}", "policy: {forbid: [unapproved]}"}:                           Always,
		{"jdk: 17", "approval: {when: never}\npolicy: {forbid: [unapproved]}"}:                   InPublic,
		{"approval: {when: never}", "approval: {when: always}"}:                                  Never,
	} {
		if r := resolved(t, repo(text[0]), organisation(text[1]+"\n")); r.Config.Approval.When != want {
			t.Errorf("%q: %s, want %s", text, r.Config.Approval.When, want)
		}
	}
}

func TestForbidEnabling(t *testing.T) {
	for text, want := range map[[2]string]bool{
		{"enabled: true", "enabled: false\npolicy: {forbid: [enabling]}"}:  false,
		{"enabled: true", "enabled: false"}:                                true,
		{"enabled: false", "enabled: true\npolicy: {forbid: [enabling]}"}:  false,
		{"jdk: 17", "enabled: true\npolicy: {forbid: [enabling]}"}:         true,
		{"enabled: true", "policy: {forbid: [enabling]}"}:                  true,
		{"jdk: 17", "enabled: false\npolicy: {forbid: [enabling]}"}:        false,
		{"enabled: true", "enabled: false\npolicy: {forbid: [network]}\n"}: true,
	} {
		if r := resolved(t, repo(text[0]), organisation(text[1])); r.Config.Enabled != want {
			t.Errorf("%q: enabled is %v", text, r.Config.Enabled)
		}
	}
}

// TestShownConfigReadsBack checks that the printed configuration is a file with the same meaning.
func TestShownConfigReadsBack(t *testing.T) {
	for name, sources := range map[string][]Source{
		"defaults": nil, "greedy": {repo(greedy)},
		"odd texts": {repo("ci: {jobs: ['a: b', '- x', '#', 'true', '17', \"it's\", '*']}\ntests: {command: ['-D', ' x', 'a\"b']}\n")},
		"policy":    {organisation("policy: {never-patch: [x/**]}\nnever-patch: [y]\n")},
	} {
		first := resolved(t, sources...)
		again := resolved(t, Source{Where: Organisation, Text: []byte(first.YAML())})
		if diff := cmp.Diff(first.Config, again.Config); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, first.YAML())
		}
	}
}

// TestResolveChangesNothing checks that Resolve is a pure function.
func TestResolveChangesNothing(t *testing.T) {
	sources := []Source{organisation("policy: {never-patch: [x/**]}\n"), repo(greedy)}
	first := Resolve(sources...)
	if second := Resolve(sources...); !reflect.DeepEqual(first, second) || sources[0].Where != Organisation {
		t.Errorf("%+v\n%+v", first, second)
	}
}

func TestIgnoreEnds(t *testing.T) {
	c := resolved(t, repo("ignore:\n  - {test: a.B#c, until: 2027-01-31}\n"+
		"  - {test: 'a.slow.*', until: '2027-02-28', reason: being rewritten}\n")).Config
	last := time.Date(2027, 1, 31, 23, 59, 59, 0, time.UTC)
	for test, want := range map[string]bool{"a.B#c": true, "a.B#d": false, "a.B": false, "a.slow.X#y": true, "a.slow": false} {
		if _, got := c.Ignored(test, last); got != want {
			t.Errorf("%s: ignored is %v", test, got)
		}
	}
	next := last.Add(time.Second)
	if _, got := c.Ignored("a.B#c", next); got {
		t.Error("it is ignored after its last day")
	}
}
