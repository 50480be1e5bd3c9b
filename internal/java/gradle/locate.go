package gradle

import (
	"io/fs"
	"os"
	"path"
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

// isBuilt reports whether a folder may have the outputs of a project: one that another project
// configures has no file of its own.
func isBuilt(dir string) bool {
	return Builds(dir) || build.Exists(filepath.Join(dir, "src")) && !build.Exists(filepath.Join(dir, "pom.xml"))
}

// locate finds the project around dir. As Gradle does, it takes the nearest settings file above;
// without one, the folder is a build of its own.
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
	return build.Folders{Start: start, Root: root, Base: base(root)}, nil
}

// outside matches what a build script names above its own folder: '../shared',
// "$rootDir/../common.gradle".
var outside = regexp.MustCompile(`["'](?:\$\{?(?:root|project|settings)Dir\}?/)?\.\./`)

// base returns the folder to copy: the root project, or the git work tree around it if a script of
// the root project names something above.
func base(root string) string {
	for _, name := range slices.Concat(settingsFiles, buildFiles) {
		if !outside.Match(small(filepath.Join(root, name))) {
			continue
		}
		for d := root; d != filepath.Dir(d); d = filepath.Dir(d) {
			if build.Exists(filepath.Join(d, ".git")) {
				return d
			}
		}
	}
	return root
}

// small returns the text of a script; nil if it is too large for one, or none.
func small(file string) []byte {
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxScript {
		return nil
	}
	text, _ := os.ReadFile(file)
	return text
}

// Bounds of the search for projects.
const (
	maxModules = 5000
	maxScript  = 1 << 20 // bytes
)

// included matches what a settings file includes: include 'a', ':b:c' or include(":d"). Lists go on
// in later lines after a comma.
var (
	included = regexp.MustCompile(`\binclude\b\s*\(?((?:\s*["'][^"']*["']\s*,?)+)`)
	quoted   = regexp.MustCompile(`["']([^"']*)["']`)
	moved    = regexp.MustCompile(`\bproject\(\s*["'](:[^"']*)["']\s*\)\.projectDir\s*=[^"'\n]*["']([^"']+)["']`)
)

// modules returns the projects of the build, as far as files show them: folders with a build file,
// and those that the settings include. The second name of each is its path in the build.
func modules(root string) []build.Module {
	paths := map[string]string{".": ":"}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // what cannot be read is no project
		}
		name := d.Name()
		if path != root && (strings.HasPrefix(name, ".") || name == "src" || name == "node_modules" || name == "buildSrc" ||
			outputs.Is(path) || hasAny(path, settingsFiles)) { // with settings, it is a build of its own
			return fs.SkipDir
		}
		if len(paths) >= maxModules {
			return fs.SkipAll
		}
		if hasAny(path, buildFiles) && path != root {
			rel, _ := filepath.Rel(root, path)
			paths[rel] = projectPath(rel)
		}
		return nil
	})
	for _, name := range settingsFiles {
		text := small(filepath.Join(root, name))
		for _, dir := range includes(text) {
			if fi, err := os.Stat(filepath.Join(root, dir)); err == nil && fi.IsDir() {
				paths[dir] = projectPath(dir)
			}
		}
		for _, m := range moved.FindAllSubmatch(text, -1) {
			if dir := filepath.FromSlash(path.Clean(string(m[2]))); filepath.IsLocal(dir) {
				paths[dir] = string(m[1])
			}
		}
	}
	var out []build.Module
	for _, dir := range build.SortedKeys(paths) {
		out = append(out, build.Module{Dir: dir, Names: []string{filepath.ToSlash(dir), paths[dir]}})
	}
	return out
}

// projectPath is the path that Gradle gives a project by its folder, unless the settings say
// otherwise.
func projectPath(dir string) string {
	return ":" + strings.ReplaceAll(filepath.ToSlash(dir), "/", ":")
}

// includes returns the folders of the projects that settings include.
func includes(settings []byte) []string {
	var out []string
	for _, list := range included.FindAllSubmatch(settings, -1) {
		for _, m := range quoted.FindAllSubmatch(list[1], -1) {
			dir := strings.ReplaceAll(strings.Trim(string(m[1]), ":"), ":", "/")
			if filepath.IsLocal(dir) {
				out = append(out, filepath.FromSlash(dir))
			}
		}
	}
	return out
}
