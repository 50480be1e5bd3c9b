package investigate

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
)

// The files by which a folder is known as a build of Java, or a part of one.
var (
	gradleScripts  = []string{"build.gradle", "build.gradle.kts"}
	gradleSettings = []string{"settings.gradle", "settings.gradle.kts"}
)

// has reports whether a folder of the sources has one of the files.
func has(sources fs.FS, dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := fs.Lstat(sources, path.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// build is a build of Java in the sources.
type build struct {
	dir  string // "." is the top
	tool string // job.Maven or job.Gradle; empty: the runner reports that there is no build
}

// javaBuild is the build that has the failing tests. gradle says that CI ran them with Gradle: then it
// is a build of Gradle where there is one. Otherwise builds of Maven come first. Of builds in each
// other, it is the outermost of Maven, and the innermost of Gradle, as for the tools themselves.
func javaBuild(sources fs.FS, tests []string, gradle bool) build {
	f := foldersOfBuilds(sources)
	kinds := []struct {
		tool    string
		folders []string
	}{{job.Maven, f.maven}, {job.Gradle, f.settings}, {job.Gradle, f.scripts}}
	if gradle {
		kinds = append(kinds[1:], kinds[0])
	}
	look := newLook(sources, tests)
	for _, k := range kinds {
		for _, f := range k.folders {
			if f == "." || look.holdsAny(f) {
				return build{f, k.tool}
			}
		}
	}
	for _, k := range kinds {
		if len(k.folders) > 0 {
			return build{slices.MinFunc(k.folders, higher), k.tool}
		}
	}
	return build{dir: "."}
}

// folders are the folders with a file of a build tool.
type folders struct {
	maven    []string // the highest first
	settings []string // of Gradle, the lowest first
	scripts  []string // of Gradle, the highest first
}

func foldersOfBuilds(sources fs.FS) folders {
	var out folders
	_ = fs.WalkDir(sources, ".", func(at string, d fs.DirEntry, err error) error {
		dir := path.Dir(at)
		switch {
		case err != nil:
			return nil // an unreadable folder has no build
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && at != "." || d.Name() == "src" || d.Name() == "node_modules" ||
			strings.Count(at, "/") >= 4):
			return fs.SkipDir
		case !d.Type().IsRegular():
		case d.Name() == "pom.xml":
			out.maven = append(out.maven, dir)
		case slices.Contains(gradleSettings, d.Name()):
			out.settings = append(out.settings, dir)
		case slices.Contains(gradleScripts, d.Name()):
			out.scripts = append(out.scripts, dir)
		}
		if len(out.maven)+len(out.settings)+len(out.scripts) > mostBuilds {
			return fs.SkipAll
		}
		return nil
	})
	slices.SortStableFunc(out.maven, higher)
	slices.SortStableFunc(out.settings, func(a, b string) int { return higher(b, a) })
	slices.SortStableFunc(out.scripts, higher)
	return out
}

// mostBuilds bounds the folders with a file of a build.
const mostBuilds = 5_000

func higher(a, b string) int { return depth(a) - depth(b) }

func depth(dir string) int {
	if dir == "." {
		return -1
	}
	return strings.Count(dir, "/")
}

// javaModule is the folder of the module of Maven, or the project of Gradle, that has a file in dir.
// A project of Gradle may have no file of its own: then it is the folder with src.
func javaModule(sources fs.FS, dir string) string {
	above := "" // the nearest folder with src, on the way up
	for ; ; dir = path.Dir(dir) {
		settings := has(sources, dir, gradleSettings...)
		switch {
		case settings && above != "" && !has(sources, dir, "pom.xml"):
			return above
		case settings, has(sources, dir, "pom.xml"), has(sources, dir, gradleScripts...), dir == ".":
			return dir
		case path.Base(dir) == "src" && above == "":
			above = path.Dir(dir)
		}
	}
}

// buildOf is the build of a module, and the module's folder in it: "." is the build's own folder. A
// build of Maven may be part of a larger one, which the runner finds. gradle prefers Gradle where a
// folder has files of both.
func buildOf(sources fs.FS, module string, gradle bool) (b build, in string) {
	gradle = gradle && (has(sources, module, gradleScripts...) || has(sources, module, gradleSettings...))
	if has(sources, module, "pom.xml") && !gradle {
		return build{module, job.Maven}, "."
	}
	for root := module; ; root = path.Dir(root) {
		if has(sources, root, gradleSettings...) {
			in, _ = strings.CutPrefix(strings.TrimPrefix(module, root), "/")
			if root == "." {
				in = module
			}
			if in == "" {
				in = "."
			}
			return build{root, job.Gradle}, in
		}
		if root == "." {
			break
		}
	}
	if has(sources, module, gradleScripts...) {
		return build{module, job.Gradle}, "."
	}
	return build{dir: module}, "."
}

// packageModule is the nearest folder at or above dir that has a package.json.
func packageModule(sources fs.FS, dir string) string {
	for ; dir != "." && !has(sources, dir, "package.json"); dir = path.Dir(dir) {
	}
	return dir
}
