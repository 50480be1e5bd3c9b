package investigate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// evidence is what CI's logs, reports and annotations say about a red head, as it is stored.
type evidence struct {
	Tests []string `json:"tests"` // failing tests, named as in the source
	// Order is stored apart. An older odfix stored it here.
	Order *job.ObservedOrder `json:"order,omitempty"`
	Jobs  []redJob           `json:"jobs"`            // the jobs in which they failed
	Event string             `json:"event"`           // what CI ran on: pull_request (the merge), push (the head)
	Spare []string           `json:"spare,omitempty"` // failing tests of other modules, which are not investigated
	// Known are digests of failing tests, of an investigation that was not queued.
	Known []string `json:"known,omitempty"`
	Notes []string `json:"notes,omitempty"`
	// Tool is the tool that ran the tests; empty: Maven.
	Tool ci.Tool `json:"tool,omitempty"`
	// Merged is the test merge that CI's log names. It is not verified.
	Merged string `json:"merged,omitempty"`
	// Tested is the commit that the runner got.
	Tested string `json:"tested,omitempty"`
	// Read are the keys of the red jobs whose logs were read, or left out since there are too many,
	// and of all runs that had ended then.
	Read []string `json:"read,omitempty"`
	// Contacted are the hosts that the job asked for, if it ran in a sandbox.
	Contacted []job.Contact `json:"contacted,omitempty"`
	// Confirmed: the report's patches, if it has any, were proved by two runners. Reports of an older
	// odfix are not confirmed.
	Confirmed bool `json:"confirmed,omitempty"`
	// Unanswered is how often the job came back with dispatch.ErrUnanswered.
	Unanswered int `json:"unanswered,omitempty"`
}

type redJob struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// Bounds of what is read of the CI of one head.
const (
	mostJobs      = 20 // red jobs
	mostArtifacts = 10 // of one run
	maxLog        = 1 << 30
	maxArtifact   = 24 << 20
	// longReading is how long unpacking and reading all of it may take. Usual logs take seconds.
	longReading = 2 * time.Minute
	// longLoading is how long downloading all of it may take.
	longLoading = 3 * time.Minute
	// mostFoldersAround is how many folders can be around a report in an artifact.
	mostFoldersAround = 20
)

// logLimits and artifactLimits are the limits for a log and for the reports in an artifact, which
// strangers write.
var (
	logLimits      = ci.Limits{Bytes: maxLog, Tests: 100_000, Names: 8 << 20}
	artifactLimits = ci.Limits{Bytes: reportLimits.Bytes, Tests: 100_000, Names: 8 << 20, Reports: true}
)

// reportLimits are the limits for unpacking an artifact.
var reportLimits = archive.Limits{Bytes: 512 << 20, Members: 100_000, Ratio: 200}

// gather reads the logs of the red jobs, the test reports among the artifacts, and, if neither
// names a failing test, the annotations of red checks. whole is false if GitHub did not have a log.
func (s *Service) gather(ctx context.Context, at target, p *github.Pull, runs ciRuns, cfg config.CI) (ev evidence,
	whole bool, err error) {
	dir, err := os.MkdirTemp(s.o.Dir, "odfix-evidence-")
	if err != nil {
		return ev, false, err
	}
	defer os.RemoveAll(dir)
	g := gathering{at: at, pull: *p, dir: dir, loading: longLoading, left: longReading}
	for _, r := range runs.red {
		if err := g.run(ctx, r.run, r.red); err != nil {
			return ev, false, err
		}
		if g.gone {
			runs.ended = slices.DeleteFunc(runs.ended, func(key string) bool { return key == r.run.Key() })
		}
	}
	if runs.left > 0 {
		g.note("more than %d workflows have run; the others are left out", mostRuns)
	}
	if len(g.found) == 0 {
		if err := g.checks(ctx, p.HeadSHA, cfg); err != nil {
			return ev, false, err
		}
	}
	ev = g.best()
	ev.Read = append(g.read, runs.ended...)
	return ev, !g.gone, nil
}

