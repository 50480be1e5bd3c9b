package investigate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/github"
)

// maxSource bounds a commit's packed sources.
const maxSource = 1 << 30

// tested is the commit to reproduce on: the merge that CI tested where it ran
// on the pull request, else the head itself. The base branch may have moved since,
// and GitHub's test merge with it: the one that CI's log names counts, if it is a merge of this
// head.
func (s *Service) tested(ctx context.Context, at target, p *github.Pull, ev evidence) (string, error) {
	if ev.Event != "pull_request" && ev.Event != "pull_request_target" {
		return p.HeadSHA, nil
	}
	if ev.Merged != "" {
		parents, err := at.client.Parents(ctx, at.repo, ev.Merged)
		if err != nil && !errors.Is(err, github.ErrGone) {
			return "", err
		}
		if len(parents) == 2 && parents[1] == p.HeadSHA {
			return ev.Merged, nil
		}
	}
	if !p.MergeKnown {
		return "", laterError{s.o.Pace.Look, "GitHub has not made the test merge yet"}
	}
	if p.MergeSHA == "" {
		return p.HeadSHA, nil // a conflict since: the head is what is left of what was tested
	}
	parents, err := at.client.Parents(ctx, at.repo, p.MergeSHA)
	if err != nil && !errors.Is(err, github.ErrGone) {
		return "", err
	}
	if !slices.Contains(parents, p.HeadSHA) {
		return "", laterError{s.o.Pace.Look, "the test merge is of an older head"}
	}
	return p.MergeSHA, nil
}

// fetch unpacks a commit's sources into a new folder below dir. The archive goes
// from the connection into the unpacking, and is never kept.
func (s *Service) fetch(ctx context.Context, at target, sha, dir string) (string, error) {
	into := filepath.Join(dir, "source")
	if err := os.Mkdir(into, 0o755); err != nil {
		return "", err
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := at.client.Source(ctx, at.repo, sha, w, maxSource)
		w.CloseWithError(err) // nil is io.EOF
		done <- err
	}()
	err := archive.Sources(ctx, r, into, archive.Limits{})
	r.CloseWithError(errUnpacked)
	if down := <-done; down != nil && !errors.Is(down, errUnpacked) {
		return "", fmt.Errorf("the sources of %s: %w", sha, down)
	}
	if err != nil {
		return "", err
	}
	// Patches' paths count from the folder that has a .git: this one's top,
	// whatever stands around it here. There is no history in it.
	return into, os.Mkdir(filepath.Join(into, ".git"), 0o755)
}

// errUnpacked ends a download of which no more is wanted: padding behind the archive, or all of a
// bad one.
var errUnpacked = errors.New("no more is wanted")

// projectIn is the folder of the build in a checkout: its top, else the highest
// one with a pom, that of a failing test's sources first.
func projectIn(root string, tests []string) string {
	var folders []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read holds no build for us
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "src" || strings.Count(rel, string(filepath.Separator)) >= 4) {
			return filepath.SkipDir
		}
		if d.Name() == "pom.xml" && d.Type().IsRegular() {
			folders = append(folders, filepath.Dir(path))
			if folders[len(folders)-1] == root {
				return filepath.SkipAll
			}
		}
		return nil
	})
	if len(folders) == 0 {
		return root // the runner says what it misses there
	}
	if slices.Contains(folders, root) {
		return root
	}
	depth := func(f string) int { return strings.Count(f, string(filepath.Separator)) }
	slices.SortStableFunc(folders, func(a, b string) int { return depth(a) - depth(b) })
	for _, f := range folders {
		if holdsAny(f, tests) {
			return f
		}
	}
	return folders[0]
}

// holdsAny: the folder has the source of one of the tests' classes.
func holdsAny(folder string, tests []string) bool {
	found := false
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		name := strings.TrimSuffix(filepath.ToSlash(path), filepath.Ext(path))
		for _, t := range tests {
			if strings.HasSuffix(name, "/"+ci.SourcePath(t)) {
				found = true
				return filepath.SkipAll
			}
		}
		return nil
	})
	return found
}
