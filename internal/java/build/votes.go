package build

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// votes returns, for each module, the failing tests of which it has sources. Sources are files with
// the names of the tests' classes. If no test has such a file, they are files that declare the
// classes.
func (w *Workspace) votes(ctx context.Context, modules []Module, elsewhere bool) (map[string]map[string]bool, error) {
	for _, sources := range []func(context.Context) (map[string][]string, error){w.named, w.declared} {
		files, err := sources(ctx)
		if err != nil {
			return nil, err
		}
		if votes := w.votesBy(modules, files); len(votes) > 0 {
			return votes, nil
		}
	}
	return nil, w.undeclared(elsewhere)
}

// votesBy returns the tests of which each module has a source. files maps classes to their source
// files.
func (w *Workspace) votesBy(modules []Module, files map[string][]string) map[string]map[string]bool {
	votes := map[string]map[string]bool{}
	for _, t := range w.Opts.Tests {
		all := PossibleClasses(t)
		i := slices.IndexFunc(all, func(class string) bool { return len(files[class]) > 0 })
		if i < 0 {
			continue
		}
		for _, file := range files[all[i]] {
			m := w.moduleOfFile(file, modules)
			if votes[m] == nil {
				votes[m] = map[string]bool{}
			}
			votes[m][t] = true
		}
	}
	return votes
}

// named maps each class that a test may belong to, to the files with the name of the class.
func (w *Workspace) named(context.Context) (map[string][]string, error) {
	files := map[string][]string{}
	for class := range w.allPossibleClasses() {
		suffix := "/" + strings.ReplaceAll(class, ".", "/")
		for file := range w.files {
			if isSource(file) && strings.HasSuffix("/"+strings.TrimSuffix(file, path.Ext(file)), suffix) {
				files[class] = append(files[class], file)
			}
		}
	}
	return files, nil
}

// declared maps each class that a test may belong to, to the files that declare it. If the test's
// name has a package, the file must be in that package. In Java and more often in Kotlin, a file
// declares several classes.
func (w *Workspace) declared(ctx context.Context) (map[string][]string, error) {
	files, wanted := map[string][]string{}, w.allPossibleClasses()
	if len(wanted) == 0 {
		return nil, nil
	}
	for file := range w.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !isSource(file) {
			continue
		}
		for class := range w.declaredIn(file) {
			if wanted[class] {
				files[class] = append(files[class], file)
			}
		}
	}
	return files, nil
}

// maxSource bounds the size of a source file that is searched.
const maxSource = 4 << 20

var (
	packageClause = regexp.MustCompile("(?m)^[\\s\\x{feff}]*package\\s+([\\w.`]+)")
	declaration   = regexp.MustCompile(`\b(?:class|interface|record|object)\s+([\pL_$][\pL\pN_$]*)`)
)

// declaredIn returns the classes that a source file declares, by their simple names and with the
// file's package.
func (w *Workspace) declaredIn(file string) map[string]bool {
	full := filepath.Join(w.At.Anchor, filepath.FromSlash(file))
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil
	}
	text, err := os.ReadFile(full)
	if err != nil {
		return nil
	}
	prefix := ""
	if m := packageClause.FindSubmatch(text); m != nil {
		prefix = strings.ReplaceAll(string(m[1]), "`", "") + "."
	}
	classes := map[string]bool{}
	for _, m := range declaration.FindAllSubmatchIndex(text, -1) {
		if !inComment(text[:m[0]]) {
			name := string(text[m[2]:m[3]])
			classes[name], classes[prefix+name] = true, true
		}
	}
	return classes
}

// inComment reports whether a text seems to end in a comment. It looks only at the last line.
func inComment(text []byte) bool {
	line := string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
	return strings.Contains(" "+line, " //") ||
		(strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/*")) && !strings.Contains(line, "*/")
}

// undeclared returns the error if no source declares the classes of the failing tests. It returns
// nil if the build may still find them: the name may not name a class, the class may come from
// elsewhere, or odfix was started in its module.
func (w *Workspace) undeclared(elsewhere bool) error {
	if len(w.Opts.Tests) == 0 || w.At.Start != w.At.Root || elsewhere {
		return nil
	}
	for _, t := range w.Opts.Tests {
		if certainClass(t) == "" {
			return nil
		}
	}
	class := certainClass(w.Opts.Tests[0])
	return &Error{Code: CodeModule, Message: "no source of the project declares the class " + class,
		Hint: "Classes, nearest names first: " + strings.Join(w.nearestClasses(class), ", ") +
			". Where its source is generated, name its module: with --module or, for the GitHub App, under tests.modules in .odfix.yml."}
}

// nearestClasses returns the names of the project's source files that are most similar to the
// class.
func (w *Workspace) nearestClasses(class string) []string {
	var names []string
	for _, file := range w.files.paths() {
		if isSource(file) {
			names = append(names, strings.TrimSuffix(path.Base(file), path.Ext(file)))
		}
	}
	names = nearest(names, class[strings.LastIndexByte(class, '.')+1:])
	return names[:min(len(names), 3)]
}

// Lacks reports whether one of the requested tests is in none of the classes, or there are none.
func (w *Workspace) Lacks(classes []string) bool {
	known := map[string]bool{}
	for _, c := range classes {
		known[c], known[c[strings.LastIndexByte(c, '.')+1:]] = true, true
	}
	return len(known) == 0 || slices.ContainsFunc(w.Opts.Tests, func(t string) bool {
		return !slices.ContainsFunc(PossibleClasses(t), func(c string) bool { return known[c] })
	})
}

// PossibleClasses returns the classes whose source file may hold a test, the likeliest first: "a.B"
// for "a.B$C#m" and "a.All>a.B#m". A part after a class and a dot may be a method or a class:
// "a.B.m(int)" gives "a.B.m" and "a.B".
func PossibleClasses(test string) []string {
	class := classPart(test)
	out := []string{class}
	for i := strings.LastIndexByte(class, '.'); i > 0 && likeClass(class[:i]); i = strings.LastIndexByte(class, '.') {
		class = class[:i]
		out = append(out, class)
	}
	return out
}

// allPossibleClasses returns the PossibleClasses of all failing tests.
func (w *Workspace) allPossibleClasses() map[string]bool {
	all := map[string]bool{}
	for _, t := range w.Opts.Tests {
		for _, class := range PossibleClasses(t) {
			all[class] = true
		}
	}
	return all
}

// classPart returns the class in a test's name, without "#", parameters and nested classes. A
// method may follow after a dot.
func classPart(test string) string {
	class := strings.TrimSpace(test)
	if i := strings.IndexAny(class, "#([{"); i >= 0 {
		class = strings.TrimSpace(class[:i])
	}
	if i := strings.LastIndexByte(class, '>'); i >= 0 {
		class = class[i+1:]
	}
	if i := strings.IndexByte(class, '$'); i > 0 {
		class = class[:i]
	}
	return class
}

// certainClass returns the outermost class that a test's name certainly holds, or "".
func certainClass(test string) string {
	all := PossibleClasses(test)
	if class := all[len(all)-1]; likeClass(class) || strings.HasPrefix(strings.TrimSpace(test), class+"#") {
		return class
	}
	return ""
}

// likeClass reports whether the last part of a dotted name begins with an upper-case letter, as
// names of classes do.
func likeClass(name string) bool {
	r, _ := utf8.DecodeRuneInString(name[strings.LastIndexByte(name, '.')+1:])
	return unicode.IsUpper(r)
}
