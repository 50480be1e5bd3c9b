package jest

import (
	"regexp"
	"slices"
	"strings"
)

// restores reports whether a statement can be one of ours. A report may hold others, such as one that
// ends the test, or changes how it checks. Functions are those that the file gives its mocks and
// variables.
func (o *outline) restores(s statement) bool {
	checks := o.checksWith()
	return s.Ours && !slices.ContainsFunc(s.Uses, func(n string) bool { return checks[n] }) &&
		!slices.ContainsFunc(s.Functions, func(f string) bool { return !strings.Contains(o.text, f) }) &&
		!slices.ContainsFunc(s.Called, func(path string) bool {
			root, member, _ := strings.Cut(path, ".")
			return (root == o.whole("fs") || root == o.whole("node:fs")) && member != "rmSync"
		})
}

// checking are the modules by which tests check, and what begins the value of a variable of the kind.
var (
	checking = regexp.MustCompile(`^(node:)?assert(/strict)?$|^(chai|expect|@jest/globals|vitest|should|sinon)$`)
	alias    = regexp.MustCompile(`^(expect|it|test|describe|assert)\b|^(jest|process|require|global|globalThis|window)$`)
)

// checksWith are the names of the file for what tests check with, and for what odfix's own statements do
// not use under another name.
func (o *outline) checksWith() map[string]bool {
	out := map[string]bool{}
	for _, i := range o.Imports {
		for _, n := range i.Names {
			if checking.MatchString(i.From) && n.Local != "jest" {
				out[n.Local] = true
			}
		}
	}
	var walk func(b *block)
	walk = func(b *block) {
		for _, v := range b.Variables {
			out[v.Name] = out[v.Name] || alias.MatchString(v.Init)
		}
		for _, c := range b.Children {
			walk(c)
		}
	}
	walk(o.Root)
	return out
}
