package accept

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/odfix/odfix/internal/patch"
)

// pom is what a pom.xml says about folders of sources. Properties, and parents outside of the commit,
// are not looked at.
type pom struct {
	Parent *struct {
		Path *string `xml:"relativePath"`
	} `xml:"parent"`
	Main string `xml:"build>sourceDirectory"`
	Test string `xml:"build>testSourceDirectory"`
	plugins
	Profiles []plugins `xml:"profiles>profile"`
}

type plugins struct {
	Plugins []plugin `xml:"build>plugins>plugin"`
	Managed []plugin `xml:"build>pluginManagement>plugins>plugin"`
}

type plugin struct {
	Name       string      `xml:"artifactId"`
	Executions []execution `xml:"executions>execution"`
	Sources    []string    `xml:"configuration>sources>source"`
}

type execution struct {
	Goals   []string `xml:"goals>goal"`
	Sources []string `xml:"configuration>sources>source"`
}

func (e execution) has(goal string) bool {
	return slices.ContainsFunc(e.Goals, func(g string) bool { return strings.TrimSpace(g) == goal })
}

// The folders of Maven's convention.
const (
	testFolder = "src/test"
	mainFolder = "src/main"
)

// Bounds of what is read for one module.
const (
	maxRoots   = 1000 // folders of production code
	maxParents = 20   // poms from which it inherits
	maxPom     = maxSource / 4
	perPom     = 10 // times its text is what a pom takes while it is read
)

// folders is what is kept of a pom: its folders as it gives them, and the parent that it names.
type folders struct {
	parent     string // "": none
	main, test string
	mains      []string // further ones
	tests      []string
}

// roots are the folders of a module's sources, relative to the module.
type roots struct {
	tests, mains []string
	// undecided says that mains may lack some: a folder has a property in it, say. Then tests has only
	// the one of Maven's convention.
	undecided bool
	ok        bool // else one of the poms is a link, cannot be read or understood, or too much was read before
}

// rootsOf reads the poms of a module, of the folders above it, and of parents that they name. A pom can
// add folders for tests whose paths say so, and never one that holds, or is in, production code.
func (s *sources) rootsOf(module string) roots {
	r, known := s.roots[module]
	if !known {
		r = s.readRoots(module)
		s.roots[module] = r
	}
	return r
}

func (s *sources) readRoots(module string) roots {
	r := roots{tests: []string{testFolder}, mains: []string{mainFolder}}
	poms, ok := s.inherited(module)
	if !ok {
		return r
	}
	test, main := "", ""
	var added []string
	for _, p := range poms {
		test, main = cmp.Or(test, p.test), cmp.Or(main, p.main)
		added = append(added, p.tests...)
		for _, f := range p.mains {
			r.main(f)
		}
		if len(r.mains) > maxRoots {
			return r
		}
	}
	if r.ok = true; main != "" {
		r.main(main)
	}
	if r.undecided {
		return r
	}
	for _, f := range append([]string{test}, head(added, maxList)...) {
		root := folder(f)
		holds := func(main string) bool {
			return below(root+"/", main) || below(main+"/", root)
		}
		if root != "" && saysTest(root) && !slices.ContainsFunc(r.mains, holds) {
			r.tests = append(r.tests, root)
		}
	}
	return r
}

// main adds a folder of production code as a pom gives it. What the build makes is no source of the
// commit, and what is below src/main is known.
func (r *roots) main(f string) {
	root := folder(f)
	switch f = strings.TrimSpace(f); {
	case root != "":
		r.mains = append(r.mains, root)
	case f != "${project.build.directory}" && !strings.HasPrefix(f, "${project.build.directory}/") && !strings.Contains("/"+f+"/", "/"+mainFolder+"/"):
		r.undecided = true
	}
}

