package investigate

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/store"
)

const victim = "com.example.shop.ReceiptTest#printsTheTotal"

// asking is an investigation of the demo's victim, with an hour left, under a configuration.
func asking(t *testing.T, sources ...config.Source) *running {
	t.Helper()
	cfg := config.Resolve(sources...)
	if len(cfg.Problems) > 0 {
		t.Fatal(cfg.Problems)
	}
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &Service{now: func() time.Time { return now }, log: zap.NewNop(), o: Options{
		Environment: map[string]string{"REGION": "eu west", "OTHER": "not asked for"},
	}}
	return &running{s: s, cfg: cfg.Config, i: store.Investigation{Deadline: now.Add(time.Hour)},
		ev: evidence{Tests: []string{victim}, Order: &job.ObservedOrder{Tests: []string{victim}}}}
}

// demo is the folder of the demo's sources: one module, at the top.
var demo = os.DirFS("../../examples/demo")

// TestJobFollowsTheConfiguration: each key that concerns the runner is in its job, or a note says
// why not.
func TestJobFollowsTheConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		file, policy string
		holds        func(j job.Job) bool
		note         string
	}{
		"nothing": {holds: func(j job.Job) bool {
			return j.Kind == job.KindFix && j.Budget == 20*time.Minute && j.Rerun == 0 && !j.Network
		}},
		"command": {file: "tests: {command: [mvn, -B, -Pci, verify]}",
			holds: func(j job.Job) bool { return slices.Equal(j.BuildArgs, []string{"-B", "-Pci"}) }},
		"foreign command": {file: "tests: {command: [npm, test]}",
			holds: func(j job.Job) bool { return len(j.BuildArgs) == 0 }, note: "begins with npm"},
		"module's command": {file: "tests: {modules: [{path: ., command: [mvn, -Pm, test]}], command: [mvn, -Pall]}",
			holds: func(j job.Job) bool { return slices.Equal(j.BuildArgs, []string{"-Pm"}) }},
		"JDK": {file: "jdk: 21", holds: func(j job.Job) bool { return j.JDK == 21 }},
		"environment": {file: "environment: [REGION, ZONE]",
			holds: func(j job.Job) bool { return slices.Equal(j.Env, []string{"REGION=eu west"}) }, note: "variable ZONE"},
		"techniques": {file: "techniques: [reset]",
			holds: func(j job.Job) bool { return slices.Equal(j.Techniques, []string{"reset"}) }},
		"place": {file: "repair: {place: victim-setup}",
			holds: func(j job.Job) bool { return j.Place == patch.VictimSetup }},
		"any place":         {file: "repair: {place: any}", holds: func(j job.Job) bool { return j.Place == "" }},
		"minutes":           {file: "budgets: {job-minutes: 7}", holds: func(j job.Job) bool { return j.Budget == 7*time.Minute }},
		"more than is left": {file: "budgets: {job-minutes: 360}", holds: func(j job.Job) bool { return j.Budget == 59*time.Minute }},
		"seconds of a test": {file: "budgets: {test-seconds: 9}", holds: func(j job.Job) bool { return j.TestTimeout == 9*time.Second }},
		"reruns":            {file: "budgets: {reruns: 5}", holds: func(j job.Job) bool { return j.Rerun == 5 }},
		"network":           {file: "network: true", holds: func(j job.Job) bool { return j.Network }},
		"no network":        {file: "network: false", holds: func(j job.Job) bool { return !j.Network }},
		"organisation":      {policy: "budgets: {reruns: 4}", holds: func(j job.Job) bool { return j.Rerun == 4 }},
		"forbidden": {
			file:   "network: true\nenvironment: [REGION]\ntests: {command: [mvn, -Pci]}\nbudgets: {job-minutes: 60}",
			policy: "policy: {forbid: [network, environment, commands], max-job-minutes: 5}",
			holds: func(j job.Job) bool {
				return !j.Network && len(j.Env) == 0 && len(j.BuildArgs) == 0 && j.Budget == 5*time.Minute
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := asking(t, config.Source{Where: config.Repository, Text: []byte(c.file)},
				config.Source{Where: config.Organisation, File: "acme/.github/.odfix.yml", Text: []byte(c.policy)})
			j, err := r.job(t.Context(), demo)
			if err != nil {
				t.Fatal(err)
			}
			if !c.holds(j) || !slices.Equal(j.Tests, []string{victim}) {
				t.Errorf("the job is %+v", j)
			}
			if notes := strings.Join(r.ev.Notes, "\n"); !strings.Contains(notes, c.note) || (notes == "") != (c.note == "") {
				t.Errorf("the notes are %q, want %q", notes, c.note)
			}
		})
	}
}

// TestOfflineServerGivesNoNetwork: what a configuration asks for does not overrule the operator.
func TestOfflineServerGivesNoNetwork(t *testing.T) {
	r := asking(t, config.Source{Where: config.Repository, Text: []byte("network: true")})
	r.s.o.Offline = true
	if j, err := r.job(t.Context(), demo); err != nil || j.Network || !j.Offline {
		t.Errorf("%+v %v", j, err)
	}
}

// TestJobOfOtherModules: a job that the configuration leaves no test of is an error with its own
// code.
func TestJobOfOtherModules(t *testing.T) {
	r := asking(t, config.Source{Where: config.Repository, Text: []byte("tests: {modules: [web]}")})
	_, err := r.job(t.Context(), demo)
	if e, ok := err.(*job.Error); !ok || e.Code != CodeLeftAlone {
		t.Errorf("%v", err)
	}
	r = asking(t, config.Source{Where: config.Repository, Text: []byte("tests: {modules: ['.']}")})
	r.ev.Tests = []string{victim, "nowhere.GoneTest#x"}
	if j, err := r.job(t.Context(), demo); err != nil || !slices.Equal(j.Tests, r.ev.Tests) || len(j.Tests) != 2 {
		t.Errorf("a test without a source stays: %+v %v", j, err)
	}
}
