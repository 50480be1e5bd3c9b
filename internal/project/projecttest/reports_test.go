package projecttest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// reportCase is a job and its language. Its report is testdata/NAME.txt.
type reportCase struct {
	lang project.Language
	job  job.Job
	// prepare completes the job. It may run other jobs.
	prepare func(t *testing.T, j *job.Job)
}

// fixOf returns a fix of failing tests that were seen in an order.
func fixOf(order []string, failing ...string) job.Job {
	j := job.Job{Kind: job.KindFix, Tests: failing}
	if order != nil {
		j.Order = &job.ObservedOrder{Source: "ci", Provenance: "exact", Tests: order}
	}
	return j
}

// with returns the job with a change.
func with(j job.Job, change func(*job.Job)) job.Job {
	change(&j)
	return j
}

// observed returns a project of the shell language with observed variables.
func observed(files map[string]string) project.Language { return ObservedShell{Shell{Files: files}} }

// shop has a polluter of three variables, its victims, a brittle test and its state-setter, and a
// test that ends the process.
var shop = map[string]string{
	"a.sh": "test opens\nset door=open\nset lib.cache=1\nset a.own=1\n\ntest sets\nset price=5\n",
	"b.sh": "test isClosed\nwant door=\n\ntest isClosedToo\nrefuse door=open\n",
	"c.sh": "test needsPrice\nwant price=5\n\ntest raises\nset price=6\n",
	"d.sh": "test shuts\nunset door\nset price=7\n",
	"e.sh": "test isWrong\nwant never=1\n\ntest isRight\nwant never=\n",
}

func shopOrder() []string {
	return []string{"a.sh opens", "a.sh sets", "b.sh isClosed", "b.sh isClosedToo", "c.sh needsPrice", "e.sh isWrong", "e.sh isRight",
		"d.sh shuts", "c.sh raises"}
}

// flat has polluters after the tests that they break, and a test that reads state without breaking.
var flat = map[string]string{
	"a.sh": "test isBare\nwant colour=\n\ntest isDry\nrefuse water=cold\n",
	"b.sh": "test isBare1\nwant colour=\n\ntest isBare2\nwant colour=\n\ntest isBare3\nwant colour=\n\ntest isBare4\nwant colour=\n\n" +
		"test isBare5\nwant colour=\n",
	"c.sh": "test paints\nset colour=red\n\ntest isWet\nwant water=\n",
	"d.sh": "test paintsToo\nset colour=red\n\ntest isPainted\nwant colour=red\n\ntest pours\nset water=hot\n",
}

// crashing has files with one test each that ends the process.
var crashing = map[string]string{
	"a.sh": "test paints\nset colour=red\n\ntest exits\nset colour=blue\nexit\n",
	"b.sh": "test exits\nexit\n\ntest isBare\nwant colour=\n",
	"c.sh": "test washes\nunset colour\n",
}