// saysTest reports whether a folder's first name says that it has tests; its second name, if the first
// is src.
func saysTest(root string) bool {
	first, rest, _ := strings.Cut(root, "/")
	if first == "src" {
		first, _, _ = strings.Cut(rest, "/")
	}
	return says.MatchString("/" + first + "/")
}

// inherited are the poms from which a module inherits, its own first: those that it names as parents,
// and those of the folders above.
func (s *sources) inherited(module string) ([]*folders, bool) {
	var out []*folders
	seen := map[string]bool{}
	var add func(file string) bool
	add = func(file string) bool {
		if seen[file] || len(out) == maxParents {
			return len(out) < maxParents
		}
		seen[file] = true
		p, ok := s.pom(file)
		if !ok || p == nil {
			return ok
		}
		out = append(out, p)
		parent := path.Join(path.Dir(file), p.parent)
		if p.parent == "" || !patch.Local(parent) && parent != "." {
			return true
		}
		if s.folder(parent) {
			parent = path.Join(parent, "pom.xml")
		}
		return add(parent)
	}
	for dir := module; ; dir = path.Dir(dir) {
		if !add(path.Join(dir, "pom.xml")) {
			return nil, false
		}
		if dir == "." {
			return out, true
		}
	}
}

// pom reads a pom; nil: there is none. false: it is no regular file, is too large or cannot be
// understood, or too much was read before.
func (s *sources) pom(file string) (*folders, bool) {
	kept, known := s.poms[file]
	if known {
		return kept, kept != unreadable
	}
	if _, err := fs.Lstat(s.all, file); err != nil {
		s.poms[file] = nil
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	text := ""
	if s.regular(file) {
		text = readFile(s.all, file)
	}
	var p pom
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader, d.Entity = charset.NewReaderLabel, xml.HTMLEntity
	kept = unreadable
	if len(text) <= maxPom && s.take(perPom*len(text)) && d.Decode(&p) == nil {
		kept = &folders{main: strings.TrimSpace(p.Main), test: strings.TrimSpace(p.Test), mains: head(p.addedMains(), maxRoots+1),
			tests: head(p.addedTests(), maxList)}
		if p.Parent != nil {
			kept.parent = "../pom.xml"
			if p.Parent.Path != nil {
				kept.parent = strings.TrimSpace(*p.Parent.Path)
			}
		}
		s.left += perPom*len(text) - len(text) // what was needed while it was read
	}
	s.poms[file] = kept
	return kept, kept != unreadable
}

// unreadable stands for a pom that cannot be read.
var unreadable = &folders{}

// addedTests are the folders that a pom adds for tests.
func (p pom) addedTests() (out []string) {
	for _, x := range p.Plugins {
		for _, e := range x.Executions {
			if x.adds() && e.has("add-test-source") {
				out = append(out, e.Sources...)
			}
		}
	}
	return out
}

// addedMains are the folders that a pom may add for production code: in a profile, or in a configuration
// of the plugin, too.
func (p pom) addedMains() (out []string) {
	of := func(all []plugin) {
		for _, x := range all {
			for _, e := range x.Executions {
				if x.adds() && e.has("add-source") {
					out = append(append(out, e.Sources...), x.Sources...)
				}
			}
		}
	}
	of(p.Plugins)
	of(p.Managed)
	for _, profile := range p.Profiles {
		of(profile.Plugins)
		of(profile.Managed)
	}
	return out
}

// adds reports whether it is the plugin that adds folders of sources.
func (x plugin) adds() bool { return strings.TrimSpace(x.Name) == "build-helper-maven-plugin" }

// folder is a folder of a pom, relative to its module; "" if it is none that can be decided.
func folder(f string) string {
	f = strings.TrimSpace(strings.ReplaceAll(f, `\`, "/"))
	for _, base := range []string{"${project.basedir}/", "${basedir}/", "./"} {
		f = strings.TrimPrefix(f, base)
	}
	if f = path.Clean(f); !patch.Local(f) || strings.Contains(f, "$") {
		return ""
	}
	return f
}
