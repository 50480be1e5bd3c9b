package build

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Module is a part of a build with tests of its own.
type Module struct {
	Dir   string   // relative to Folders.Root, "." for itself
	Names []string // by which people select it, its folder among them
}

// ChooseModule finds the module to test: the named one, the one whose test sources have the failing
// classes, or the one of the folder in which odfix was started. "" means all of them. Tests may
// have no source in the project only if elsewhere is set.
func (w *Workspace) ChooseModule(ctx context.Context, modules []Module, elsewhere bool) (string, error) {
	if w.Opts.Module != "" {
		return w.namedModule(modules)
	}
	if len(modules) <= 1 {
		return "", nil
	}
	if m, err := w.moduleOfTests(ctx, modules, elsewhere); m != "" || err != nil {
		return m, err
	}
	if w.At.Start != w.At.Root {
		return filepath.Rel(w.At.Root, w.At.Start)
	}
	return "", nil
}

func (w *Workspace) namedModule(modules []Module) (string, error) {
	want := strings.TrimSuffix(filepath.ToSlash(w.Opts.Module), "/")
	if first, _, _ := strings.Cut(want, "/"); first == "." || first == ".." {
		if m, ok := w.moduleAt(want, modules); ok { // "." means the folder in which odfix was started
			return m, nil
		}
	}
	want = strings.TrimPrefix(want, "./")
	var names []string
	for _, m := range modules {
		if slices.Contains(m.Names, want) {
			return m.Dir, nil
		}
		names = append(names, filepath.ToSlash(m.Dir))
	}
	if m, ok := w.moduleAt(want, modules); ok {
		return m, nil
	}
	if len(modules) <= 1 {
		return "", &Error{Code: CodeModule, Message: "there is no module " + w.Opts.Module + ": the project in " +
			w.At.Root + " is one module",
			Hint: "Leave --module out, or name the folder of the project that has it."}
	}
	return "", &Error{Code: CodeModule, Message: "there is no module " + w.Opts.Module,
		Hint: "Modules, nearest names first: " + strings.Join(nearest(names, want), ", ")}
}

// moduleAt returns the module of a folder relative to the folder in which odfix was started.
func (w *Workspace) moduleAt(folder string, modules []Module) (string, bool) {
	rel, err := filepath.Rel(w.At.Root, filepath.Join(w.At.Start, filepath.FromSlash(folder)))
	return rel, err == nil && slices.ContainsFunc(modules, func(m Module) bool { return m.Dir == rel })
}

// moduleOfTests returns the module whose folder has the sources of most failing classes, or "". If
// several modules have equally many, it prefers the module of the folder in which odfix was
// started. A name that fits classes of several modules is an error, since the module is ambiguous.
// A class without any source is an error too, since odfix would build all modules for nothing.
// w.files does not hold build folders, so generated sources do not count.
func (w *Workspace) moduleOfTests(ctx context.Context, modules []Module, elsewhere bool) (string, error) {
	votes, err := w.votes(ctx, modules, elsewhere)
	if err != nil {
		return "", err
	}
	most := 0
	for _, tests := range votes {
		most = max(most, len(tests))
	}
	best := suite.Filter(SortedKeys(votes), func(m string) bool { return len(votes[m]) == most })
	here, err := filepath.Rel(w.At.Root, w.At.Start)
	switch {
	case len(best) == 0:
		return "", nil
	case err == nil && here != "." && slices.Contains(best, here):
		return here, nil
	case len(best) > 1 && maps.Equal(votes[best[0]], votes[best[1]]):
		return "", &Error{Code: CodeModule, Message: fmt.Sprintf("%s is in several modules: %s", w.Opts.Tests[0], strings.Join(best, ", ")),
			Hint: "Name one with --module, or the test with its package."}
	}
	return best[0], nil
}

func isSource(file string) bool {
	switch path.Ext(file) {
	case ".java", ".kt", ".groovy", ".scala":
		return true
	}
	return false
}

// moduleOfFile is the deepest module whose folder holds the file.
func (w *Workspace) moduleOfFile(file string, modules []Module) string {
	abs := filepath.Join(w.At.Anchor, filepath.FromSlash(file))
	best := "."
	for _, m := range modules {
		dir := filepath.Join(w.At.Root, m.Dir)
		if Within(abs, dir) && (best == "." || len(m.Dir) > len(best)) {
			best = m.Dir
		}
	}
	return best
}

// nearest sorts names by how similar they are to want and keeps the first ten.
func nearest(names []string, want string) []string {
	distance := map[string]int{}
	for _, n := range names {
		distance[n] = suite.Distance(strings.ToLower(path.Base(n)), strings.ToLower(path.Base(want)))
	}
	sort.SliceStable(names, func(i, j int) bool { return distance[names[i]] < distance[names[j]] })
	return names[:min(len(names), 10)]
}
