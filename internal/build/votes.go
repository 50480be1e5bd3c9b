package build

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// votes are the failing tests whose sources each module has: files named like their classes or, where there is none for
// any test, files that declare them.
func (p *Project) votes(modules []mavenModule) (map[string]map[string]bool, error) {
	for _, has := range []func(file, class string) bool{isNamed, p.declares} {
		if votes := p.votesBy(modules, has); len(votes) > 0 {
			return votes, nil
		}
	}
	if len(p.opts.Tests) == 0 || p.layout.start != p.layout.reactor {
		return nil, nil
	}
	class := readings(p.opts.Tests[0])[0]
	return nil, &Error{Code: CodeModule, Message: "no source of the project declares the class " + class,
		Hint: "Classes, nearest names first: " + strings.Join(p.nearestClasses(class), ", ") + ". Where its source is generated, name its module with --module."}
}

// votesBy are the tests that each module has a source of, as has tells.
func (p *Project) votesBy(modules []mavenModule, has func(file, class string) bool) map[string]map[string]bool {
	votes := map[string]map[string]bool{}
	for _, t := range p.opts.Tests {
		for _, class := range readings(t) {
			found := false
			for file := range p.files {
				if !isSource(file) || !has(file, class) {
					continue
				}
				m := p.moduleOfFile(file, modules)
				if votes[m] == nil {
					votes[m] = map[string]bool{}
				}
				votes[m][t], found = true, true
			}
			if found {
				break
			}
		}
	}
	return votes
}

// isNamed reports whether the file is named like the class, as its source is by custom.
func isNamed(file, class string) bool {
	stem, class := strings.TrimSuffix(file, path.Ext(file)), strings.ReplaceAll(class, ".", "/")
	return stem == class || strings.HasSuffix(stem, "/"+class)
}

// maxSource is how large a source file may be to be looked into.
const maxSource = 4 << 20

// declares reports whether the file declares a class of that simple name in the class's package: Java and more so Kotlin
// have several in a file.
func (p *Project) declares(file, class string) bool {
	full := filepath.Join(p.layout.anchor, filepath.FromSlash(file))
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return false
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return false
	}
	dot := strings.LastIndexByte(class, '.')
	if dot > 0 && !bytes.Contains(text, []byte(class[:dot])) {
		return false
	}
	declaration, err := regexp.Compile(`\b(class|interface|record|object)\s+` + regexp.QuoteMeta(class[dot+1:]) + `\b`)
	return err == nil && declaration.Match(text)
}

// nearestClasses are those of the project's sources with a name like that of the class.
func (p *Project) nearestClasses(class string) []string {
	var names []string
	for _, file := range p.files.paths() {
		if isSource(file) {
			names = append(names, strings.TrimSuffix(path.Base(file), path.Ext(file)))
		}
	}
	names = nearest(names, class[strings.LastIndexByte(class, '.')+1:])
	return names[:min(len(names), 3)]
}

// readings are the classes whose source file a test may lie in, the likeliest first: "a.B" for "a.B$C#m" and "a.All>a.B#m".
// What follows a class behind a dot may be its method or a class in it: "a.B.m" is "a.B.m" or "a.B".
func readings(test string) []string {
	class, _, _ := strings.Cut(test, "#")
	if i := strings.LastIndexByte(class, '>'); i >= 0 {
		class = class[i+1:]
	}
	if i := strings.IndexByte(class, '$'); i > 0 {
		class = class[:i]
	}
	out := []string{class}
	for i := strings.LastIndexByte(class, '.'); i > 0 && likeClass(class[:i]); i = strings.LastIndexByte(class, '.') {
		class = class[:i]
		out = append(out, class)
	}
	return out
}

// likeClass reports whether a dotted name ends as names of classes do, and not as those of packages.
func likeClass(name string) bool {
	r, _ := utf8.DecodeRuneInString(name[strings.LastIndexByte(name, '.')+1:])
	return unicode.IsUpper(r)
}
