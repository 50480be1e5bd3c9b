package investigate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/sourcegraph/conc"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/verdict"
)

// maxPollution bounds the unpacked pollution file of a report, in bytes.
const maxPollution = 2 << 20

// maxModules bounds the modules in which polluters are searched.
const maxModules = 20

// maxKept bounds the memory of the tests and polluted fields that are kept of all modules of a commit
// until the end, in bytes.
const maxKept = 8 << 20

// counter counts it.
type counter int

// take reports whether these tests may be kept, too.
func (n *counter) take(tests []state.Polluter) bool {
	size := counter(sizeOf(tests))
	if *n+size > maxKept {
		return false
	}
	*n += size
	return true
}

// maxTestSource bounds the test sources that are examined, in bytes. Larger ones are generated.
const maxTestSource = 1 << 20

// polluting finds the state that the tests of a push leave changed.
type polluting struct {
	running
	push  push
	pull  github.Pull
	files []verdict.File
}

// all compares the head with the commit at which its branch began. On the head it runs the tests of
// the changed files, and on the base only those of files in which the head has polluters.
func (l *polluting) all(ctx context.Context) (github.Check, bool, error) {
	sources, err := l.changed(ctx)
	if err != nil || len(sources) == 0 {
		return pull.CheckOf(verdict.NoNewPolluters(true)), false, err
	}
	base, err := l.at.client.MergeBase(ctx, l.at.repo, l.pull.BaseRef, l.push.Head)
	if err != nil {
		return github.Check{}, false, err
	}
	ctx, stop := leaving(ctx)
	var side conc.WaitGroup
	defer side.Wait()
	defer stop(nil)
	side.Go(func() { l.watch(ctx, stop) })
	in := verdict.PollutionInput{Files: l.files, BaseSHA: base, Names: job.Names{}}
	if in.Head, in.Unseen, err = l.left(ctx, l.push.Head, sources, false, in.Names); err == nil {
		if old := l.before(in.Head); len(old) > 0 {
			in.Base, in.Unsure, err = l.left(ctx, base, old, true, in.Names)
		}
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return github.Check{}, false, err
	}
	v, found := verdict.NewPolluters(in)
	return pull.CheckOf(v), found, nil
}

// changed are the Java sources that the pull request adds or changes.
func (l *polluting) changed(ctx context.Context) ([]string, error) {
	files, err := l.at.client.Files(ctx, l.at.repo, l.push.Pull)
	var out []string
	for _, f := range files {
		l.files = append(l.files, verdict.File(f))
		if f.Status != "removed" && path.Ext(f.Path) == ".java" {
			out = append(out, f.Path)
		}
	}
	return out, err
}

// before are the paths on the base of the files of these tests, without files that are new.
func (l *polluting) before(tests []state.Polluter) []string {
	var out []string
	for _, t := range tests {
		for _, f := range l.files {
			was := f.Path
			if f.Previous != "" {
				was = f.Previous
			}
			if f.Path == t.Source.File && f.Status != "added" && !slices.Contains(out, was) {
				out = append(out, was)
			}
		}
	}
	return out
}

// watch stops the search when the pull request has another head, or the operator stops the work.
func (l *polluting) watch(ctx context.Context, stop context.CancelCauseFunc) {
	for pause.For(ctx, l.s.o.Pace.Beat) {
		there := false
		err := l.s.store.View(ctx, func(tx *store.Tx) error {
			pulls, err := tx.PullRequestsAt(l.push.Repository, l.push.Head)
			there = slices.ContainsFunc(pulls, func(p store.PullRequest) bool { return p.Number == l.push.Pull })
			return err
		})
		if err == nil && !there {
			stop(pull.ErrMoved)
		}
		if err := l.s.permit(ctx, l.push.Installation, l.push.Repository); stopped(err) {
			stop(err)
		}
	}
}