// gathering collects sources of evidence.
type gathering struct {
	at    target
	pull  github.Pull
	dir   string
	n     int
	found []sourced
	kept  int // bytes of the orders in found
	// failing are the bytes of the failing tests in found, names their texts.
	failing int
	names   map[string]string
	loading time.Duration // that is left for downloads
	left    time.Duration // for unpacking and reading
	notes   []string
	read    []string // keys of the jobs whose logs were read or left out
	gone    bool     // GitHub did not have a log
}

// sourced is the evidence of one source and the job that it is about.
type sourced struct {
	ev       ci.Evidence
	job      redJob
	run      github.Run
	merged   string // the test merge that a log names
	fileless int    // failing tests of Jest that are named by their titles only
}

func (g *gathering) run(ctx context.Context, run github.Run, red []github.CIJob) error {
	for n, j := range red {
		if g.n++; g.n > mostJobs {
			g.note("more than %d jobs are red; the others are left out", mostJobs)
			for _, left := range red[n:] { // they would be left out again
				g.read = append(g.read, left.Key())
			}
			return nil
		}
		if err := g.log(ctx, run, j); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(g.found, func(x sourced) bool { return x.run.ID == run.ID && x.ev.Provenance == suite.Exact }) {
		return nil // reports are not better
	}
	return g.artifacts(ctx, run)
}

// log reads a job's log.
func (g *gathering) log(ctx context.Context, run github.Run, j github.CIJob) error {
	file := filepath.Join(g.dir, fmt.Sprintf("log-%d.txt", j.ID))
	defer os.Remove(file)
	err := g.download(ctx, file, func(ctx context.Context, f *os.File) error {
		return g.at.client.JobLog(ctx, g.at.repo, j.ID, f, maxLog)
	})
	switch {
	case errors.Is(err, github.ErrGone), errors.Is(err, github.ErrLarge), errors.Is(err, errSlow):
		g.note("the log of the job %q cannot be had: %v", j.Name, err)
		g.gone = true
		return nil
	case err != nil:
		return err
	}
	g.read = append(g.read, j.Key())
	return g.reading(ctx, fmt.Sprintf("log of the job %q", j.Name), func(ctx context.Context, name string) error {
		found, err := g.add(ctx, file, logLimits, run, redJob{j.Name, j.URL}, name, anyTests)
		if found {
			g.found[len(g.found)-1].merged = ci.Merged(ctx, file)
		}
		return err
	})
}

// artifacts reads test reports out of a run's artifacts.
func (g *gathering) artifacts(ctx context.Context, run github.Run) error {
	list, err := g.at.client.Artifacts(ctx, g.at.repo, run.ID)
	if err != nil {
		return err
	}
	n := 0
	for _, a := range list {
		if a.Size > maxArtifact || !likelyReports(a.Name) && len(list) > mostArtifacts {
			continue
		}
		if n++; n > mostArtifacts {
			break
		}
		if err := g.artifact(ctx, run, a); err != nil {
			return err
		}
	}
	return nil
}

func likelyReports(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"test", "report", "surefire", "failsafe", "junit", "jest", "result"},
		func(w string) bool { return strings.Contains(name, w) })
}

func (g *gathering) artifact(ctx context.Context, run github.Run, a github.ArtifactInfo) error {
	file := filepath.Join(g.dir, fmt.Sprintf("artifact-%d", a.ID))
	defer func() { _ = errors.Join(os.Remove(file+".zip"), os.RemoveAll(file)) }() // else with the folder g.dir
	err := g.download(ctx, file+".zip", func(ctx context.Context, f *os.File) error {
		return g.at.client.Artifact(ctx, g.at.repo, a.ID, f, maxArtifact)
	})
	if errors.Is(err, github.ErrGone) || errors.Is(err, github.ErrLarge) || errors.Is(err, errSlow) {
		g.note("the artifact %q cannot be had: %v", a.Name, err)
		return nil
	}
	if err != nil {
		return err
	}
	return g.reading(ctx, fmt.Sprintf("test reports in the artifact %q", a.Name), func(ctx context.Context, name string) error {
		n, err := unzip(ctx, file+".zip", file)
		if errors.Is(err, archive.ErrRefused) {
			g.note("the artifact %q is not read: %v", a.Name, err)
			return nil
		}
		if err != nil || n == 0 {
			return err
		}
		if found, err := g.add(ctx, file, artifactLimits, run, redJob{Name: run.Workflow}, name, anyTests); err != nil || found {
			return err
		}
		return g.others(ctx, file, run, name)
	})
}

