package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
)

// Checkout is a dispatcher for jobs whose sources are those of a commit. It unpacks them, and gives
// the job to another dispatcher of this machine. Other jobs it passes on as they are.
type Checkout struct {
	Dispatcher dispatch.Dispatcher
	// Source writes the packed sources of the job. Its errors are Run's.
	Source func(ctx context.Context, j job.Job, w io.Writer) error
	Dir    string         // for the sources and the builds of running jobs; empty: the system's temporary one
	JDKs   map[int]string // JAVA_HOME by feature release; a job that asks for another one uses the default
}

var _ dispatch.Dispatcher = (*Checkout)(nil)

// Run implements dispatch.Dispatcher. Paths in the report are relative to the top of the sources.
func (c *Checkout) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	if j.Source == (job.Source{}) {
		return c.Dispatcher.Run(ctx, j, on)
	}
	if !filepath.IsLocal(filepath.FromSlash(j.Dir)) {
		return nil, &job.Error{Code: dispatch.CodeJob, Message: fmt.Sprintf("the job's folder %q is not below its sources", j.Dir)}
	}
	dir, err := os.MkdirTemp(c.Dir, "odfix-job-")
	if err != nil {
		return nil, disk(err)
	}
	defer os.RemoveAll(dir)
	root, err := c.unpacked(ctx, j, dir)
	if err != nil {
		return nil, err
	}
	j.Dir, j.Work, j.Out = filepath.Join(root, filepath.FromSlash(j.Dir)), filepath.Join(dir, "work"), ""
	j.Runtime = c.JDKs[j.JDK]
	report, err := c.Dispatcher.Run(ctx, j, on)
	if report != nil {
		report.Project.Dir, report.Project.Root = below(root, report.Project.Dir), below(root, report.Project.Root)
		if j.JDK != 0 && j.Runtime == "" {
			report.Notes = append([]string{fmt.Sprintf("The configuration asks for JDK %d, which this odfix was not "+
				"given: the build chose.", j.JDK)}, report.Notes...)
		}
	}
	return report, err
}

func disk(err error) *job.Error {
	return &job.Error{Code: CodeDisk, Message: "the worker cannot write files: " + err.Error(), Hint: "look for a full disk"}
}

// below is a path relative to root; empty: it is not below it.
func below(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// unpacked unpacks the sources while they arrive, into a new folder below dir.
func (c *Checkout) unpacked(ctx context.Context, j job.Job, dir string) (string, error) {
	into := filepath.Join(dir, "source")
	// Paths in patches are relative to the folder with .git. This one has no history.
	if err := os.MkdirAll(into, 0o755); err != nil {
		return "", disk(err)
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := c.Source(ctx, j, w)
		w.CloseWithError(err) // nil is io.EOF
		done <- err
	}()
	err := archive.Sources(ctx, r, into, archive.Limits{})
	r.CloseWithError(errUnpacked)
	if down := <-done; down != nil && !errors.Is(down, errUnpacked) {
		return "", fmt.Errorf("the sources of %s: %w", j.Source.SHA, down)
	}
	switch {
	case ctx.Err() != nil:
		return "", errStopped
	case errors.Is(err, archive.ErrRefused):
		return "", &job.Error{Code: CodeUnpacked, Message: err.Error()}
	case err != nil:
		return "", disk(err)
	}
	if err := os.Mkdir(filepath.Join(into, ".git"), 0o755); err != nil {
		return "", disk(err)
	}
	return into, nil
}

// errUnpacked ends a download whose rest is not needed: padding after the archive, or the rest of a
// refused one.
var errUnpacked = errors.New("no more is wanted")
