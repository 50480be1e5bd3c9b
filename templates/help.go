package templates

import "cmp"

// HelpPage is the page that explains odfix to the readers of its comments, where no server's own
// page is known.
const HelpPage = "https://github.com/odfix/odfix/blob/main/docs/what-is-odfix.md"

// help is the address of the page that explains odfix.
func help(url string) string { return cmp.Or(url, HelpPage) }

// HelpLine is the last line of a check or a comment, in Markdown.
func HelpLine(url string) string { return md("help.md.tmpl", url) }

// Commands lists the commands that the App answers, in Markdown.
func Commands() string { return md("commands.md.tmpl", struct{ Ignore string }{}) }
