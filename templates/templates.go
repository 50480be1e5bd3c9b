// Package templates turns reports into what people read: embedded templates,
// fed with typed values by pure functions. Nothing here reads a file, a clock
// or the environment, so every answer can be held against a golden file.
//
// Invariant: test names, exception messages and build output are foreign text.
// They are made harmless before any template sees them, so that no report can
// move a cursor, change a colour or forge a line; colours come from here only.
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

// render executes a template. The templates are part of the program and each
// is executed by a test, so that a failure here is a defect, not a condition.
func render(name string, data any, o Options) string {
	t := template.Must(template.New(name).Funcs(functions(o)).ParseFS(files, "*.txt.tmpl"))
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		panic(err)
	}
	return b.String()
}
