package accept

import (
	"encoding/xml"
	"path"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
)

// pom is what a pom.xml says about folders of sources. Properties, profiles and parents outside of
// the commit are not looked at.
type pom struct {
	Main    string   `xml:"build>sourceDirectory"`
	Test    string   `xml:"build>testSourceDirectory"`
	Plugins []plugin `xml:"build>plugins>plugin"`
}

type plugin struct {
	Name       string      `xml:"artifactId"`
	Executions []execution `xml:"executions>execution"`
}

type execution struct {
	Goals   []string `xml:"goals>goal"`
	Sources []string `xml:"configuration>sources>source"`
}

// The folders of Maven's convention.
const (
	testFolder = "src/test"
	mainFolder = "src/main"
)

// maxRoots bounds the folders of a module's production code.
const maxRoots = 1000

// roots are the folders of a module's test sources, and those of its production code, relative to
// the module. A pom can add folders for tests whose paths say so, and never one that holds, or is in,
// production code. It adds none if a folder of production code cannot be decided. There are no folders
// at all if too much was read before.
func (s *sources) roots(module string) (tests, mains []string) {
	tests, mains = []string{testFolder}, []string{mainFolder}
	var added []string
	test, main, unknown := "", "", false
	for dir := module; ; dir = path.Dir(dir) { // a module inherits from the poms above it
		p, ok := s.pom(dir)
		if !ok {
			return nil, nil
		}
		if test == "" {
			test = folder(p.Test)
		}
		if main == "" {
			main = folder(p.Main)
			unknown = unknown || main == "" && strings.TrimSpace(p.Main) != ""
		}
		for _, x := range p.Plugins {
			if strings.TrimSpace(x.Name) != "build-helper-maven-plugin" {
				continue
			}
			for _, e := range x.Executions {
				switch {
				case slices.Contains(e.Goals, "add-test-source"):
					added = append(added, e.Sources...)
				case slices.Contains(e.Goals, "add-source"):
					mains = append(mains, folders(e.Sources)...)
				}
				if len(mains) > maxRoots {
					return nil, nil
				}
			}
		}
		if dir == "." {
			break
		}
	}
	if main != "" {
		mains = append(mains, main)
	}
	for _, root := range append([]string{test}, folders(head(added, maxList))...) {
		holds := func(main string) bool {
			return below(root+"/", main) || below(main+"/", root)
		}
		if !unknown && root != "" && says.MatchString("/"+root+"/") && !slices.ContainsFunc(mains, holds) {
			tests = append(tests, root)
		}
	}
	return tests, mains
}

// pom reads the pom of a folder; it is empty if there is none that can be read. false: too much was
// read before.
func (s *sources) pom(dir string) (pom, bool) {
	p, known := s.modules[dir]
	if file := path.Join(dir, "pom.xml"); !known && s.regular(file) {
		text := readFile(s.all, file)
		if !s.take(len(text)) {
			return p, false
		}
		if xml.Unmarshal([]byte(text), &p) != nil {
			p = pom{}
		}
	}
	s.modules[dir] = p
	return p, true
}

func folders(all []string) []string {
	var out []string
	for _, f := range all {
		if f = folder(f); f != "" {
			out = append(out, f)
		}
	}
	return out
}

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
