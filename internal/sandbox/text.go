package sandbox

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// Style describes what a terminal can show.
type Style struct {
	Color bool
	Width int // columns; 0: lines are not wrapped
}

func (y Style) paint(code, s string) string {
	if !y.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	blue  = "34"
)

// Show prints the pull request as people read it, from the top.
func (r Result) Show(w io.Writer, y Style) error {
	pull, err := githubtest.As[*gh.PullRequest](r.Pull)
	if err != nil {
		return err
	}
	checks, err := githubtest.As[[]*gh.CheckRun](r.Checks)
	if err != nil {
		return err
	}
	written, err := r.written()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s\n", y.paint(bold, clean(pull.GetTitle())), y.paint(dim, fmt.Sprintf("#%d", pull.GetNumber())))
	fmt.Fprintf(&b, "%s wants to merge %s from %s into %s\n\n", pull.GetUser().GetLogin(),
		plural(len(r.Commits), "commit"), clean(pull.GetHead().GetLabel()), clean(pull.GetBase().GetRef()))
	for _, c := range checks {
		y.check(&b, c)
		if err := y.notes(&b, c, r.Annotations); err != nil {
			return err
		}
	}
	for _, c := range written.earlier {
		sha := c.GetHeadSHA()
		fmt.Fprintf(&b, "\n%s\n", y.paint(dim, "On the earlier commit "+clean(sha[:min(len(sha), 10)])+":"))
		y.check(&b, c)
	}
	for _, k := range written.inline {
		y.inline(&b, k)
	}
	for _, k := range written.comments {
		y.comment(&b, k.GetUser().GetLogin()+" commented", k.GetBody(), nil)
	}
	if len(written.inline)+len(written.comments) == 0 {
		fmt.Fprintf(&b, "\n%s\n", y.paint(dim, "odfix wrote no comment."))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// check prints one line, and the summary of odfix's own check.
func (y Style) check(b *strings.Builder, c *gh.CheckRun) {
	sign := map[string]string{"success": y.paint(green, "✓"), "failure": y.paint(red, "✗"),
		"neutral": y.paint(dim, "◼"), "cancelled": y.paint(dim, "⊘")}[c.GetConclusion()]
	sign = cmp.Or(sign, "•")
	state := c.GetConclusion()
	state = cmp.Or(state, c.GetStatus())
	fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("  %s %s %s %s", sign, y.paint(bold, clean(c.GetName())),
		y.paint(dim, state), clean(c.GetOutput().GetTitle())), " "))
	if c.GetApp().GetSlug() != app {
		return
	}
	for line := range strings.Lines(plainText(c.GetOutput().GetSummary())) {
		for _, l := range y.prose(strings.TrimRight(line, "\n"), 6) {
			fmt.Fprintln(b, strings.TrimRight("      "+l, " "))
		}
	}
}

// notes prints odfix's annotations.
func (y Style) notes(b *strings.Builder, c *gh.CheckRun, all []githubtest.Object) error {
	if c.GetApp().GetSlug() != app {
		return nil
	}
	for _, o := range all {
		a, err := githubtest.As[struct {
			gh.CheckRunAnnotation
			CheckRunID int64 `json:"check_run_id"`
		}](o)
		if err != nil {
			return err
		}
		if a.CheckRunID != c.GetID() {
			continue
		}
		fmt.Fprintf(b, "      %s %s\n", y.paint(bold, fmt.Sprintf("%s:%d", clean(a.GetPath()), a.GetStartLine())),
			y.paint(dim, a.GetAnnotationLevel()))
		for _, l := range y.prose(clean(a.GetTitle()+": "+a.GetMessage()), 8) {
			fmt.Fprintln(b, "        "+l)
		}
	}
	return nil
}

