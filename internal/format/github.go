package format

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// commands is a text in which GitHub finds no workflow command, and then the annotations.
func commands(text string, all []finding, failed *job.Error) string {
	var b strings.Builder
	if text != "" {
		// Nobody who wrote a part of the text knows the word that ends it.
		word := strings.ToLower(rand.Text())
		fmt.Fprintf(&b, "::stop-commands::%s\n%s\n::%s::\n", word, strings.TrimRight(text, "\n"), word)
	}
	for _, f := range all {
		b.WriteString(annotation(f))
	}
	if failed != nil {
		fmt.Fprintf(&b, "::error title=odfix::%s\n", data(templates.Harmless(failed.Message+". "+failed.Hint, false)))
	}
	return b.String()
}

func annotation(f finding) string {
	var fields []string
	if f.path != "" {
		fields = append(fields, "file="+property(f.path), fmt.Sprintf("line=%d", f.first), fmt.Sprintf("endLine=%d", f.last))
	}
	fields = append(fields, "title="+property(f.title))
	return fmt.Sprintf("::%s %s::%s\n", level(f.verdict), strings.Join(fields, ","), data(f.message))
}

// level is the level of an annotation, and of a result in SARIF. The build itself has failed
// already, so that an explanation is no second error.
func level(v suite.Verdict) string {
	if v.OrderDependent() {
		return "warning"
	}
	return "notice"
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string { return escapeData.Replace(s) }

func property(s string) string { return escapeProperty.Replace(s) }