// left is the state that the tests of the files leave changed at a commit, module by module, and
// the files whose tests were not observed completely. It adds the names of the tests.
func (l *polluting) left(ctx context.Context, sha string, sources []string, base bool,
	names job.Names) (out []state.Polluter, unsure []string, err error) {
	tree, err := pull.Sources(ctx, l.at.place(), sha, l.s.o.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer tree.Close()
	modules, unsure := l.modules(ctx, tree, sources)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var n counter
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		j := l.ask(ctx, tree, sha, module, modules[module])
		j.Pollution.NoProof = base
		report, err := l.s.o.Dispatcher.Run(ctx, j, func(job.Event) {})
		if err != nil {
			return nil, nil, err
		}
		answer, err := foundIn(report)
		if e, ok := errors.AsType[*job.Error](err); ok && j.BuildTool == job.Gradle && slices.Contains(notBuilt, e.Code) {
			unsure = append(unsure, modules[module]...) // such as buildSrc, whose tests Gradle runs by itself
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		partial := answer.Partial || len(report.Crashes) > 0
		l.s.log.Info("pollution report", zap.String("head", sha), zap.String("module", module),
			zap.Int("tests", len(answer.Tests)), zap.Bool("partial", partial))
		tests := fieldsOnly(answer.Tests)
		if !base {
			tests = l.polluters(answer.Tests)
		}
		fits := n.take(tests)
		if fits {
			out = append(out, tests...)
			addNames(names, tests)
		}
		if !fits {
			l.s.log.Warn("a pollution report is left out, since there is too much in all of them", zap.String("module", module))
		}
		if partial || !fits {
			unsure = append(unsure, modules[module]...)
		}
	}
	return out, unsure, nil
}

// polluters returns the tests of the head that may be reported.
func (l *polluting) polluters(found []state.Polluter) []state.Polluter {
	ours := map[string]bool{}
	for _, f := range l.files {
		ours[f.Path] = true
	}
	return slices.DeleteFunc(verdict.Polluting(found), func(t state.Polluter) bool {
		if !ours[t.Source.File] {
			return true
		}
		_, ignored := l.cfg.Ignored(string(t.Test), l.s.now())
		return ignored
	})
}

// fieldsOnly returns what is needed of the tests of the base: which fields each leaves changed.
func fieldsOnly(found []state.Polluter) []state.Polluter {
	var out []state.Polluter
	for _, t := range found {
		var fields []state.Pollution
		for _, q := range t.Pollutes {
			fields = append(fields, state.Pollution{Field: q.Field})
		}
		out = append(out, state.Polluter{Test: t.Test, Source: t.Source, More: t.More, Pollutes: fields})
	}
	return out
}

// The memory in bytes that a test or a polluted field takes, and a further name, beside the texts.
const (
	entryCost   = 300
	furtherCost = 100 // with its entry among the names of tests
)

// sizeOf is the memory in bytes that tests and their polluted fields take.
func sizeOf(found []state.Polluter) int {
	n := 0
	for _, t := range found {
		n += entryCost + furtherCost + 2*len(t.Test)
		if t.Source != nil {
			n += len(t.Source.File)
		}
		for _, q := range t.Pollutes {
			n += entryCost + len(q.Path) + len(q.Before) + len(q.After) + len(q.Label) + len(q.Field) + len(q.During) + len(q.WrittenBy)
			for _, list := range [][]suite.TestID{q.Breaks, q.Readers} {
				for _, other := range list {
					n += furtherCost + 2*len(other)
				}
			}
			for _, field := range q.Also {
				n += furtherCost + len(field)
			}
		}
	}
	return n
}

// addNames derives the names of the tests. The report's are not used: a runner may write anything there.
func addNames(names job.Names, tests []state.Polluter) {
	of := accept.NameOf("java")
	for _, t := range tests {
		names[t.Test] = of(t.Test)
		for _, q := range t.Pollutes {
			for _, other := range slices.Concat(q.Breaks, q.Readers) {
				names[other] = of(other)
			}
		}
	}
}

// notBuilt are the codes of errors about a folder that is no project of the build, or has no tests.
var notBuilt = []string{"module-unknown", "no-tests"}

// foundIn reads the pollution file of a report. An unfinished one is an error: tests that were not
// observed would count as clean.
func foundIn(r *job.Report) (*state.Pollutions, error) {
	switch {
	case r.Error != nil:
		return nil, r.Error
	case !r.Finished:
		return nil, &job.Error{Code: "unfinished", Message: "the time was used up before all tests were observed",
			Hint: "budgets.job-minutes gives more."}
	}
	found, err := state.ReadPollutions(r.Pollution, maxPollution)
	if err != nil {
		return nil, &job.Error{Code: "bad-report", Message: fmt.Sprintf("the pollution file of the runner cannot be read: %v", err),
			Hint: "Update the image of the runner to the version of the server."}
	}
	return found, nil
}

// modules are the files that may have tests, by module, without modules that the configuration
// excludes, and at most maxModules; and the files that are left out.
func (l *polluting) modules(ctx context.Context, tree fs.FS, sources []string) (out map[string][]string, left []string) {
	out = map[string][]string{}
	of := selected{tests: l.cfg.Tests}
	for _, f := range sources {
		text, whole := sourceIn(tree, f)
		if !whole {
			left = append(left, f)
			continue
		}
		if !bytes.Contains(text, []byte("Test")) {
			continue // no test without its framework's name in it
		}
		home := javaModule(tree, path.Dir(f))
		if _, looked := of.module(ctx, home); looked {
			out[home] = append(out[home], f)
		} else {
			left = append(left, f)
		}
	}
	for _, module := range slices.Sorted(maps.Keys(out))[min(len(out), maxModules):] {
		left = append(left, out[module]...)
		delete(out, module)
	}
	return out, left
}

// sourceIn is the text of a file, which is foreign input. It is false for links, for paths that
// leave the folder, and for files that are too large.
func sourceIn(tree fs.FS, file string) ([]byte, bool) {
	info, err := fs.Lstat(tree, file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxTestSource {
		return nil, false
	}
	f, err := tree.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTestSource))
	return text, err == nil
}

// ask is the runner's job for a module.
func (l *polluting) ask(ctx context.Context, tree fs.FS, sha, module string, sources []string) job.Job {
	m, _ := l.cfg.Tests.Module(module)
	b := l.cfg.Budgets
	at, in := buildOf(tree, module, ofGradle(m.Command))
	j := job.Job{
		Version: job.Version, Kind: job.KindPollution, MaxReport: 2 * maxPollution,
		Language: "java", BuildTool: at.tool, Dir: at.dir, Module: in, Source: l.source(sha), Installation: l.push.Installation,
		Key:   l.push.key("pollution-run") + "/" + sha + "/" + module,
		Rerun: b.Reruns, TestTimeout: time.Duration(b.TestSeconds) * time.Second,
		BuildArgs: l.flags(m.Command, at.tool), Offline: l.s.o.Offline, Network: l.cfg.Network && !l.s.o.Offline,
		JDK: l.cfg.JDK, Env: l.environment(),
		Pollution: &job.PollutionOptions{Sources: sources},
	}
	if end, ok := ctx.Deadline(); ok {
		j.Budget = max(time.Until(end)-time.Minute, time.Minute)
	}
	return j
}
