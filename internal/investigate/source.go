package investigate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
)

// tested is the commit for the runner.
func (s *Service) tested(ctx context.Context, at target, p *github.Pull, ev evidence) (string, error) {
	sha, err := pull.Tested(ctx, at.place(), p, ev.Event, ev.Merged)
	if early := (pull.NotYetError{}); errors.As(err, &early) {
		return "", laterError{s.o.Pace.Look, early.Error()}
	}
	return sha, err
}

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
