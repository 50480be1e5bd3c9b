package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/sandbox/build"
)

// ErrGreen means that CI of the given project is green.
var ErrGreen = errors.New("CI is green: no test failed, so odfix has nothing to investigate")

// Play opens the pull request, runs its CI, and waits until it has settled.
func (s *Sandbox) Play(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.Budget, fmt.Errorf("the pull request did not settle within %s", s.o.Budget))
	defer cancel()
	if err := s.openPull(ctx); err != nil {
		return because(ctx, err)
	}
	green, err := s.runCI(ctx)
	if err == nil && green && s.o.Scenario.expect.free {
		err = ErrGreen
	}
	if err == nil && s.o.Scenario.interrupt {
		err = s.pushAgain(ctx)
	}
	if err == nil {
		err = s.settle(ctx)
	}
	return because(ctx, err)
}

// because replaces an error by the reason why the context ended, if it did.
func because(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (s *Sandbox) openPull(ctx context.Context) error {
	sc := s.o.Scenario
	base, head, err := sc.folders(ctx, filepath.Join(s.dir, "project"))
	if err != nil {
		return err
	}
	name := sc.example
	if name == "" {
		name = repositoryName(sc.dir)
	}
	maintainer := s.GitHub.AddUser("maintainer")
	acme := s.GitHub.AddOrganization("acme", maintainer)
	s.Author = s.GitHub.AddUser("dev")
	s.Repo, err = s.GitHub.AddRepository(ctx, githubtest.RepositorySpec{Owner: acme, Name: name, Dir: base, Private: sc.example == ""})
	if err != nil {
		return err
	}
	s.Repo.SetRole(maintainer, "write")
	from := s.Repo
	if sc.fork {
		if from, err = s.Repo.Fork(ctx, s.Author); err != nil {
			return err
		}
		s.Repo.SetRole(s.Author, "read") // a collaborator: the code of others waits for an approval
	} else {
		s.Repo.SetRole(s.Author, "write")
	}
	s.actions.Install(acme)
	s.phase("open", "%s is on a stand-in GitHub, with odfix installed", s.Repo.FullName())
	if _, err := from.CommitDir(ctx, s.Author, sc.branch, sc.title, head); err != nil {
		return err
	}
	spec := githubtest.PullSpec{Author: s.Author, Title: sc.title, Body: sc.body, Branch: sc.branch}
	if sc.fork {
		spec.From = from
	}
	if s.Pull, err = s.Repo.OpenPullRequest(ctx, spec); err != nil {
		return err
	}
	s.pull.Store(s.Pull)
	s.say("pull request #%d: %s, from %s", s.Pull.Number, sc.title, from.FullName()+":"+sc.branch)
	s.say("its page: %s", s.Pull.URL())
	return nil
}

// repositoryName turns a folder's name into one that GitHub allows.
func repositoryName(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, filepath.Base(dir))
	if name = strings.Trim(name, "."); name == "" {
		return "project"
	}
	return strings.TrimSuffix(name, ".git")
}

// mostAttempts is how often CI runs until it is red. A test that fails every second time passes all
// of them once in 4096.
const mostAttempts = 12

// runCI runs the pull request's CI on its test merge, and reports the result to GitHub.
func (s *Sandbox) runCI(ctx context.Context) (green bool, err error) {
	s.ci.Lock()
	defer s.ci.Unlock()
	s.builds++
	dir := filepath.Join(s.dir, "ci", fmt.Sprint(s.builds))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return false, err
	}
	if err := s.Repo.Checkout(ctx, s.Pull.MergeSha(), dir); err != nil {
		return false, err
	}
	run, err := s.Repo.StartRun(ctx, githubtest.RunSpec{Pull: s.Pull, Jobs: []string{"test"}})
	if err != nil {
		return false, err
	}
	b := s.build(dir)
	s.phase("ci", "CI runs %s", b.Command())
	for attempt := 1; ; attempt++ {
		r, err := b.Run(ctx)
		if err == nil {
			err = broken(r)
		}
		if err != nil {
			run.Complete(ctx, "cancelled")
			return false, err
		}
		if err := s.report(ctx, run, r); err != nil {
			return false, err
		}
		if !r.Green || !s.o.Scenario.untilRed || attempt == mostAttempts {
			return r.Green, nil
		}
		if err := run.Rerun(ctx); err != nil {
			return false, err
		}
	}
}

// report completes the run with CI's log and reports.
func (s *Sandbox) report(ctx context.Context, run *githubtest.Run, r build.Result) error {
	conclusion, color := "success", "green"
	if !r.Green {
		conclusion, color = "failure", "red"
		if len(r.Reports) > 0 {
			if _, err := run.AddArtifact("surefire-reports", r.Reports); err != nil {
				return err
			}
		}
	}
	s.phase(afterCI, "CI is %s after %.1fs", color, r.Took.Seconds())
	run.Job("test").Complete(ctx, conclusion, r.Log)
	run.Complete(ctx, conclusion)
	return nil
}

// broken returns an error if the build failed before it ran a test.
func broken(r build.Result) error {
	if r.Tested {
		return nil
	}
	lines := bytes.Split(bytes.TrimSpace(r.Log), []byte("\n"))
	lines = lines[max(0, len(lines)-15):]
	return fmt.Errorf("the build failed before any test ran:\n%s", bytes.Join(lines, []byte("\n")))
}

// pushAgain pushes a commit while a runner works, and runs its CI.
func (s *Sandbox) pushAgain(ctx context.Context) error {
	select {
	case <-s.begun:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := s.Pull.Push(ctx, "Describe the tests",
		githubtest.Change{Files: map[string]string{"NOTES.md": "Suppliers' price lists are tested with commas and with points.\n"}})
	if err != nil {
		return err
	}
	s.say("another push, while odfix is at work")
	_, err = s.runCI(ctx)
	return err
}

// pollInterval is how often settle asks the App, because GitHub does not see everything that the
// App does.
const pollInterval = 200 * time.Millisecond

// settle waits until every webhook is delivered and the App has nothing left to do.
func (s *Sandbox) settle(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if err := s.GitHub.Drain(ctx); err != nil {
			return err
		}
		idle, err := s.app.Idle(ctx)
		if err != nil {
			return err
		}
		if idle && s.delivered() { // the App's last write can have sent webhooks
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.phase("settled", "the pull request has settled")
	s.say("%s", sum(s.clock.phases()))
	return nil
}

func (s *Sandbox) delivered() bool {
	return !slices.ContainsFunc(s.actions.Deliveries(), func(d githubtest.Delivery) bool { return !d.Done })
}