// reading unpacks and reads a source within what is left of the time for all sources. A source that
// needs longer, or names too many tests, is left out.
func (g *gathering) reading(ctx context.Context, name string, read func(ctx context.Context, name string) error) error {
	within, cancel := context.WithTimeout(ctx, g.left)
	defer cancel()
	began := time.Now()
	err := read(within, name)
	g.left -= time.Since(began)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil && err != nil:
		g.note("%s: left out, since reading the logs and reports takes too long", name)
		g.gone = true // without any failing test, they are read once more: other work may have slowed it down
		return nil
	case errors.Is(err, ci.ErrTooMuch):
		g.note("%s: left out, since it names too many tests", name)
		return nil
	}
	return err
}

// others reads reports that have other names than Maven's and Gradle's: those of Jest, and those
// that another tool has merged. They may be about tests in a language that odfix does not know.
func (g *gathering) others(ctx context.Context, dir string, run github.Run, name string) error {
	n := 0
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !d.Type().IsRegular() || isReport(d.Name()) {
			return nil // unreadable files are no evidence
		}
		if n++; n > mostArtifacts {
			return fs.SkipAll
		}
		_, err = g.add(ctx, file, artifactLimits, run, redJob{Name: run.Workflow}, name, ours)
		if errors.Is(err, ci.ErrTooMuch) {
			g.note("a file of the %s is left out, since it names too many tests", name)
			return nil
		}
		return err
	})
}

// anyTests accepts the tests of every source.
func anyTests(ci.Evidence) bool { return true }

// ours accepts tests of a language that odfix knows.
func ours(ev ci.Evidence) bool {
	foreign := func(id string) bool { return ev.Tool != ci.Jest && !ci.IsJava(id) }
	return !slices.ContainsFunc(ev.Failed, foreign) && !slices.ContainsFunc(ev.Tests, foreign)
}

// isReport reports whether a file has the name of a class's report.
func isReport(base string) bool {
	return strings.HasPrefix(base, "TEST-") && strings.HasSuffix(base, ".xml")
}

func unzip(ctx context.Context, file, dir string) (int, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		return 0, err
	}
	want := func(name string) bool {
		base := path.Base(name)
		if strings.Count(name, "/") > mostFoldersAround {
			return false
		}
		return isReport(base) || (strings.HasSuffix(base, ".xml") || strings.HasSuffix(base, ".json")) && likelyReports(base)
	}
	return archive.Some(ctx, f, info.Size(), dir, want, reportLimits)
}

// add reads a source, and ignores one without failing tests, such as a linter's log, and one whose
// tests are not wanted.
func (g *gathering) add(ctx context.Context, file string, l ci.Limits, run github.Run, j redJob, name string,
	wanted func(ci.Evidence) bool) (found bool, err error) {
	ev, err := ci.Read(ctx, file, l)
	if ctx.Err() != nil || errors.Is(err, ci.ErrTooMuch) {
		return false, cmp.Or(ctx.Err(), err)
	}
	if err != nil || len(ev.Failed) == 0 || !wanted(ev) {
		return false, nil
	}
	ev.Source = name
	for i, n := range ev.Notes {
		ev.Notes[i] = strings.ReplaceAll(n, file, name) // temporary paths mean nothing to people
	}
	before := len(g.found)
	g.keep(sourced{ev: ev, job: j, run: run})
	return len(g.found) > before, nil
}

func (g *gathering) note(format string, args ...any) {
	if len(g.notes) >= mostNotes {
		return
	}
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}