func reportCases() map[string]reportCase {
	shopJob := fixOf(shopOrder(), "b.sh isClosed", "b.sh isClosedToo", "c.sh needsPrice", "e.sh isWrong", "e.sh isRight")
	wash := "test washes\nunset colour\n"
	return map[string]reportCase{
		"fix-helper":        {lang: Shell{Files: shop}, job: shopJob},
		"fix-observed":      {lang: observed(shop), job: shopJob},
		"fix-artifacts":     {lang: observed(shop), job: fixOf(shopOrder(), "b.sh isClosed"), prepare: keepArtifacts},
		"fix-find-all":      {lang: observed(shop), job: with(shopJob, func(j *job.Job) { j.FindAll = true })},
		"fix-by-reset-only": {lang: observed(shop), job: with(shopJob, func(j *job.Job) { j.Techniques = []string{job.FromReset} })},
		"fix-by-reset-only-unobserved": {lang: Shell{Files: shop},
			job: with(shopJob, func(j *job.Job) { j.Techniques = []string{job.FromReset} })},
		"fix-by-helper-only": {lang: observed(shop), job: with(shopJob, func(j *job.Job) { j.Techniques = []string{job.FromHelper} })},
		"fix-isolated": {lang: ObservedShell{Shell{Files: map[string]string{
			"a.sh": "test opens\nset door=open\n\ntest isClosed\nwant door=\n\ntest shuts\nunset door\n",
			"b.sh": "test isClosed\nwant door=\n",
		}, Isolated: true}}, job: fixOf(nil, "a.sh isClosed", "b.sh isClosed")},
		"fix-no-helper": {lang: Shell{Files: map[string]string{
			"a.sh": "test paints\nset colour=red\n", "b.sh": "test isBare\nwant colour=\n",
		}}, job: fixOf([]string{"a.sh paints", "b.sh isBare"}, "b.sh isBare")},
		"fix-victim-brittle": {lang: observed(map[string]string{
			"a.sh": "test sets\nset price=5\n", "b.sh": "test raises\nset price=6\n", "c.sh": "test needsPrice\nwant price=5\n",
		}), job: fixOf([]string{"a.sh sets", "b.sh raises", "c.sh needsPrice"}, "c.sh needsPrice")},
		"fix-twice": {lang: observed(map[string]string{
			"a.sh": "test isFirst\nwant ran=\nset ran=1\n", "b.sh": "test other\nset other=1\n",
		}), job: fixOf(nil, "a.sh isFirst")},
		"fix-polluter-pair": {lang: observed(map[string]string{
			"a.sh": "test arms\nset armed=1\n", "b.sh": "test fires\nwant armed=1\nset fired=1\n",
			"c.sh": "test isWhole\nrefuse fired=1\n", "d.sh": "test mends\nunset fired\n",
		}), job: fixOf([]string{"a.sh arms", "b.sh fires", "c.sh isWhole", "d.sh mends"}, "c.sh isWhole")},
		"fix-pair-by-reset": {lang: observed(map[string]string{
			"a.sh": "test arms\nset armed=1\n", "b.sh": "test fires\nwant armed=1\nset fired=1\n",
			"c.sh": "test isWhole\nrefuse fired=1\n",
		}), job: fixOf([]string{"a.sh arms", "b.sh fires", "c.sh isWhole"}, "c.sh isWhole")},
		"fix-many-causes": manyCauses(5),
		"fix-state-of-library": {lang: observed(map[string]string{
			"a.sh": "test fills\nset lib.a=1\nset lib.b=1\nset lib.c=1\n", "b.sh": "test isEmpty\nwant lib.b=\nwant lib.a=\n",
		}), job: fixOf([]string{"a.sh fills", "b.sh isEmpty"}, "b.sh isEmpty")},
		"fix-state-not-restored": {lang: observed(map[string]string{
			"a.sh": "test sticks\nset stuck.a=1\nset stuck.b=1\n", "b.sh": "test isFree\nwant stuck.a=\n", "c.sh": "test frees\nunset stuck.a\n",
		}), job: fixOf([]string{"a.sh sticks", "b.sh isFree", "c.sh frees"}, "b.sh isFree")},
		"fix-state-elsewhere": {lang: observed(map[string]string{
			"a.sh": "test writes\nleave x.txt\nleave y.txt\nset colour=red\n", "b.sh": "test finds\nmiss x.txt\nrefuse colour=blue\n",
		}), job: fixOf([]string{"a.sh writes", "b.sh finds"}, "b.sh finds")},
		"fix-own-group": {lang: observed(map[string]string{
			"a.sh": "test fills\nset a.own=1\nleave x\n\ntest isEmpty\nrefuse a.own=2\nmiss x\n",
		}), job: fixOf(nil, "a.sh isEmpty")},
		"fix-crashes": {lang: observed(crashing), prepare: keepArtifacts,
			job: fixOf([]string{"a.sh paints", "a.sh exits", "b.sh exits", "b.sh isBare", "c.sh washes"}, "b.sh isBare")},
		"fix-names-of-the-order": {lang: Shell{Files: shop}, job: with(fixOf(nil), func(j *job.Job) {
			j.Order = &job.ObservedOrder{Source: "log", Provenance: "exact", Notes: []string{"the log was cut"}, Failed: []string{
				"b.sh isClosed", "x.sh gone"}, Tests: []string{"a.sh", "x.sh gone", "b.sh", "y.sh gone"}}
		})},
		"fix-several-polluters": {lang: observed(map[string]string{
			"a.sh": "test paints\nset colour=red\n", "b.sh": "test paints\nset colour=blue\n", "c.sh": "test isBare\nwant colour=\n", "d.sh": wash,
		}), job: fixOf([]string{"a.sh paints", "b.sh paints", "c.sh isBare", "d.sh washes"}, "c.sh isBare")},
		"fix-one-unknown":    {lang: Shell{Files: shop}, job: fixOf(nil, "e.sh isWrong", "e.sh isWrongToo")},
		"error-no-such-test": {lang: Shell{Files: shop}, job: fixOf(nil, "b.sh isClosd")},
		"error-no-test":      {lang: Shell{Files: shop}, job: fixOf(nil)},
		"error-kind":         {lang: Shell{Files: shop}, job: job.Job{Kind: "dance"}},
		"error-version":      {lang: Shell{Files: shop}, job: job.Job{Version: job.Version + 1}},
		"error-language":     {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindList, Language: "cobol"}},
		"error-no-budget":    {lang: observed(shop), job: with(shopJob, func(j *job.Job) { j.Budget = time.Nanosecond })},
		"build":              {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindBuild, Language: "shell"}},
		"list":               {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindList}},
		"list-observed":      {lang: observed(shop), job: job.Job{Kind: job.KindList, Observe: true}},
		"list-not-observed":  {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindList, Observe: true}},
		"list-many-crashes":  {lang: observed(manyCrashes(25)), job: job.Job{Kind: job.KindList, Observe: true}},
		"list-crashes":       {lang: observed(crashing), job: job.Job{Kind: job.KindList, Observe: true}},

		"run": {lang: Shell{Files: crashing}, job: job.Job{Kind: job.KindRun, Order: &job.ObservedOrder{Tests: []string{"c.sh washes"}},
			Orders: [][]string{{"a.sh paints", "b.sh isBare"}, {"c.sh", "b.sh exits", "b.sh isBare"}}}},
		"run-nothing":            {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindRun}},
		"run-no-such":            {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindRun, Orders: [][]string{{"a.sh opens", "a.sh gone"}}}},
		"run-patched":            {lang: Shell{Files: shop}, job: runPatched("b.sh", "want door=\n", "unset door\nwant door=\n")},
		"run-bad-patch":          {lang: Shell{Files: shop}, job: runPatched("b.sh", "want door=\n", "unset door\nwant door=\n"), prepare: spoilPatch},
		"run-crashes":            {lang: Shell{Files: shop}, job: runPatched("b.sh", "want door=\n", "exit\n")},
		"pollution":              {lang: observed(shop), job: job.Job{Kind: job.KindPollution}},
		"pollution-breaks":       {lang: observed(flat), job: job.Job{Kind: job.KindPollution}},
		"pollution-breaks-all":   {lang: observed(flat), job: job.Job{Kind: job.KindPollution, FindAll: true, Rerun: 2}},
		"pollution-breaks-apart": {lang: ObservedShell{Shell{Files: flat, Isolated: true}}, job: job.Job{Kind: job.KindPollution}},
		"pollution-once":         {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Rerun: 1, FindAll: true}},
		"pollution-unproved": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Pollution: &job.PollutionOptions{NoProof: true,
			ClassLoading: "eager"}}},
		"pollution-of-tests": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Tests: []string{"a.sh sets", "d.sh"}}},
		"pollution-of-sources": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Pollution: &job.PollutionOptions{
			Sources: []string{"d.sh"}}}},
		"pollution-of-no-source": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Pollution: &job.PollutionOptions{
			Sources: []string{"x.sh"}}}},
		"pollution-no-such-test": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Tests: []string{"a.sh gone"}}},
		"pollution-isolated":     {lang: ObservedShell{Shell{Files: shop, Isolated: true}}, job: job.Job{Kind: job.KindPollution}},
		"pollution-crashes":      {lang: observed(crashing), job: job.Job{Kind: job.KindPollution}},
		"pollution-not-observed": {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindPollution}},
		"pollution-of-changes":   {lang: observed(shop), job: job.Job{Kind: job.KindPollution}, prepare: sinceACommit},
		"pollution-of-changed-tests": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Tests: []string{"a.sh opens"}},
			prepare: sinceACommit},
		"pollution-no-history": {lang: observed(shop), job: job.Job{Kind: job.KindPollution, Pollution: &job.PollutionOptions{
			ChangedSince: "main"}}},
		"detect":              {lang: observed(shop), job: job.Job{Kind: job.KindDetect}},
		"detect-unobserved":   {lang: Shell{Files: shop}, job: job.Job{Kind: job.KindDetect}},
		"detect-fix":          {lang: observed(shop), job: detectBy(job.DetectOptions{Fix: true, Technique: "reverse"})},
		"detect-fix-helper":   {lang: Shell{Files: shop}, job: detectBy(job.DetectOptions{Fix: true, Technique: "reverse"})},
		"detect-target":       {lang: observed(shop), job: detectBy(job.DetectOptions{Technique: "target-pairs"})},
		"detect-no-technique": {lang: observed(shop), job: detectBy(job.DetectOptions{Technique: "magic"})},
		"detect-pairs": {lang: observed(shop), job: detectBy(job.DetectOptions{Technique: "target-pairs", Pairs: [][2]suite.TestID{
			{"a.sh opens", "b.sh isClosed"}, {"a.sh opens", "x.sh gone"}}})},
		"detect-changes":  {lang: observed(shop), job: detectBy(job.DetectOptions{}), prepare: sinceACommit},
		"detect-isolated": {lang: ObservedShell{Shell{Files: shop, Isolated: true}}, job: job.Job{Kind: job.KindDetect}},
		"detect-crashes":  {lang: observed(crashing), job: job.Job{Kind: job.KindDetect}},
		"detect-resumed": {lang: observed(shop), job: detectBy(job.DetectOptions{}), prepare: func(t *testing.T, j *job.Job) {
			first := *j
			first.Out, first.Detect = t.TempDir(), &job.DetectOptions{}
			if r := engine.Run(t.Context(), first, options(observed(shop), func(job.Event) {})); r.Error != nil {
				t.Fatal(r.Error)
			}
			j.Out, j.Detect = first.Out, &job.DetectOptions{Resume: true}
		}},
		"detect-fix-resumed": {lang: Shell{Files: shop}, job: detectBy(job.DetectOptions{}), prepare: func(t *testing.T, j *job.Job) {
			first := *j
			first.Out, first.Detect = t.TempDir(), &job.DetectOptions{Fix: true, Technique: "reverse"}
			if r := engine.Run(t.Context(), first, options(Shell{Files: shop}, func(job.Event) {})); r.Error != nil {
				t.Fatal(r.Error)
			}
			again := *first.Detect
			again.Resume = true
			j.Out, j.Detect = first.Out, &again
		}},
		"detect-fix-interrupted": {lang: Shell{Files: shop}, job: detectBy(job.DetectOptions{}), prepare: func(t *testing.T, j *job.Job) {
			first := *j
			first.Out, first.Detect = t.TempDir(), &job.DetectOptions{Fix: true, Technique: "reverse"}
			ctx, cancel := context.WithCancel(t.Context())
			engine.Run(ctx, first, options(Shell{Files: shop}, func(e job.Event) {
				if e.Phase == job.PhaseRepair {
					cancel() // before cleaners are searched
				}
			}))
			if ctx.Err() == nil {
				t.Fatal("the repair did not begin")
			}
			again := *first.Detect
			again.Resume = true
			j.Out, j.Detect = first.Out, &again
		}},
		"detect-resumed-without-fix": {lang: observed(shop), job: detectBy(job.DetectOptions{}), prepare: func(t *testing.T, j *job.Job) {
			first := *j
			first.Out, first.Detect = t.TempDir(), &job.DetectOptions{Fix: true, Technique: "reverse"}
			if r := engine.Run(t.Context(), first, options(observed(shop), func(job.Event) {})); r.Error != nil {
				t.Fatal(r.Error)
			}
			j.Out, j.Detect = first.Out, &job.DetectOptions{Technique: "reverse", Resume: true}
		}},
		"detect-resume": {lang: observed(shop), job: detectBy(job.DetectOptions{Resume: true})},

		"verify": {lang: observed(shop), prepare: verifying(func(*job.Report) {})},
		"verify-no-patch": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			for i := range r.Tests {
				r.Tests[i].Patches = nil
			}
		})},
		"verify-unknown-test": {lang: observed(shop), prepare: verifying(func(r *job.Report) { r.Tests[1].Test = "b.sh gone" })},
		"verify-fixes-nothing": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			r.Tests[0].Patches[0].Fixes = nil
		})},
		"verify-another-test": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			r.Tests[0].Patches[0].Fixes = []suite.TestID{"e.sh isRight"}
		})},
		"verify-left-out": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			r.LeftOut = suite.Order{"b.sh isClosed"}
		})},
		"verify-other-statements": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			for i := range r.Tests {
				for k := range r.Tests[i].Patches {
					r.Tests[i].Patches[k].StatementIDs = []string{"1"}
				}
			}
		}, job.FromHelper)},
		"verify-no-statements": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			r.Tests[0].Patches[0].StatementIDs = nil
		}, job.FromHelper)},
		"verify-text-around": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			p := &r.Tests[0].Patches[0]
			p.SetDiff("Files a/pom.xml and b/pom.xml differ\n" + p.RawDiff())
		})},
		"verify-not-a-test-source": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			r.Tests[0].Patches[0].SetDiff(patch.Unified(patch.Edit{Path: "build.sh", Before: "a\n", After: "b\n"}))
		})},
		"verify-does-not-apply": {lang: observed(shop), prepare: verifying(func(r *job.Report) {
			r.Tests[0].Patches[0].SetDiff(patch.Unified(patch.Edit{Path: "b.sh", Before: "a\n", After: "b\n"}))
		})},
	}
}

