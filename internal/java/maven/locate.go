package maven

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// layout holds folders of the checkout. All paths are absolute and free of symbolic links.
type layout struct {
	start   string // folder of the pom nearest to the folder in which odfix was started
	reactor string // folder of the topmost pom that lists start as a module, directly or not
	base    string // what is copied: reactor and the parent poms it reads
	anchor  string // the git work tree around base, or base itself; the copy's root corresponds to it
	git     string // the .git of anchor (folder or file), or ""
}

// Check returns why odfix cannot work on a project around dir, without building anything. It
// returns nil if there is such a project. Its errors are of type *Error.
func Check(dir string) error {
	_, err := locate(dir)
	return err
}

// locate finds the project around dir.
func locate(dir string) (layout, error) {
	dir = cmp.Or(dir, ".")
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return layout{}, &Error{Code: CodeNoPom, Message: "there is no folder " + dir, Hint: "Name the folder of a Maven project."}
	}
	if fi, err := os.Stat(abs); err == nil && !fi.IsDir() {
		abs = filepath.Dir(abs)
	}
	start, err := nearestPom(abs)
	if err != nil {
		return layout{}, err
	}
	l := layout{start: start, reactor: start, base: start}
	if err := l.climb(); err != nil {
		return layout{}, err
	}
	l.anchor = l.base
	for d := l.base; ; d = filepath.Dir(d) {
		if exists(filepath.Join(d, ".git")) {
			l.anchor, l.git = d, filepath.Join(d, ".git")
		}
		if l.git != "" || d == filepath.Dir(d) {
			return l, nil
		}
	}
}

// climb follows aggregators and parents upwards. All poms on this path are part of the build.
func (l *layout) climb() error {
	dir := l.start
	for range 32 {
		p, err := readPom(filepath.Join(dir, "pom.xml"))
		if err != nil {
			return &Error{Code: CodeBroken, Message: "cannot read " + filepath.Join(dir, "pom.xml"),
				Hint: "Fix the pom; Maven cannot read it either.", Detail: err.Error()}
		}
		for _, m := range p.modules() {
			l.base = commonFolder(l.base, filepath.Dir(filepath.Join(dir, filepath.FromSlash(m), "pom.xml")))
		}
		next := l.above(p, dir)
		if next == "" {
			return nil
		}
		dir = next
	}
	return nil
}

// above returns the folder of the next pom above the one in dir: its aggregator, or else its parent
// on disk.
func (l *layout) above(p *pom, dir string) string {
	for _, file := range []string{filepath.Join(filepath.Dir(dir), "pom.xml"), p.parentFile(dir)} {
		if file == "" || filepath.Dir(file) == dir {
			continue
		}
		up, err := readPom(file)
		if err != nil {
			continue
		}
		above := filepath.Dir(file)
		aggregates := up.has(above, dir)
		if !aggregates && (file != p.parentFile(dir) || up.ArtifactID != p.Parent.ArtifactID) {
			continue
		}
		l.base = commonFolder(l.base, above)
		if aggregates && l.reactor == dir {
			l.reactor = above
		}
		return above
	}
	return ""
}

func nearestPom(dir string) (string, error) {
	var other string
	for d := dir; ; d = filepath.Dir(d) {
		if exists(filepath.Join(d, "pom.xml")) {
			return d, nil
		}
		for name, tool := range map[string]string{"build.gradle": "Gradle", "build.gradle.kts": "Gradle", "settings.gradle": "Gradle",
			"settings.gradle.kts": "Gradle", "package.json": "npm", "build.xml": "Ant", "BUILD.bazel": "Bazel", "build.sbt": "sbt"} {
			if other == "" && exists(filepath.Join(d, name)) {
				other = tool
			}
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if other != "" {
		return "", &Error{Code: CodeNotYet, Message: dir + " is built by " + other + ", which odfix does not support yet",
			Hint: "odfix works on projects of Maven (pom.xml) and of Jest (package.json)."}
	}
	return "", &Error{Code: CodeNoPom, Message: "there is no pom.xml and no package.json in " + dir + " or above it",
		Hint: "Run odfix in a project of Maven or Jest, or name its folder."}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// commonFolder is the deepest folder that holds both.
func commonFolder(a, b string) string {
	for !within(b, a) && a != filepath.Dir(a) {
		a = filepath.Dir(a)
	}
	return a
}

// within reports whether path is dir or is below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// rebase moves a path from below one folder to below another. It returns other paths unchanged.
func rebase(path, from, to string) string {
	if !within(path, from) {
		return path
	}
	return to + path[len(from):]
}
