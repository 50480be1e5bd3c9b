package jest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
)

// restores reports whether a statement can be one of ours. A report may hold others, such as one that
// ends the test, or changes how it checks. Functions are those that the file gives its mocks and
// variables. A value that is kept from before the test may only be put back where it was.
func (o *outline) restores(s statement, text string, made *patch.Made) bool {
	for _, f := range made.Fields {
		if name, _, _ := strings.Cut(f, " = "); slices.Contains(s.Uses, name) && s.Type != "IfStatement" {
			return putsBack(text, f)
		}
	}
	checks := o.checksWith()
	return s.Ours && !slices.ContainsFunc(s.Uses, func(n string) bool { return checks[n] }) &&
		!slices.ContainsFunc(s.Functions, func(f string) bool { return !o.inVariable(f) }) &&
		!slices.ContainsFunc(s.Called, func(path string) bool {
			root, member, _ := strings.Cut(path, ".")
			return (root == o.whole("fs") || root == o.whole("node:fs")) && member != "rmSync"
		})
}

// putsBack reports whether a statement puts back what a field keeps: path = name of name = path.
func putsBack(statement, field string) bool {
	name, path, _ := strings.Cut(field, " = ")
	return keepable(path) && strings.TrimSuffix(strings.TrimSpace(statement), ";") == path+" = "+name
}

// inVariable reports whether a text is a part of the value of a variable of the file.
func (o *outline) inVariable(text string) bool {
	in := false
	o.eachVariable(func(v variable) {
		in = in || strings.Contains(v.Init, text) && !strings.Contains(v.Init, "//") && !strings.Contains(v.Init, "/*")
	})
	return in
}

// alone reports whether the text of an entry is one statement of several that were parsed, or the pair that
// odfix writes: a call, and that the mock called forgets it.
func alone(text string, parsed []statement) bool {
	m := resetAndForget.FindStringSubmatch(text)
	return len(parsed) == 1 || len(parsed) == 2 && m != nil && m[1] == m[2]
}

var resetAndForget = regexp.MustCompile(`^([\w$.]+)\(\);?\s+([\w$.]+)\.mockClear\(\);?$`)

// keepable reports whether hooks may keep what is at an access path, and put it back.
func keepable(path string) bool {
	return member.MatchString(path) && !unkept.MatchString(path)
}

// unkept is what tests check with, and what loads or makes other code.
var unkept = regexp.MustCompile(`^((global|globalThis|window|self|parent|top|frames)\.)*((expect|it|test|describe|assert|jest|require|module|eval|Function)\b|` +
	`process\.(binding|mainModule)\b)|\b(defaultView|constructor|__proto__|expect)\b`)

// importable reports whether an import names what a module can export, by a path without quotes.
func importable(i patch.Import) bool {
	name := i.Name == "*" || identifier.MatchString(i.Name)
	return name && (i.As == "" || identifier.MatchString(i.As)) && modulePath.MatchString(i.Module)
}

var modulePath = regexp.MustCompile("^[^'\"`\\\\\\x00-\\x1f]+$")

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
	o.eachVariable(func(v variable) { out[v.Name] = out[v.Name] || alias.MatchString(v.Init) })
	return out
}

// eachVariable visits the variables of the file and of its blocks.
func (o *outline) eachVariable(visit func(variable)) {
	var walk func(b *block)
	walk = func(b *block) {
		for _, v := range b.Variables {
			visit(v)
		}
		for _, c := range b.Children {
			walk(c)
		}
	}
	walk(o.Root)
}
