package gradle

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

var (
	buildFiles    = []string{"build.gradle", "build.gradle.kts"}
	settingsFiles = []string{"settings.gradle", "settings.gradle.kts"}
)

func hasAny(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return build.Exists(filepath.Join(dir, name)) })
}

// Builds reports whether Gradle builds the folder.
func Builds(dir string) bool { return hasAny(dir, buildFiles) || hasAny(dir, settingsFiles) }

// isBuilt reports whether a folder may have the outputs of a project: one that another project configures
// has no file of its own.
func isBuilt(dir string) bool {
	return Builds(dir) || build.Exists(filepath.Join(dir, "src")) && !build.Exists(filepath.Join(dir, "pom.xml"))
}

// locate finds the project around dir. As Gradle does, it takes the nearest settings file above; without
// one, the folder is a build of its own.
func locate(dir string) (build.Folders, error) {
	start := dir
	for !Builds(start) {
		if start == filepath.Dir(start) {
			return build.Folders{}, build.NoProject(dir)
		}
		start = filepath.Dir(start)
	}
	root := start
	for d := start; ; d = filepath.Dir(d) {
		if hasAny(d, settingsFiles) {
			root = d
			break
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return build.Folders{Start: start, Root: root, Base: root}, nil
}

// Bounds of the search for projects.
const (
	maxModules  = 5000
	maxSettings = 1 << 20 // bytes
)

// included matches what a settings file includes: include 'a', ':b:c' or include(":d"). Lists go on in
// later lines after a comma.
var (
	included = regexp.MustCompile(`\binclude\b\s*\(?((?:\s*["'][^"']*["']\s*,?)+)`)
	quoted   = regexp.MustCompile(`["']([^"']*)["']`)
)

// modules returns the projects of the build, as far as files show them: folders with a build file, and
// those that the settings include.
func modules(root string) []build.Module {
	dirs := map[string]bool{}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // what cannot be read is no project
		}
		name := d.Name()
		if path != root && (strings.HasPrefix(name, ".") || name == "src" || name == "node_modules" || outputs.Is(path)) || name == "buildSrc" {
			return fs.SkipDir
		}
		if len(dirs) >= maxModules {
			return fs.SkipAll
		}
		if hasAny(path, buildFiles) {
			rel, _ := filepath.Rel(root, path)
			dirs[rel] = true
		}
		return nil
	})
	for _, name := range settingsFiles {
		for _, dir := range includes(filepath.Join(root, name)) {
			if fi, err := os.Stat(filepath.Join(root, dir)); err == nil && fi.IsDir() {
				dirs[dir] = true
			}
		}
	}
	dirs["."] = true
	var out []build.Module
	for _, dir := range build.SortedKeys(dirs) {
		slashed := filepath.ToSlash(dir)
		names := []string{slashed, ":" + strings.ReplaceAll(slashed, "/", ":")}
		if dir == "." {
			names = []string{".", ":"}
		}
		out = append(out, build.Module{Dir: dir, Names: names})
	}
	return out
}

// includes returns the folders of the projects that a settings file includes, and of those above them.
func includes(settings string) []string {
	text, err := os.ReadFile(settings)
	if err != nil || len(text) > maxSettings {
		return nil
	}
	var out []string
	for _, list := range included.FindAllSubmatch(text, -1) {
		for _, m := range quoted.FindAllSubmatch(list[1], -1) {
			dir := strings.ReplaceAll(strings.Trim(string(m[1]), ":"), ":", "/")
			if filepath.IsLocal(dir) {
				out = append(out, filepath.FromSlash(dir))
			}
		}
	}
	return out
}