// manyCauses is a fix of n causes with separate state.
func manyCauses(n int) reportCase {
	files := map[string]string{}
	var order, failing []string
	for i := range n {
		a, b := fmt.Sprintf("a%d.sh", i), fmt.Sprintf("b%d.sh", i)
		files[a], files[b] = fmt.Sprintf("test sets\nset v%d=1\n", i), fmt.Sprintf("test isUnset\nwant v%d=\n", i)
		order, failing = append(order, a+" sets", b+" isUnset"), append(failing, b+" isUnset")
	}
	return reportCase{lang: observed(files), job: fixOf(order, failing...)}
}

// manyCrashes has n tests that end the process.
func manyCrashes(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("c%02d.sh", i)] = fmt.Sprintf("test sets\nset v=%d\n\ntest exits\nexit\n", i)
	}
	return files
}

func detectBy(o job.DetectOptions) job.Job { return job.Job{Kind: job.KindDetect, Detect: &o} }

// keepArtifacts gives the job a folder for its artifacts.
func keepArtifacts(t *testing.T, j *job.Job) { j.Out = t.TempDir() }

// runPatched runs an order with a patch of a file of the shop.
func runPatched(file, from, to string) job.Job {
	p := patch.Unified(patch.Edit{Path: file, Before: shop[file], After: strings.Replace(shop[file], from, to, 1)})
	return job.Job{Kind: job.KindRun, Patch: []byte(p), Orders: [][]string{{"a.sh opens", "b.sh isClosed", "b.sh isClosedToo"}}}
}

