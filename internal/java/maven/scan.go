package maven

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// scanClasses finds test classes as Surefire does. Versions before 2.12.4 search for them only
// inside the fork. Patterns are Ant's and match source files.
func scanClasses(dir string, includes, excludes []string) []string {
	var out []string
	walkClasses(dir, "", func(path string) {
		if matchesAny(includes, path) && !matchesAny(excludes, path) {
			out = append(out, strings.ReplaceAll(path, "/", "."))
		}
	})
	return out
}

// walkClasses visits the class files below dir ("a/b/C") in the order in which the system lists
// them. It enters folders as they come, as Surefire does.
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
		if ok, _ := doublestar.Match(literal.Replace(p), class); ok {
			return true
		}
	}
	return false
}

// literal escapes characters without meaning in Ant's patterns.
var literal = strings.NewReplacer(`\`, `\\`, "[", `\[`, "{", `\{`)
