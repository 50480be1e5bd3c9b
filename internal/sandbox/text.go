package sandbox

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/odfix/odfix/internal/githubtest"
)

// Style says what a terminal can show.
type Style struct{ Color bool }

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

// Show prints the pull request as a person would read it from the top.
func (r Result) Show(w io.Writer, y Style) error {
	pull, err := githubtest.As[*gh.PullRequest](r.Pull)
	if err != nil {
		return err
	}
	checks, err := githubtest.As[[]*gh.CheckRun](r.Checks)
	if err != nil {
		return err
	}
	said, err := r.said()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s %s\n", y.paint(bold, pull.GetTitle()), y.paint(dim, fmt.Sprintf("#%d", pull.GetNumber())))
	fmt.Fprintf(&b, "%s wants to merge %s from %s into %s\n\n", pull.GetUser().GetLogin(), plural(len(r.Commits), "commit"), pull.GetHead().GetLabel(), pull.GetBase().GetRef())
	for _, c := range checks {
		y.check(&b, c)
	}
	for _, k := range said.inline {
		y.inline(&b, k)
	}
	for _, k := range said.comments {
		y.comment(&b, k.GetUser().GetLogin()+" commented", k.GetBody(), nil)
	}
	if len(said.inline)+len(said.comments) == 0 {
		fmt.Fprintf(&b, "\n%s\n", y.paint(dim, "odfix wrote no comment."))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// check is a line, and for odfix' own the summary below.
func (y Style) check(b *strings.Builder, c *gh.CheckRun) {
	sign := map[string]string{"success": y.paint(green, "✓"), "failure": y.paint(red, "✗"), "neutral": y.paint(dim, "◼"), "cancelled": y.paint(dim, "⊘")}[c.GetConclusion()]
	if sign == "" {
		sign = "•"
	}
	state := c.GetConclusion()
	if state == "" {
		state = c.GetStatus()
	}
	fmt.Fprintf(b, "  %s %s %s %s\n", sign, y.paint(bold, c.GetName()), y.paint(dim, state), c.GetOutput().GetTitle())
	if c.GetApp().GetSlug() != app {
		return
	}
	for line := range strings.Lines(plainText(c.GetOutput().GetSummary())) {
		fmt.Fprintf(b, "      %s\n", y.line(strings.TrimRight(line, "\n")))
	}
}

func (y Style) inline(b *strings.Builder, k *gh.PullRequestComment) {
	where := fmt.Sprintf("%s commented on %s", k.GetUser().GetLogin(), k.GetPath())
	switch {
	case k.GetSubjectType() == "file":
	case k.GetStartLine() > 0:
		where += fmt.Sprintf(", lines %d to %d", k.GetStartLine(), k.GetLine())
	case k.GetLine() > 0:
		where += fmt.Sprintf(", line %d", k.GetLine())
	default:
		where += " (outdated)"
	}
	y.comment(b, where, k.GetBody(), githubtest.SuggestedChange(k.GetDiffHunk(), k.GetOriginalStartLine(), k.GetOriginalLine(), k.GetBody()))
}

// comment is a body in a frame. Suggestions are shown as what they change.
func (y Style) comment(b *strings.Builder, head, body string, change []githubtest.DiffLine) {
	bar := y.paint(blue, "│")
	fmt.Fprintf(b, "\n%s %s\n%s\n", y.paint(blue, "┌"), y.paint(bold, head), bar)
	for _, line := range y.body(plainText(body), change) {
		fmt.Fprintf(b, "%s  %s\n", bar, line)
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
		case strings.HasSuffix(fence, "s"): // shown as what it changes
		case fence != "":
			out = append(out, y.diff(line))
		default:
			out = append(out, y.line(line))
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
	control  = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]|\x{009b}`)
)

// plainText is Markdown without what a terminal has no use for, or must not see.
func plainText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = hidden.ReplaceAllString(s, "")
	s = folds.ReplaceAllString(s, "")
	s = summary.ReplaceAllString(s, "▾ $1")
	s = control.ReplaceAllString(s, "")
	return strings.TrimSpace(blank.ReplaceAllString(s, "\n\n"))
}

// line is a line of text outside of code.
func (y Style) line(s string) string {
	return emphatic.ReplaceAllStringFunc(s, func(m string) string { return y.paint(bold, strings.Trim(m, "*")) })
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
