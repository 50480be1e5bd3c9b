package importtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/odfix/odfix/"

// allowed maps each room to the rooms of ours that it may import. "*" is anything.
var allowed = map[string][]string{
	"app":      {"*"},
	"examples": {},
	"runner": {"internal/engine", "internal/isolate", "internal/java", "internal/jest",
		"internal/job", "internal/project"},
	"internal/engine": {"internal/engine/detection", "internal/engine/fix", "internal/engine/pollution",
		"internal/engine/proof", "internal/engine/session", "internal/job", "internal/order", "internal/repair",
		"internal/suite"},
	"internal/engine/detection": {"internal/engine/fix", "internal/engine/session", "internal/budget", "internal/cohort",
		"internal/detect", "internal/diagnose", "internal/job", "internal/ledger", "internal/order", "internal/project",
		"internal/repair", "internal/state", "internal/suite"},
	"internal/engine/enginetest": {"internal/java/junitid", "internal/project", "internal/repair", "internal/suite"},
	"internal/engine/fix": {"internal/engine/proof", "internal/engine/restore", "internal/engine/session",
		"internal/budget", "internal/diagnose", "internal/job", "internal/patch", "internal/project", "internal/repair",
		"internal/suite", "internal/worktree"},
	"internal/engine/pollution": {"internal/engine/session", "internal/budget", "internal/job", "internal/project",
		"internal/repair", "internal/state", "internal/suite"},
	"internal/engine/proof": {"internal/engine/restore", "internal/engine/session", "internal/budget", "internal/cohort",
		"internal/job", "internal/order", "internal/patch", "internal/project", "internal/repair", "internal/suite"},
	"internal/engine/restore": {"internal/engine/session", "internal/budget", "internal/job", "internal/patch",
		"internal/project", "internal/repair", "internal/state", "internal/suite"},
	"internal/engine/session": {"internal/budget", "internal/diagnose", "internal/job", "internal/order",
		"internal/patch", "internal/project", "internal/repair", "internal/shell", "internal/state", "internal/suite",
		"internal/worktree"},
	"internal/worktree": {"internal/job"},
	"internal/java": {"internal/patch", "internal/project", "internal/harness", "internal/java/junitid",
		"internal/java/build", "internal/java/gradle", "internal/java/maven", "internal/java/workbench", "internal/suite", "internal/state", "internal/repair",
		"internal/job", "internal/ci", "internal/shell", "internal/lockfile", "runner/junit"},
	"runner/junit":   {"internal/wholefile"},
	"internal/cache": {"internal/lockfile"},
	"internal/jest": {"internal/cache", "internal/patch", "internal/project", "internal/harness", "internal/jest/jestid",
		"internal/suite", "internal/state", "internal/repair", "internal/shell", "internal/lockfile", "internal/wholefile", "runner/jest"},
	"runner/jest":           {"internal/wholefile"},
	"internal/suite":        {},
	"internal/java/junitid": {"internal/order", "internal/suite"},
	"internal/jest/jestid":  {"internal/order", "internal/suite"},
	"internal/budget":       {},
	"internal/cohort":       {"internal/suite"},
	"internal/order":        {"internal/suite"},
	"internal/ddmin":        {},
	"internal/diagnose":     {"internal/budget", "internal/cohort", "internal/suite", "internal/order", "internal/ddmin"},
	"internal/detect":       {"internal/cohort", "internal/suite", "internal/order", "internal/ddmin"},
	"internal/ledger":       {"internal/suite"},
	"internal/state":        {"internal/suite", "internal/order", "internal/ddmin"},
	"internal/repair": {"internal/budget", "internal/cohort", "internal/patch", "internal/suite",
		"internal/order", "internal/ddmin", "internal/diagnose", "internal/state"},
	"internal/project":             {"internal/patch", "internal/suite", "internal/state", "internal/repair"},
	"internal/project/projecttest": {"internal/patch", "internal/project", "internal/suite", "internal/state", "internal/repair"},
	"internal/child":               {},
	"internal/keys":                {"internal/child"},
	"internal/pause":               {},
	"internal/wholefile":           {},
	"internal/shell":               {},
	"internal/lockfile":            {},
	"internal/harness":             {"internal/child", "internal/state", "internal/suite", "internal/wholefile", "runner/junit"},
	"internal/java/build":          {"internal/cache", "internal/harness", "internal/suite", "internal/lockfile", "internal/wholefile"},
	"internal/java/gradle":         {"internal/java/build", "internal/java/junitid", "internal/shell", "internal/suite", "runner/junit"},
	"internal/java/maven": {"internal/java/build", "internal/java/junitid", "internal/harness", "internal/shell", "internal/suite",
		"runner/junit"},
	"internal/java/workbench":        {"internal/child", "internal/suite", "runner/junit"},
	"internal/job":                   {"internal/patch", "internal/suite"},
	"internal/dispatch/dispatchtest": {"internal/dispatch", "internal/isolate", "internal/job"},
	"internal/dispatch/kube":         {"internal/dispatch", "internal/job", "internal/work"},
	"internal/kubetest":              {"internal/child"},
	"internal/dispatch":              {"internal/child", "internal/isolate", "internal/job"},
	"internal/isolate":               {"internal/child", "internal/lockfile"},
	"internal/ci":                    {"internal/suite"},
	"internal/config":                {"internal/suite"},
	"internal/store":                 {"internal/job", "internal/lockfile", "internal/pause", "internal/suite"},
	"internal/store/storetest":       {"internal/store"},
	"internal/redact":                {},
	"internal/terminal":              {"internal/job", "templates"},
	"internal/doctor":                {"internal/github", "internal/store"},
	"internal/patch":                 {},
	"internal/suggest":               {"internal/patch"},
	"internal/importtest":            {},
	"internal/longtests":             {},
	"internal/release":               {},
	"internal/verdict": {"internal/job", "internal/state", "internal/suite", "internal/config",
		"internal/patch", "internal/suggest", "templates"},
	"internal/format": {"internal/config", "internal/job", "internal/patch", "internal/suggest", "internal/suite", "internal/verdict",
		"templates"},
	"templates": {"internal/patch", "internal/job", "internal/state", "internal/suite", "internal/shell", "internal/suggest"},

	"internal/accept": {"internal/ci", "internal/java/junitid", "internal/jest/jestid", "internal/job", "internal/patch",
		"internal/shell", "internal/suggest", "internal/suite"},
	"internal/archive":     {},
	"internal/browsertest": {},
	"internal/dashboard":   {"internal/github", "internal/store", "internal/suite", "templates"},
	"internal/github":      {"internal/config"},
	"internal/investigate": {"internal/accept", "internal/archive", "internal/ci", "internal/config", "internal/dispatch",
		"internal/github", "internal/job", "internal/patch", "internal/pause", "internal/pull", "internal/state", "internal/store",
		"internal/suggest", "internal/suite", "internal/verdict", "templates"},
	"internal/work": {"internal/archive", "internal/dispatch", "internal/job", "internal/pause", "internal/store"},
	"internal/pull": {"internal/accept", "internal/archive", "internal/config", "internal/github", "internal/job", "internal/pause", "internal/suite",
		"internal/verdict"},
	"internal/post": {"internal/accept", "internal/archive", "internal/config", "internal/github", "internal/job", "internal/pull",
		"internal/verdict", "templates"},
	"internal/investigate/investigatetest": {"examples", "internal/dispatch", "internal/github",
		"internal/githubtest", "internal/githubtest/testserver", "internal/job", "internal/verdict"},
	"internal/githubtest":             {"internal/githubtest/description", "internal/githubtest/gitrepo"},
	"internal/githubtest/description": {},
	"internal/githubtest/gitrepo":     {"internal/child"},
	"internal/githubtest/testserver":  {"internal/githubtest"},
	"internal/sandbox": {"internal/child", "examples", "internal/dispatch", "internal/githubtest",
		"internal/githubtest/page", "internal/job", "internal/sandbox/build"},
	"internal/githubtest/page": {"internal/githubtest"},
	"internal/sandbox/build":   {"internal/child"},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		room := strings.TrimPrefix(words[0], module)
		rules, ok := allowed[room]
		if !ok {
			t.Errorf("%s is a new room: give it a row here and in docs/architecture.md", room)
			continue
		}
		seen++
		for _, imp := range words[1:] {
			imp, ours := strings.CutPrefix(imp, module)
			if ours && !slices.Contains(rules, imp) && !slices.Contains(rules, "*") {
				t.Errorf("%s must not import %s", room, imp)
			}
		}
	}
	if seen < 3 {
		t.Fatalf("only %d rooms seen: the test looks at nothing", seen)
	}
}

// TestProductionDependencies: what only the stand-in GitHub needs is not in odfix.
func TestProductionDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"app").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, module+"internal/investigate") {
		t.Fatal("odfix does not depend on its own server: the test looks at nothing")
	}
	for _, dep := range deps {
		for _, unwanted := range []string{
			module + "internal/sandbox", module + "internal/githubtest", module + "internal/investigate/investigatetest",
			"github.com/getkin/kin-openapi", "github.com/chromedp/chromedp",
			"github.com/santhosh-tekuri/jsonschema", "github.com/owenrumney/go-sarif", "github.com/yuin/goldmark", "github.com/alecthomas/chroma",
		} {
			if dep == unwanted || strings.HasPrefix(dep, unwanted+"/") {
				t.Errorf("odfix depends on %s; only odfix-sandbox may", dep)
			}
		}
	}
}
