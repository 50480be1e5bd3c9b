package investigate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
)

// CodeLeftAlone is the code of a job that the configuration leaves nothing of.
const CodeLeftAlone = "left-alone"

// inModules leaves out the tests of modules that the configuration does not look
// at, and returns the command for the others. A test whose source is not found
// stays: what it belongs to is the build's to say.
func (r *running) inModules(root string) ([]config.Word, error) {
	if len(r.cfg.Tests.Modules) == 0 {
		return r.cfg.Tests.Command, nil
	}
	homes := modulesOf(root, r.ev.Tests)
	command, named := r.cfg.Tests.Command, false
	var left []string
	r.ev.Tests = slices.DeleteFunc(slices.Clone(r.ev.Tests), func(t string) bool {
		home, found := homes[t]
		m, looked := r.cfg.Tests.Module(home)
		switch {
		case found && !looked:
			left = append(left, t)
			return true
		case found && !named:
			command, named = m.Command, true
		}
		return false
	})
	if len(r.ev.Tests) == 0 {
		return nil, &job.Error{Code: CodeLeftAlone, Message: "none of the failing tests is in a module that the configuration looks at (tests.modules)"}
	}
	if len(left) > 0 {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("Left alone, since their modules are not among tests.modules: %s", strings.Join(left, ", ")))
		if r.ev.Order != nil {
			r.ev.Order.Failed = slices.Clone(r.ev.Tests)
		}
	}
	return command, nil
}

// modulesOf are the folders, from root, of the Maven modules in which tests'
// sources lie; "." is the top. A test that is found nowhere has none.
func modulesOf(root string, tests []string) map[string]string {
	of := map[string][]string{} // tests by the end of their source's path
	for _, t := range tests {
		end := "/" + classPath(t)
		of[end] = append(of[end], t)
	}
	out := map[string]string{}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be read holds no test
		}
		name := strings.TrimSuffix(filepath.ToSlash(path), filepath.Ext(path))
		for end, list := range of {
			if !strings.HasSuffix(name, end) {
				continue
			}
			for _, t := range list {
				if _, known := out[t]; !known {
					out[t] = moduleAround(root, filepath.Dir(path))
				}
			}
		}
		return nil
	})
	return out
}

// moduleAround is the nearest folder upwards that has a pom.
func moduleAround(root, dir string) string {
	for ; dir != root && len(dir) > len(root); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, "pom.xml")); err == nil {
			break
		}
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}

// classPath is the path of a test's outermost class, below its source folder.
func classPath(test string) string {
	if _, inner, ok := strings.Cut(test, ">"); ok {
		test = inner // reached through a suite
	}
	class, _, _ := strings.Cut(test, "#")
	class, _, _ = strings.Cut(class, "$")
	return strings.ReplaceAll(class, ".", "/")
}