func (y Style) inline(b *strings.Builder, k *gh.PullRequestComment) {
	where := fmt.Sprintf("%s commented on %s", k.GetUser().GetLogin(), clean(k.GetPath()))
	switch {
	case k.GetSubjectType() == "file":
	case k.GetStartLine() > 0:
		where += fmt.Sprintf(", lines %d to %d", k.GetStartLine(), k.GetLine())
	case k.GetLine() > 0:
		where += fmt.Sprintf(", line %d", k.GetLine())
	default:
		where += " (outdated)"
	}
	y.comment(b, where, k.GetBody(), githubtest.SuggestedChange(k.GetDiffHunk(), k.GetOriginalStartLine(),
		k.GetOriginalLine(), k.GetBody()))
}

// comment prints a comment in a frame. A suggestion is shown as a diff.
func (y Style) comment(b *strings.Builder, head, body string, change []githubtest.DiffLine) {
	bar := y.paint(blue, "│")
	fmt.Fprintf(b, "\n%s %s\n%s\n", y.paint(blue, "┌"), y.paint(bold, head), bar)
	for _, line := range y.body(plainText(body), change) {
		fmt.Fprintln(b, strings.TrimRight(bar+"  "+line, " "))
	}
	fmt.Fprintln(b, y.paint(blue, "└"))
}

func (y Style) body(text string, change []githubtest.DiffLine) []string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		info := strings.TrimLeft(line, "`")
		switch ticks := line[:len(line)-len(info)]; {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
			out = append(out, y.paint(dim, line))
			if strings.TrimSpace(info) == "suggestion" {
				out[len(out)-1] = y.paint(dim, "suggested change:")
				for _, l := range change {
					out = append(out, y.diff(string(l.Sign)+" "+l.Text))
				}
				fence += "s"
			}
		case fence != "" && strings.TrimSpace(info) == "" && len(ticks) >= len(strings.TrimSuffix(fence, "s")):
			if !strings.HasSuffix(fence, "s") {
				out = append(out, y.paint(dim, line))
			}
			fence = ""
		case strings.HasSuffix(fence, "s"): // in a suggestion, which is shown as a diff
		case fence != "":
			out = append(out, y.diff(line))
		default:
			out = append(out, y.prose(line, 3)...)
		}
	}
	return out
}

var (
	hidden   = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
	folds    = regexp.MustCompile(`</?details( open)?>\n?`)
	summary  = regexp.MustCompile(`<summary>(.*?)</summary>`)
	emphatic = regexp.MustCompile(`\*\*(.+?)\*\*`)
	blank    = regexp.MustCompile(`\n{3,}`)
	control  = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
)

// plainText removes what a terminal cannot show from Markdown, and control characters.
func plainText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = hidden.ReplaceAllString(s, "")
	s = folds.ReplaceAllString(s, "")
	s = summary.ReplaceAllString(s, "▾ $1")
	return strings.TrimSpace(blank.ReplaceAllString(clean(s), "\n\n"))
}

// clean removes control characters from untrusted text.
func clean(s string) string { return control.ReplaceAllString(s, "") }

// prose wraps a line of text to the width that an indent leaves.
func (y Style) prose(s string, indent int) []string {
	// Each word gets its own asterisks, so that a line can end after any of them.
	s = emphatic.ReplaceAllStringFunc(s, func(m string) string {
		return "**" + strings.ReplaceAll(strings.Trim(m, "*"), " ", "** **") + "**"
	})
	var out []string
	for _, line := range wrapped(s, y.Width-indent) {
		out = append(out, emphatic.ReplaceAllStringFunc(line, func(m string) string { return y.paint(bold, strings.Trim(m, "*")) }))
	}
	return out
}

// wrapped breaks a line between words, from 30 columns on.
func wrapped(s string, width int) []string {
	if width < 30 {
		return []string{s}
	}
	var out []string
	line, used := "", 0
	for _, word := range strings.Split(s, " ") {
		n := utf8.RuneCountInString(strings.ReplaceAll(word, "**", ""))
		if used > 0 && used+1+n > width {
			out = append(out, line)
			line, used = "", 0
		}
		if used > 0 || line != "" {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(out, line)
}

func (y Style) diff(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return y.paint(green, line)
	case strings.HasPrefix(line, "-"):
		return y.paint(red, line)
	}
	return line
}
