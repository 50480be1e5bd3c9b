package java

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source implements project.Project.
func (p *Project) Source(path string) (string, error) {
	b, err := os.ReadFile(filepath.Join(p.copy.Checkout(), filepath.FromSlash(path)))
	return string(b), err
}

// IsTestSource implements project.Project.
func (p *Project) IsTestSource(path string) bool {
	file := filepath.Join(p.copy.Checkout(), filepath.FromSlash(path))
	for _, root := range p.sourceRoots() {
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// IsProductionSource implements project.Project.
func (p *Project) IsProductionSource(path string) bool {
	return !p.IsTestSource(path) && production("/"+path)
}

// production reports whether a path looks like production code: a file below src/main, or a Java
// source outside of Maven's layout whose path does not speak of tests. Folders whose names begin with
// a dot belong to tools, such as Maven's wrapper.
func production(path string) bool {
	if strings.Contains(path, "/src/main/") {
		return true
	}
	return strings.HasSuffix(path, ".java") && !strings.Contains(path, "/.") && !strings.Contains(strings.ToLower(path), "test") && !strings.Contains(path, "/it/")
}

// sourceRoots returns the folders of test sources. They are folders of the checkout, or of the copy
// for generated sources.
func (p *Project) sourceRoots() []string {
	var out []string
	for _, root := range p.launch.SourceRoots {
		if own := p.copy.Source(root); isDir(own) {
			root = own
		}
		if isDir(root) {
			out = append(out, root)
		}
	}
	return out
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// minLocal is the minimum length of a path that is replaced in texts.
const minLocal = 4

// local returns the folders that exist only on this machine or in this copy of the project, longest
// first.
func (p *Project) local() []string {
	home, _ := os.UserHomeDir()
	all := []string{p.copy.Tree(), p.copy.Checkout(), p.work, os.TempDir(), home}
	for _, path := range slices.Clone(all) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			all = append(all, real)
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return len(s) < minLocal })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}
