package page

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/odfix/odfix/internal/githubtest"
)

// markdown renders GitHub's Markdown. HTML in it is shown as text, except <details> and <summary>
// on lines of their own. A suggestion is shown as a diff.
func markdown(body string, change []githubtest.DiffLine, link func(string) string) template.HTML {
	k := &kit{change: change, link: link}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(k, 10))))
	var b bytes.Buffer
	if err := md.Convert([]byte(strings.ReplaceAll(body, "\r\n", "\n")), &b); err != nil {
		return template.HTML("<p>" + html.EscapeString(body) + "</p>") //nolint:gosec // it is escaped
	}
	b.WriteString(strings.Repeat("</details>", k.open))
	return template.HTML(b.String()) //nolint:gosec // goldmark escapes all text, and kit renders HTML
}

// kit renders the parts that differ from goldmark's own rendering.
type kit struct {
	change []githubtest.DiffLine
	link   func(string) string
	open   int // <details> without </details>
}

// RegisterFuncs implements renderer.NodeRenderer.
func (k *kit) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, k.htmlBlock)
	r.Register(ast.KindRawHTML, k.rawHTML)
	r.Register(ast.KindFencedCodeBlock, k.fenced)
	r.Register(ast.KindImage, k.image)
	r.Register(ast.KindLink, k.anchor)
}

var summaryLine = regexp.MustCompile(`^<summary>([^<>]*)</summary>$`)

func (k *kit) htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	b := n.(*ast.HTMLBlock)
	text := string(b.Lines().Value(source))
	if b.HasClosure() {
		text += string(b.ClosureLine.Value(source))
	}
	if b.HTMLBlockType == ast.HTMLBlockType2 { // a comment
		_, text, _ = strings.Cut(text, "-->")
	}
	for line := range strings.Lines(text) {
		k.htmlLine(w, strings.TrimSpace(line))
	}
	return ast.WalkSkipChildren, nil
}

func (k *kit) htmlLine(w util.BufWriter, line string) {
	switch m := summaryLine.FindStringSubmatch(line); {
	case line == "":
	case line == "<details>", line == "<details open>":
		k.open++
		_, _ = w.WriteString(line)
	case line == "</details>" && k.open > 0:
		k.open--
		_, _ = w.WriteString(line)
	case m != nil && k.open > 0:
		_, _ = w.WriteString("<summary>" + html.EscapeString(html.UnescapeString(m[1])) + "</summary>")
	default:
		_, _ = w.WriteString("<p>" + html.EscapeString(line) + "</p>")
	}
}

func (k *kit) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(html.EscapeString(string(n.(*ast.RawHTML).Segments.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func (k *kit) fenced(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	b := n.(*ast.FencedCodeBlock)
	code := string(b.Lines().Value(source))
	switch language := string(b.Language(source)); {
	case language == "suggestion" && k.change != nil:
		_, _ = w.WriteString(`<div class="suggestion"><p class="label">Suggested change</p>`)
		writeDiff(w, k.change)
		_, _ = w.WriteString("</div>")
		k.change = nil // only the first suggestion can be accepted
	case language == "diff":
		writeDiff(w, signs(code))
	default:
		_, _ = w.WriteString(`<pre tabindex="0"><code>` + html.EscapeString(code) + "</code></pre>")
	}
	return ast.WalkSkipChildren, nil
}

// image renders the text of an image instead of the image.
func (k *kit) image(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("[image: ")
	} else {
		_, _ = w.WriteString("]")
	}
	return ast.WalkContinue, nil
}

// anchor renders links to web pages. Others, such as javascript:, are shown as text.
func (k *kit) anchor(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := k.link(string(n.(*ast.Link).Destination))
	switch good := strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "#"); {
	case !good:
	case entering:
		_, _ = w.WriteString(`<a rel="noreferrer nofollow" href="` + html.EscapeString(to) + `">`)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// signs parses the lines of a diff.
func signs(diff string) []githubtest.DiffLine {
	var out []githubtest.DiffLine
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		sign, rest := ' ', line
		switch {
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, `\`):
			sign = '@'
		case line != "" && strings.ContainsRune("+- ", rune(line[0])):
			sign, rest = rune(line[0]), line[1:]
		}
		out = append(out, githubtest.DiffLine{Sign: sign, Text: rest})
	}
	return out
}

// writeDiff renders lines of a diff. Their signs say the same as their colours.
func writeDiff(w util.BufWriter, lines []githubtest.DiffLine) {
	_, _ = w.WriteString(`<pre class="diff" tabindex="0"><code>`)
	for _, l := range lines {
		class, sign := map[rune]string{'+': "add", '-': "del", '@': "hunk", ' ': "same"}[l.Sign], string(l.Sign)
		if l.Sign == '@' {
			sign = ""
		}
		_, _ = w.WriteString(`<span class="` + class + `">` + sign + html.EscapeString(l.Text) + "\n</span>")
	}
	_, _ = w.WriteString("</code></pre>")
}
