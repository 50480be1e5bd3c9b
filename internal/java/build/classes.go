package build

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Classes are the compiled classes of a project, by the name of their outermost
// class ("a.b.C"), and which of them name which others.
type Classes struct {
	sources map[string]map[string]bool // by class: the file names that occur in it, including its source file
	names   map[string]map[string]bool // by class: every name that occurs in it
}

// ReadClasses reads the class files in the folders of a class path. It skips libraries.
func ReadClasses(classPath []string) (*Classes, error) {
	c := &Classes{sources: map[string]map[string]bool{}, names: map[string]map[string]bool{}}
	for _, root := range classPath {
		if fi, err := os.Stat(root); err != nil || !fi.IsDir() {
			continue
		}
		err := filepath.WalkDir(root, func(file string, de fs.DirEntry, err error) error {
			if err != nil || de.IsDir() || filepath.Ext(file) != ".class" {
				return err
			}
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			return c.add(file, filepath.ToSlash(rel))
		})
		if err != nil {
			return nil, fmt.Errorf("reading the compiled classes: %w", err)
		}
	}
	return c, nil
}

func (c *Classes) add(file, rel string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	words, err := constants(text)
	if err != nil {
		return nil // not a class file, whatever its name: nothing runs from it
	}
	class, _, _ := strings.Cut(strings.TrimSuffix(rel, ".class"), "$")
	class = strings.ReplaceAll(class, "/", ".")
	if c.names[class] == nil {
		c.names[class], c.sources[class] = map[string]bool{}, map[string]bool{}
	}
	for _, w := range words {
		if ext := path.Ext(w); ext == ".java" || ext == ".kt" || ext == ".groovy" || ext == ".scala" {
			c.sources[class][w] = true
		}
		for _, n := range classNames(w) {
			c.names[class][n] = true
		}
	}
	return nil
}

// classNames returns the class names that a constant may hold: the constant itself, or the types of
// a descriptor or signature.
func classNames(constant string) []string {
	parts := strings.FieldsFunc(constant, func(r rune) bool { return strings.ContainsRune("()[;<>:*+-", r) })
	var out []string
	for _, p := range parts {
		p, _, _ = strings.Cut(p, "$")
		p = strings.ReplaceAll(p, "/", ".")
		out = append(out, p)
		if strings.HasPrefix(strings.TrimLeft(p, "BCDFIJSZV"), "L") {
			out = append(out, strings.TrimLeft(p, "BCDFIJSZV")[1:])
		}
		if i := strings.IndexByte(p, 'L'); i >= 0 {
			out = append(out, p[i+1:])
		}
	}
	return out
}

// From returns the classes that were compiled from the given source files (paths with '/'). rest
// are the files without such classes.
func (c *Classes) From(files []string) (classes map[string]bool, rest []string) {
	classes = map[string]bool{}
	for _, f := range files {
		dir, base := path.Split("/" + f)
		any := false
		for class, sources := range c.sources {
			pkg := ""
			if i := strings.LastIndexByte(class, '.'); i >= 0 {
				pkg = strings.ReplaceAll(class[:i], ".", "/") + "/"
			}
			if sources[base] && strings.HasSuffix(dir, "/"+pkg) {
				classes[class], any = true, true
			}
		}
		if !any {
			rest = append(rest, f)
		}
	}
	return classes, rest
}

// Reaching returns the targets and the classes that name a target, directly or through other
// classes. A name in a string counts, because the class may be loaded by it.
func (c *Classes) Reaching(targets map[string]bool) map[string]bool {
	users := map[string][]string{}
	for class, names := range c.names {
		for n := range names {
			if n != class && c.names[n] != nil {
				users[n] = append(users[n], class)
			}
		}
	}
	out := map[string]bool{}
	work := slices.Collect(maps.Keys(targets))
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if !out[at] {
			out[at] = true
			work = append(work, users[at]...)
		}
	}
	return out
}

var errNoClass = errors.New("no class file")

// constants returns the texts in the constant pool of a class file (The Java Virtual Machine
// Specification, section 4.4).
func constants(data []byte) ([]string, error) {
	c := classFile{rest: data}
	if c.u32() != 0xCAFEBABE {
		return nil, errNoClass
	}
	c.skip(4) // version
	pool := c.constants()
	if c.short {
		return nil, errNoClass
	}
	var out []string
	for _, entry := range pool {
		if entry.name == 0 { // no module
			out = append(out, entry.text)
		}
	}
	return out, nil
}
