package post

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
)

// Bounds of the artifacts of a run. Its code can upload anything.
const (
	mostReports = 10
	maxZip      = 8 << 20
	maxReport   = 4 << 20
)

// reportLimits are the limits for unpacking. Only one small file is taken.
var reportLimits = archive.Limits{Bytes: maxReport, Members: 1000, Ratio: 100}

// ReportName is the name of the report in an artifact.
const ReportName = "report.json"

// ErrForged means that an artifact is no report of odfix.
var ErrForged = errors.New("the artifact is refused")

// download reads the reports in the artifacts of the event's run.
func (p *poster) download(ctx context.Context) ([]*job.Report, error) {
	if !p.Event.ofOtherRun() {
		return nil, errors.New("there is no report to post")
	}
	all, err := p.Client.Artifacts(ctx, p.Repo, p.Event.Run.ID)
	if err != nil {
		return nil, fmt.Errorf("the artifacts of run %d: %w", p.Event.Run.ID, err)
	}
	var out []*job.Report
	for _, a := range all {
		if !strings.HasPrefix(a.Name, p.Artifact) {
			continue
		}
		if len(out) == mostReports {
			p.Say("The run has more than %d reports; the others are left out.", mostReports)
			break
		}
		r, err := p.artifact(ctx, a)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		p.Say("Run %d has no artifact whose name begins with %q: nothing is posted.", p.Event.Run.ID, p.Artifact)
	}
	return out, nil
}

func (p *poster) artifact(ctx context.Context, a github.ArtifactInfo) (*job.Report, error) {
	dir, err := os.MkdirTemp("", "odfix-artifact-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(filepath.Join(dir, "artifact.zip"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := p.Client.Artifact(ctx, p.Repo, a.ID, f, maxZip); err != nil {
		if errors.Is(err, github.ErrLarge) {
			err = errors.Join(ErrForged, err)
		}
		return nil, fmt.Errorf("artifact %q: %w", a.Name, err)
	}
	text, err := onlyReport(ctx, f, dir)
	if err != nil {
		return nil, fmt.Errorf("artifact %q: %w", a.Name, err)
	}
	return Parse(text)
}

// onlyReport is the text of the report in a zip file. No other file is unpacked.
func onlyReport(ctx context.Context, f *os.File, dir string) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	into := filepath.Join(dir, "content")
	if err := os.Mkdir(into, 0o700); err != nil {
		return nil, err
	}
	n, err := archive.Some(ctx, f, info.Size(), into, func(name string) bool { return path.Clean(name) == ReportName }, reportLimits)
	switch {
	case errors.Is(err, archive.ErrRefused):
		return nil, errors.Join(ErrForged, err)
	case err != nil:
		return nil, err
	case n != 1:
		return nil, fmt.Errorf("%w: it has no %s at its top", ErrForged, ReportName)
	}
	return os.ReadFile(filepath.Join(into, ReportName))
}

// Parse reads a report of a run, which is hostile input.
func Parse(text []byte) (*job.Report, error) {
	if err := job.BoundsOf(maxReport).Check(text); err != nil {
		return nil, errors.Join(ErrForged, err)
	}
	r, err := job.ParseReport(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForged, err)
	}
	return r, nil
}
