package templates

import (
	"cmp"
	_ "embed" // for homeBody
	"html/template"
	"strings"
)

// HelpPage is the page that explains odfix to the readers of its comments, where no server's own
// page is known.
const HelpPage = "https://github.com/odfix/odfix/blob/main/docs/what-is-odfix.md"

// help is the address of the page that explains odfix.
func help(url string) string { return cmp.Or(url, HelpPage) }

// HelpLine is the last line of a check or a comment, in Markdown.
func HelpLine(url string) string { return md("help.md.tmpl", url) }

// Commands lists the commands that the App answers, in Markdown.
func Commands() string { return md("commands.md.tmpl", struct{ Ignore string }{}) }

// homeBody is docs/what-is-odfix.md as HTML. TestHome makes it, so that odfix needs no reader of
// Markdown.
//
//go:embed home.body.html
var homeBody string

// Home is the page at an App's homepage, which explains odfix to the readers of its comments. It
// needs no script and nothing of the network.
func Home() string {
	var b strings.Builder
	t := template.Must(template.New("home.html.tmpl").ParseFS(files, "home.html.tmpl"))
	if err := t.Execute(&b, template.HTML(homeBody)); err != nil {
		panic(err) // as in render
	}
	return b.String()
}
