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
	command, named, of := r.cfg.Tests.Command, false, selected{tests: r.cfg.Tests}
	var left []string
	r.ev.Tests = slices.DeleteFunc(slices.Clone(r.ev.Tests), func(t string) bool {
		home, found := homes[t]
		m, looked := of.module(ctx, home)
		switch {
		case found && !looked:
			left = append(left, t)
			return true
		case found && !named:
			command, named = m.Command, true
		}
		return false
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
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

// selected looks for the entries of modules, once for each folder: the configuration and the folder's name
// can be such that this takes long.
type selected struct {
	tests config.Tests
	known map[string]entry
}

type entry struct {
	module config.Module
	looked bool
}

// module is Tests.Module. After the context's end it finds nothing.
func (s *selected) module(ctx context.Context, folder string) (config.Module, bool) {
	found, known := s.known[folder]
	if !known && ctx.Err() == nil {
		found.module, found.looked = s.tests.Module(folder)
		if s.known == nil {
			s.known = map[string]entry{}
		}
		s.known[folder] = found
	}
	return found.module, found.looked
}

// mostFolders is how many folders the path of a source can have.
const mostFolders = 64

// modulesOf are the folders of the modules, of Maven, Gradle or npm, with the tests' sources; "." is
// the top. A test without a source has none.
func modulesOf(ctx context.Context, sources fs.FS, tests []string) (map[string]string, error) {
	bySource := map[string][]string{}
	for _, t := range tests {
		source := ci.SourcePath(t)
		bySource[source] = append(bySource[source], t)
	}
	out, module := map[string]string{}, javaModule
	if slices.ContainsFunc(tests, ci.IsJest) {
		module = packageModule
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
		// The source of a test is one of the ends of the file's path. The tests of a class that is
		// found are not looked for again.
		source, more := strings.TrimSuffix(at, path.Ext(at)), true
		for n := 0; more && n < mostFolders; n++ {
			if found := bySource[source]; len(found) > 0 {
				home := module(sources, path.Dir(at))
				for _, t := range found {
					out[t] = home
				}
				delete(bySource, source)
			}
			_, source, more = strings.Cut(source, "/")
		}
		return nil
	})
	return out, err
}
