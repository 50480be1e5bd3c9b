package jest

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/harness"
)

// calls are those by which test files may reset state, and what the files import, as observing processes
// have found them.
type calls struct {
	mu      sync.Mutex
	of      map[string][]harness.Call // by test file
	imports map[string][]harness.Imported
}

// maxFileCalls bounds the calls that are kept of a file.
const maxFileCalls = 200

// add adds calls of a file. Each run may set other variables.
func (c *calls) add(file string, list []harness.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string][]harness.Call{}
	}
	for _, n := range list {
		known := slices.ContainsFunc(c.of[file], func(o harness.Call) bool { return o.Function == n.Function && slices.Equal(o.Blocks, n.Blocks) })
		if !known && accessPath.MatchString(n.Function) && resetName.MatchString(lastName(n.Function)) && len(c.of[file]) < maxFileCalls {
			c.of[file] = append(c.of[file], n)
		}
	}
}

// at are the statements that code beside a test can execute: those with the shortest access paths first,
// and of these the likeliest names.
func (c *calls) at(f *found) (statements []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.of[f.o.file] {
		if f.inside(n.Blocks) {
			statements = append(statements, n.Function+"()")
		}
	}
	slices.SortStableFunc(statements, func(a, b string) int {
		return cmp.Or(strings.Count(a, ".")-strings.Count(b, "."), rank(a)-rank(b))
	})
	return statements
}

// addImports adds what a file imports.
func (c *calls) addImports(file string, list []harness.Imported) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.imports == nil {
		c.imports = map[string][]harness.Imported{}
	}
	for _, n := range list {
		known := slices.ContainsFunc(c.imports[file], func(o harness.Imported) bool { return reflect.DeepEqual(n, o) })
		if !known && accessible.MatchString(n.Path) && len(c.imports[file]) < maxFileCalls {
			c.imports[file] = append(c.imports[file], n)
		}
	}
}

// importsOf reports whether it is known which objects of other files a file imports.
func (c *calls) importsOf(file string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.imports[file]) > 0
}

// imported are the ways by which code beside a test reaches what has the access path in another file, the
// shortest first.
func (c *calls) imported(f *found, file, path string) (out []string) {
	first, rest := cutPath(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.imports[f.o.file] {
		if n.File == file && n.Variable == first && f.inside(n.Blocks) {
			out = append(out, n.Path+rest)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(a) - len(b) })
	return out
}

// rank is the position of the name of the function called in the pattern.
func rank(call string) int {
	name := call[strings.LastIndexByte(call, '.')+1:]
	return strings.Index(resetNames, strings.ToLower(strings.TrimLeft(resetName.FindString(name), "_")))
}

// inside reports whether the describe blocks are around the test. Instead of a title, … is any, and so is
// one that is computed.
func (f *found) inside(titles []string) bool {
	groups := f.blocks[1:]
	if len(titles) > len(groups) {
		return false
	}
	for i, title := range titles {
		if text := groups[i].Title.Text; title != "…" && text != "" && title != text {
			return false
		}
	}
	return true
}
