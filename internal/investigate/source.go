package investigate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/archive"
	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/github"
)

// maxSource bounds the archive of a commit's sources.
const maxSource = 1 << 30

// tested is the commit for the runner: the test merge if CI ran on the pull request, else the head.
// GitHub's test merge changes with the base branch, so the merge that CI's log names comes first,
// if it is a merge of this head.
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
		return p.HeadSHA, nil // there is a conflict since, and so no test merge
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

// fetch unpacks a commit's sources into a new folder below dir while it downloads the archive.
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
	// Paths in patches are relative to the folder with .git. This one has no history.
	return into, os.Mkdir(filepath.Join(into, ".git"), 0o755)
}

// errUnpacked ends a download whose rest is not needed: padding after the archive, or the rest of a
// refused one.
var errUnpacked = errors.New("no more is wanted")

// projectIn is the folder of the build in a checkout: its top if it has a pom, else the highest
// folder with a pom that holds a failing test's source, else the highest with a pom.
func projectIn(root string, tests []string) string {
	var folders []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // an unreadable folder has no build
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "src" ||
			strings.Count(rel, string(filepath.Separator)) >= 4) {
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
		return root // the runner reports that there is no build
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

// packageIn is the folder of the package whose Jest ran the tests. A log names test files relative to
// the folder in which Jest ran, so that is the folder with a package.json in which the file is.
// Otherwise it is the highest folder with a package.json that names Jest and is above a test.
func packageIn(root string, tests []string) string {
	var exact, above, packages []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return nil // an unreadable folder has no package
		case d.IsDir() && rel != "." &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) >= 6):
			return filepath.SkipDir
		case d.Name() != "package.json" || !d.Type().IsRegular():
			return nil
		}
		dir := filepath.Dir(path)
		packages = append(packages, dir)
		if !namesJest(path) {
			return nil
		}
		if slices.ContainsFunc(tests, func(t string) bool { return hasFile(dir, ci.JestFile(t)) }) {
			exact = append(exact, dir)
		}
		if holdsAny(dir, tests) {
			above = append(above, dir)
		}
		return nil
	})
	depth := func(a, b string) int {
		return strings.Count(a, string(filepath.Separator)) - strings.Count(b, string(filepath.Separator))
	}
	for _, list := range [][]string{exact, above, packages} {
		if len(list) > 0 {
			slices.SortStableFunc(list, depth)
			return list[0]
		}
	}
	return root // the runner reports that there is no package
}

// namesJest reports whether a package.json names Jest, or a tool that runs it.
func namesJest(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most))
	return err == nil && jestNamed.Match(text)
}

var jestNamed = regexp.MustCompile(`\bjest\b|react-scripts|\bcraco\b|vue-cli-service`)

func hasFile(dir, file string) bool {
	if file == "" || !filepath.IsLocal(filepath.FromSlash(file)) {
		return false
	}
	fi, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(file)))
	return err == nil && fi.Mode().IsRegular()
}

// holdsAny reports whether the folder has the source of one of the tests' classes, or their file.
func holdsAny(folder string, tests []string) bool {
	found := false
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
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
