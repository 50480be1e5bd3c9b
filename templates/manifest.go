package templates

import (
	"html/template"
	"strings"
)

// ManifestPage is what a browser shows while an App is made.
type ManifestPage struct {
	Name, Organisation, Hook string
	Action, Manifest         string // where the form goes, and what it brings
	Needs                    []ManifestNeed
	Done                     bool
	Install                  string // address that installs the App
	Problem                  string
}

// ManifestNeed is a permission and its reason.
type ManifestNeed struct{ Title, Level, Why string }

var manifestPage = template.Must(template.New("manifest.html.tmpl").ParseFS(files, "manifest.html.tmpl"))

// HTML is the page.
func (p ManifestPage) HTML() string {
	var b strings.Builder
	if err := manifestPage.Execute(&b, p); err != nil {
		panic(err) // as in render
	}
	return b.String()
}
