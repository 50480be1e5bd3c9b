package investigate

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
)

// CodeLeftAlone is the code of the error that the configuration excludes all failing tests.
const CodeLeftAlone = "left-alone"

// inModules leaves out the tests of modules that the configuration excludes, and returns the
// command for the others. A test whose source is not found stays: the build knows its module.
func (r *running) inModules(ctx context.Context, sources fs.FS) ([]config.Word, error) {
	if len(r.cfg.Tests.Modules) == 0 {
		return r.cfg.Tests.Command, nil
	}
	homes, err := modulesOf(ctx, sources, r.ev.Tests)
	if err != nil {
		return nil, err
	}
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
		return nil, &job.Error{Code: CodeLeftAlone,
			Message: "none of the failing tests is in a module that the configuration selects (tests.modules)",
			Hint:    "Add their module to tests.modules, if odfix is to look into them."}
	}
	if len(left) > 0 {
		r.ev.Notes = append(r.ev.Notes, fmt.Sprintf("Left alone, since their modules are not among tests.modules: %s",
			strings.Join(left, ", ")))
		if r.ev.Order != nil {
			r.ev.Order.Failed = slices.Clone(r.ev.Tests)
		}
	}
	return command, nil
}

// modulesOf are the folders of the modules, of Maven or npm, with the tests' sources; "." is the
// top. A test without a source has none.
func modulesOf(ctx context.Context, sources fs.FS, tests []string) (map[string]string, error) {
	// tests by the name of their source: it is compared before the path, since a log may name very
	// many tests
	named := map[string][]string{}
	for _, t := range tests {
		name := path.Base(ci.SourcePath(t))
		named[name] = append(named[name], t)
	}
	out, manifest := map[string]string{}, "pom.xml"
	if slices.ContainsFunc(tests, ci.IsJest) {
		manifest = "package.json"
	}
	err := fs.WalkDir(sources, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil // an unreadable folder has no tests
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		source := "/" + strings.TrimSuffix(at, path.Ext(at))
		for _, t := range named[path.Base(source)] {
			if _, known := out[t]; !known && strings.HasSuffix(source, "/"+ci.SourcePath(t)) {
				out[t] = moduleAround(sources, path.Dir(at), manifest)
			}
		}
		return nil
	})
	return out, err
}

// moduleAround is the nearest folder at or above dir that has the manifest, a pom or a package.json.
func moduleAround(sources fs.FS, dir, manifest string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := fs.Lstat(sources, path.Join(dir, manifest)); err == nil {
			break
		}
	}
	return dir
}
