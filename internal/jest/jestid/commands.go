package jestid

import (
	"strings"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// sequencer is the name of the file that sorts test files for Jest.
const sequencer = "odfix-sequencer.cjs"

// Jest is an order for Jest. A sequencer puts the files in order, and one process runs them. The
// tests of a file run in the file's own order.
func Jest(o, original suite.Order) order.Command {
	at, seen, last := order.Positions(original), map[string]bool{}, -1
	c := order.Command{File: sequencer, Exact: true}
	var files, names []string
	for i, t := range o {
		file := File(t)
		position, known := at[t]
		if i == 0 || file != files[len(files)-1] {
			c.Exact = c.Exact && !seen[file]
			seen[file] = true
			files = append(files, file)
		} else if len(original) > 0 && (!known || position < last) {
			c.Exact = false
		}
		last = position
		if name := FullName(t); name != "" {
			names = append(names, Escape(name))
		}
	}
	if !c.Exact {
		c.Why = "Jest runs each file once, and its tests in the file's own order"
	}
	c.Text = sequencerText(files)
	c.Args = append([]string{"npx", "jest", "--runInBand", "--testSequencer=./" + sequencer, "--runTestsByPath"}, files...)
	if len(names) > 0 {
		c.Args = append(c.Args, "-t", "^("+strings.Join(names, "|")+")$")
	}
	return c
}

// Escape makes a name a regular expression of JavaScript that fits just it.
func Escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\^$.|?*+()[]{}/`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func sequencerText(files []string) string {
	var b strings.Builder
	b.WriteString("const Sequencer = require('@jest/test-sequencer').default;\nconst files = [\n")
	for _, f := range files {
		b.WriteString("  " + javaScript(f) + ",\n")
	}
	b.WriteString("];\nconst place = (t) => files.findIndex((f) => t.path.replaceAll('\\\\', '/').endsWith('/' + f));\n" +
		"module.exports = class extends Sequencer {\n  sort(tests) { return [...tests].sort((a, b) => place(a) - place(b)); }\n};\n")
	return b.String()
}

// javaScript is a string literal.
func javaScript(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(s) + "'"
}
