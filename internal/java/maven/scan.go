package maven

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// scanClasses finds test classes as Surefire does, for its versions before
// 2.12.4, which look for them inside the fork only. Patterns are Ant's, of source files.
func scanClasses(dir string, includes, excludes []string) []string {
	var out []string
	walkClasses(dir, "", func(path string) {
		if matchesAny(includes, path) && !matchesAny(excludes, path) {
			out = append(out, strings.ReplaceAll(path, "/", "."))
		}
	})
	return out
}

// walkClasses visits the class files below dir ("a/b/C") in the order in which
// the system lists them, going down into folders as they come, as Surefire does.
func walkClasses(dir, prefix string, visit func(class string)) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(-1)
	f.Close()
	for _, name := range names {
		if class, ok := strings.CutSuffix(name, ".class"); ok {
			visit(prefix + class)
		} else if !strings.Contains(name, ".") {
			walkClasses(filepath.Join(dir, name), prefix+name+"/", visit)
		}
	}
}

func matchesAny(patterns []string, class string) bool {
	for _, p := range patterns {
		p = strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(p), ".java"), ".class")
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if antMatch(strings.Split(p, "/"), strings.Split(class, "/")) {
			return true
		}
	}
	return false
}

// antMatch matches folder by folder; ** stands for any number of them.
func antMatch(pattern, path []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(path) == 0 || !wildcard(pattern[0], path[0]) {
			return false
		}
		pattern, path = pattern[1:], path[1:]
	}
	if len(pattern) == 0 {
		return len(path) == 0
	}
	for i := 0; i <= len(path); i++ {
		if antMatch(pattern[1:], path[i:]) {
			return true
		}
	}
	return false
}

// literal are characters that path.Match would not take as they stand.
var literal = strings.NewReplacer(`\`, `\\`, "[", `\[`)

// wildcard matches one name; * stands for any text, ? for one character.
func wildcard(pattern, name string) bool {
	ok, _ := path.Match(literal.Replace(pattern), name)
	return ok
}
