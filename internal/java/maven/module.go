package maven

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"github.com/odfix/odfix/internal/java/build"
)

// mavenModule is a folder with a pom that belongs to the build.
type mavenModule struct {
	dir string // relative to the reactor root, "." for itself
	pom *pom
}

// forChoice returns the modules with the names by which people select them.
func forChoice(modules []mavenModule) []build.Module {
	var out []build.Module
	for _, m := range modules {
		out = append(out, build.Module{Dir: m.dir,
			Names: []string{filepath.ToSlash(m.dir), m.pom.ArtifactID, ":" + m.pom.ArtifactID, m.pom.GroupID + ":" + m.pom.ArtifactID}})
	}
	return out
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
		rel, _ := filepath.Rel(p.At.Root, dir)
		out = append(out, mavenModule{rel, pm})
		for _, m := range pm.modules() {
			visit(filepath.Join(dir, filepath.FromSlash(m)))
		}
	}
	visit(p.At.Root)
	return out
}

func (p *Project) moduleNames() []string {
	var out []string
	for _, m := range p.modules() {
		out = append(out, filepath.ToSlash(m.dir))
	}
	return out
}

// scansDependencies reports whether a module's pom makes Surefire run tests of other projects'
// artifacts.
func scansDependencies(reactor string, modules []mavenModule) bool {
	return slices.ContainsFunc(modules, func(m mavenModule) bool {
		text, err := os.ReadFile(filepath.Join(reactor, m.dir, "pom.xml"))
		return err == nil && bytes.Contains(text, []byte("<dependenciesToScan>"))
	})
}
