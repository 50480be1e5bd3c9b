package maven

import (
	"cmp"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
)

// pom is the part of a pom.xml that odfix reads without Maven: enough to find which folders belong
// together. Everything else comes from Maven itself.
type pom struct {
	Parent struct {
		GroupID      string  `xml:"groupId"`
		ArtifactID   string  `xml:"artifactId"`
		RelativePath *string `xml:"relativePath"`
	} `xml:"parent"`
	GroupID        string   `xml:"groupId"`
	ArtifactID     string   `xml:"artifactId"`
	Modules        []string `xml:"modules>module"`
	Subprojects    []string `xml:"subprojects>subproject"` // the name in Maven 4
	ProfileModules []string `xml:"profiles>profile>modules>module"`
}

// maxPom bounds how much of a pom is read.
const maxPom = 4 << 20

func readPom(file string) (*pom, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var p pom
	d := xml.NewDecoder(io.LimitReader(f, maxPom))
	d.Strict = false
	// Names in poms are ASCII whatever the encoding.
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	if err := d.Decode(&p); err != nil {
		return nil, err
	}
	p.GroupID = cmp.Or(p.GroupID, p.Parent.GroupID)
	return &p, nil
}

func (p *pom) modules() []string {
	return append(append(append([]string(nil), p.Modules...), p.Subprojects...), p.ProfileModules...)
}

// parentFile returns the path of the parent pom on disk, or "" if it comes from a repository.
func (p *pom) parentFile(dir string) string {
	if p.Parent.ArtifactID == "" {
		return ""
	}
	rel := "../pom.xml"
	if p.Parent.RelativePath != nil {
		rel = *p.Parent.RelativePath
	}
	if rel == "" {
		return ""
	}
	file := filepath.Join(dir, filepath.FromSlash(rel))
	if fi, err := os.Stat(file); err == nil && fi.IsDir() {
		file = filepath.Join(file, "pom.xml")
	}
	return file
}

// has reports whether the pom in dir lists the folder module as one of its modules.
func (p *pom) has(dir, module string) bool {
	for _, m := range p.modules() {
		path := filepath.Join(dir, filepath.FromSlash(m))
		if path == module || path == filepath.Join(module, "pom.xml") {
			return true
		}
	}
	return false
}
