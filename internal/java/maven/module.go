package maven

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

// chooseModule finds the module to test: the named one, the one whose test sources have the failing
// classes, or the one of the folder in which odfix was started. "" means all of them.
func (p *Project) chooseModule(ctx context.Context) (string, error) {
	modules := p.modules()
	if p.opts.Module != "" {
		return p.namedModule(modules)
	}
	if len(modules) <= 1 {
		return "", nil
	}
	if m, err := p.moduleOfTests(ctx, modules); m != "" || err != nil {
		return m, err
	}
	if p.layout.start != p.layout.reactor {
		return filepath.Rel(p.layout.reactor, p.layout.start)
	}
	return "", nil
}

// mavenModule is a folder with a pom that belongs to the build.
type mavenModule struct {
	dir string // relative to the reactor root, "." for itself
	pom *pom
}

func (m mavenModule) names() []string {
	return []string{filepath.ToSlash(m.dir), m.pom.ArtifactID, ":" + m.pom.ArtifactID, m.pom.GroupID + ":" + m.pom.ArtifactID}
}

// modules follows the poms' module lists from the reactor root.
func (p *Project) modules() []mavenModule {
	var out []mavenModule
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if filepath.Ext(dir) == ".xml" {
			dir = filepath.Dir(dir)
		}
		if seen[dir] || len(seen) > 5000 {
			return
		}
		seen[dir] = true
		pm, err := readPom(filepath.Join(dir, "pom.xml"))
		if err != nil {
			return
		}
		rel, _ := filepath.Rel(p.layout.reactor, dir)
		out = append(out, mavenModule{rel, pm})
		for _, m := range pm.modules() {
			visit(filepath.Join(dir, filepath.FromSlash(m)))
		}
	}
	visit(p.layout.reactor)
	return out
}

func (p *Project) moduleNames() []string {
	var out []string
	for _, m := range p.modules() {
		out = append(out, filepath.ToSlash(m.dir))
	}
	return out
}

func (p *Project) namedModule(modules []mavenModule) (string, error) {
	want := strings.TrimSuffix(filepath.ToSlash(p.opts.Module), "/")
	if first, _, _ := strings.Cut(want, "/"); first == "." || first == ".." {
		if m, ok := p.moduleAt(want, modules); ok { // "." means the folder in which odfix was started
			return m, nil
		}
	}
	want = strings.TrimPrefix(want, "./")
	var names []string
	for _, m := range modules {
		for _, name := range m.names() {
			if name == want {
				return m.dir, nil
			}
		}
		names = append(names, filepath.ToSlash(m.dir))
	}
	if m, ok := p.moduleAt(want, modules); ok {
		return m, nil
	}
	if len(modules) <= 1 {
		return "", &Error{Code: CodeModule, Message: "there is no module " + p.opts.Module + ": the project in " +
			p.layout.reactor + " is one module",
			Hint: "Leave --module out, or name the folder of the project that has it."}
	}
	return "", &Error{Code: CodeModule, Message: "there is no module " + p.opts.Module,
		Hint: "Modules, nearest names first: " + strings.Join(nearest(names, want), ", ")}
}

// moduleAt returns the module of a folder relative to the folder in which odfix was started.
func (p *Project) moduleAt(folder string, modules []mavenModule) (string, bool) {
	rel, err := filepath.Rel(p.layout.reactor, filepath.Join(p.layout.start, filepath.FromSlash(folder)))
	return rel, err == nil && slices.ContainsFunc(modules, func(m mavenModule) bool { return m.dir == rel })
}

// moduleOfTests returns the module whose folder has the sources of most failing classes, or "". If
// several modules have equally many, it prefers the module of the folder in which odfix was
// started. A name that fits classes of several modules is an error, since the module is ambiguous.
// A class without any source is an error too, since odfix would build all modules for nothing.
// p.files does not hold build folders, so generated sources do not count.
func (p *Project) moduleOfTests(ctx context.Context, modules []mavenModule) (string, error) {
	votes, err := p.votes(ctx, modules)
	if err != nil {
		return "", err
	}
	most := 0
	for _, tests := range votes {
		most = max(most, len(tests))
	}
	best := suite.Filter(sortedKeys(votes), func(m string) bool { return len(votes[m]) == most })
	here, err := filepath.Rel(p.layout.reactor, p.layout.start)
	switch {
	case len(best) == 0:
		return "", nil
	case err == nil && here != "." && slices.Contains(best, here):
		return here, nil
	case len(best) > 1 && maps.Equal(votes[best[0]], votes[best[1]]):
		return "", &Error{Code: CodeModule, Message: fmt.Sprintf("%s is in several modules: %s", p.opts.Tests[0], strings.Join(best, ", ")),
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
func (p *Project) moduleOfFile(file string, modules []mavenModule) string {
	abs := filepath.Join(p.layout.anchor, filepath.FromSlash(file))
	best := "."
	for _, m := range modules {
		dir := filepath.Join(p.layout.reactor, m.dir)
		if within(abs, dir) && (best == "." || len(m.dir) > len(best)) {
			best = m.dir
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
