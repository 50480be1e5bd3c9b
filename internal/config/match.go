package config

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Looks reports whether odfix investigates a job of a workflow. The workflow can match by its name
// or by the path of its file.
func (c CI) Looks(workflow, file, job string) bool {
	return (fitsAny(c.Workflows, workflow) || fitsAny(c.Workflows, file) || fitsAny(c.Workflows, path.Base(file))) && fitsAny(c.Jobs, job)
}

// LooksAtCheck is Looks for the check runs and commit statuses of other systems.
func (c CI) LooksAtCheck(name string) bool { return fitsAny(c.Checks, name) }

// fitsAny reports whether a name matches the list. An empty list matches all names.
func fitsAny(patterns []Name, name string) bool {
	return slices.ContainsFunc(patterns, func(p Name) bool { return p.Matches(name) }) || len(patterns) == 0
}

// Matches reports whether a name matches: a * stands for any characters. Each part between stars
// takes the first place where it fits, so no part is looked for twice.
func (n Name) Matches(s string) bool {
	first, rest, starred := strings.Cut(string(n), "*")
	if !starred {
		return s == first
	}
	s, ok := strings.CutPrefix(s, first)
	last := strings.LastIndexByte(rest, '*') + 1
	end := rest[last:]
	if !ok || !strings.HasSuffix(s, end) {
		return false
	}
	s = s[:len(s)-len(end)]
	for part := range strings.SplitSeq(rest[:last], "*") {
		_, after, ok := strings.Cut(s, part)
		if !ok {
			return false
		}
		s = after
	}
	return true
}

// Matches reports whether a file's path from the top of the repository matches. A folder matches
// every file in it.
func (p Path) Matches(file string) bool {
	pattern := strings.TrimSuffix(string(p), "/")
	ok, err := doublestar.Match(pattern, file)
	if err != nil || ok {
		return ok
	}
	ok, _ = doublestar.Match(pattern+"/**", file)
	return ok
}

// MayPatch reports whether a patch may change the file.
func (c Config) MayPatch(file string) bool {
	return !slices.ContainsFunc(c.NeverPatch, func(p Path) bool { return p.Matches(file) })
}

// Module returns the entry of a module's folder, with the command that runs its tests. false means
// that odfix ignores the module.
func (t Tests) Module(folder string) (Module, bool) {
	for _, m := range t.Modules {
		if ok, _ := doublestar.Match(strings.TrimSuffix(string(m.Path), "/"), folder); ok {
			if len(m.Command) == 0 {
				m.Command = t.Command
			}
			return m, true
		}
	}
	return Module{Path: Path(folder), Command: t.Command}, len(t.Modules) == 0
}

// Ignored returns the entry because of which odfix ignores a test now, if any. An entry is valid to
// the end of its last day, UTC. An entry without a method is for every test of the class.
func (c Config) Ignored(test string, now time.Time) (Ignore, bool) {
	today := now.UTC().Format(time.DateOnly)
	for _, e := range c.Ignore {
		all := !strings.Contains(string(e.Test), "#") && (e.Test + "#*").Matches(test)
		if (all || e.Test.Matches(test)) && today <= string(e.Until) {
			return e, true
		}
	}
	return Ignore{}, false
}
