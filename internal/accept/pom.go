package accept

import (
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
)

// roots are the folders of a module's sources, relative to the module.
type roots struct {
	tests, mains []string
	// undecided says that mains may lack some: a folder has a property in it, say. Then tests has only
	// the one of Maven's convention.
	undecided bool
}

// rootsOf reads the poms of a module, of the folders above it, and of parents that they name. A pom can
// add folders for tests whose paths say so, and never one that holds, or is in, production code. false:
// one of the poms is a link, cannot be read or understood, or too much was read before.
func (s *sources) rootsOf(module string) (roots, bool) {
	r := roots{tests: []string{testFolder}, mains: []string{mainFolder}}
	poms, ok := s.inherited(module)
	if !ok {
		return r, false
	}
	var added []string
	test, main := "", ""
	for _, p := range poms {
		if test == "" {
			test = strings.TrimSpace(p.Test)
		}
		if main == "" {
			main = strings.TrimSpace(p.Main)
		}
		added = append(added, p.addedTests()...)
		for _, f := range p.addedMains() {
			r.main(f)
		}
		if len(r.mains) > maxRoots {
			return r, false
		}
	}
	if main != "" {
		r.main(main)
	}
	if r.undecided {
		return r, true
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
	return r, true
}

// main adds a folder of production code as a pom gives it. What the build makes is no source of the
// commit.
func (r *roots) main(f string) {
	root := folder(f)
	switch {
	case root != "":
		r.mains = append(r.mains, root)
	case !strings.HasPrefix(strings.TrimSpace(f), "${project.build.directory}/"):
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
func (s *sources) inherited(module string) ([]pom, bool) {
	var out []pom
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
		out = append(out, *p)
		if p.Parent == nil || p.Parent.Path == nil {
			return true
		}
		parent := path.Join(path.Dir(file), strings.TrimSpace(*p.Parent.Path))
		if strings.TrimSpace(*p.Parent.Path) == "" || !patch.Local(parent) && parent != "." {
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

// pom reads a pom; nil: there is none. false: it is no regular file, cannot be understood, or too much
// was read before.
func (s *sources) pom(file string) (*pom, bool) {
	p, known := s.poms[file]
	if known {
		return p, p != unreadable
	}
	if _, err := fs.Lstat(s.all, file); err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	p = &pom{}
	text := ""
	if s.regular(file) {
		text = readFile(s.all, file)
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = charset.NewReaderLabel
	if !s.take(len(text)) || d.Decode(p) != nil {
		p = unreadable
	}
	s.poms[file] = p
	return p, p != unreadable
}

// unreadable stands for a pom that cannot be read.
var unreadable = &pom{}

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
	for _, of := range append([]plugins{p.plugins}, p.Profiles...) {
		for _, x := range slices.Concat(of.Plugins, of.Managed) {
			for _, e := range x.Executions {
				if x.adds() && e.has("add-source") {
					out = append(append(out, e.Sources...), x.Sources...)
				}
			}
		}
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