func spoilPatch(_ *testing.T, j *job.Job) {
	j.Patch = bytes.ReplaceAll(j.Patch, []byte(" test isClosed\n"), []byte(" test isOpen\n"))
}

// sinceACommit makes the folder a checkout in which d.sh and a file without tests have changed.
func sinceACommit(t *testing.T, j *job.Job) {
	for name, text := range shop {
		writeFile(t, filepath.Join(j.Dir, name), text)
	}
	git(t, j.Dir, "init", "-q")
	git(t, j.Dir, "add", "-A")
	git(t, j.Dir, "commit", "-qm", "base")
	git(t, j.Dir, "tag", "base")
	writeFile(t, filepath.Join(j.Dir, "d.sh"), shop["d.sh"]+"# changed\n")
	writeFile(t, filepath.Join(j.Dir, "a.sh"), shop["a.sh"]+"# changed\n")
	writeFile(t, filepath.Join(j.Dir, "README"), "new\n")
	if j.Kind == job.KindDetect {
		j.Detect.ChangedSince = "base"
	} else {
		j.Pollution = &job.PollutionOptions{ChangedSince: "base"}
	}
}

// verifying verifies the changed report of a fix.
func verifying(change func(*job.Report), techniques ...string) func(*testing.T, *job.Job) {
	return func(t *testing.T, j *job.Job) {
		fix := fixOf(shopOrder(), "b.sh isClosed", "b.sh isClosedToo", "c.sh needsPrice")
		fix.Dir, fix.Version, fix.Parallel, fix.Techniques = j.Dir, job.Version, 1, techniques
		r := engine.Run(t.Context(), fix, options(observed(shop), func(job.Event) {}))
		if r.Error != nil || len(r.Tests[0].Patches) == 0 {
			t.Fatalf("%+v", r)
		}
		change(r)
		j.Kind, j.Report = job.KindVerify, r
	}
}

func options(l project.Language, tell func(job.Event)) engine.Options {
	return engine.Options{Languages: []project.Language{l}, Version: "test", Log: zap.NewNop(), Progress: tell}
}

// TestReports checks the whole report of each job, its cost, and the progress messages.
func TestReports(t *testing.T) {
	cases := reportCases()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			j := c.job
			j.Dir, j.Parallel = t.TempDir(), 1
			if c.prepare != nil {
				c.prepare(t, &j)
			}
			var mu sync.Mutex
			told := map[string]int{}
			r := engine.Run(t.Context(), j, options(c.lang, func(e job.Event) {
				mu.Lock()
				defer mu.Unlock()
				told[fmt.Sprintf("%s: %s %s", e.Phase, e.Message, e.Test)]++
			}))
			golden(t, name, readable(t, r, told, j.Dir, j.Out))
		})
	}
}
