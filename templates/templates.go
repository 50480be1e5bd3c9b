// Package templates turns reports into text for people. Pure functions fill embedded templates with
// typed values. Nothing here reads a file, a clock or the environment, so tests compare every text
// with a golden file.
//
// Invariant: test names, exception messages and build output are hostile input. Control characters
// and line ends are removed from them before a template gets them. So a report cannot move the
// cursor, change a colour or forge a line.
package templates

import (
	"embed"
	"strings"
	"text/template"

	"github.com/odfix/odfix/internal/job"
)

//go:embed *.tmpl
var files embed.FS

// Options say where and how the answer is shown.
type Options struct {
	Color   bool
	Width   int      // columns of the terminal; zero: 100
	Out     string   // the folder that holds report.json, odfix.patch and logs; empty: none
	Apply   string   // a shell command that applies the patch; empty: there is no patch
	Verify  string   // a shell command that proves the patches again; empty: nothing to prove
	Applied []string // files of the checkout that were changed
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return max(o.Width, 40)
}

// Fix is the answer to `odfix fix`, without the report's error: see Error.
func Fix(r *job.Report, o Options) string {
	return render("fix.txt.tmpl", newAnswer(clean(r), o), o)
}

// Verify is the answer to `odfix verify`.
func Verify(r *job.Report, o Options) string {
	return render("verify.txt.tmpl", newAnswer(clean(r), o), o)
}

// Error is a failure of odfix or of the project's build, for standard error.
func Error(e *job.Error, o Options) string {
	r := clean(&job.Report{Error: e})
	return render("error.txt.tmpl", r.Error, o)
}

// render executes a template. It panics if that fails, since tests execute every template.
func render(name string, data any, o Options) string {
	t := template.Must(template.New(name).Funcs(functions(o)).ParseFS(files, "*.txt.tmpl"))
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		panic(err)
	}
	return b.String()
}
