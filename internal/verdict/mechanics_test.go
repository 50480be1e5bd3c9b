package verdict

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/odfix/odfix/internal/config"
)

// markdown is what GitHub speaks, as far as a library knows it.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// codeBlock is a fenced block of a body, and its info string.
type codeBlock struct{ info, text string }

func blocksOf(body string) []codeBlock {
	src := []byte(body)
	var out []codeBlock
	_ = ast.Walk(markdown.Parser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if f, ok := n.(*ast.FencedCodeBlock); ok && entering {
			out = append(out, codeBlock{string(f.Language(src)), string(f.Lines().Value(src))})
		}
		return ast.WalkContinue, nil
	})
	return out
}

// accept does to the head what GitHub does when all suggestions of a review are
// committed in a batch: each one's lines are replaced by its block.
func accept(t *testing.T, head texts, inline []Inline) texts {
	t.Helper()
	out := maps.Clone(head)
	for i := len(inline) - 1; i >= 0; i-- { // from the last, so that line numbers hold
		k := inline[i]
		var found []codeBlock
		for _, b := range blocksOf(k.Body) {
			if b.info == "suggestion" {
				found = append(found, b)
			}
		}
		if len(found) != 1 {
			t.Fatalf("%d suggestions in one comment:\n%s", len(found), k.Body)
		}
		lines := strings.SplitAfter(out[k.Path], "\n")
		first := k.StartLine
		if first == 0 {
			first = k.Line
		}
		if first < 1 || first > k.Line || k.Line > len(lines) || k.StartLine == k.Line {
			t.Fatalf("lines %d to %d of %d in %s", k.StartLine, k.Line, len(lines), k.Path)
		}
		with := found[0].text
		if strings.HasSuffix(lines[k.Line-1], "\r\n") {
			with = strings.ReplaceAll(with, "\n", "\r\n")
		}
		out[k.Path] = strings.Join(lines[:first-1], "") + with + strings.Join(lines[k.Line:], "")
	}
	return out
}

// anchored holds every comment against the pull request's diff by GitHub's rule:
// on the right side, in a hunk, first and last line in one hunk.
func anchored(t *testing.T, files []File, inline []Inline) {
	t.Helper()
	for _, k := range inline {
		hunk := 0
		seen := map[int]int{} // line on the right side → hunk
		for _, f := range files {
			if f.Path != k.Path {
				continue
			}
			at := 0
			for _, l := range strings.Split(f.Patch, "\n") {
				switch {
				case strings.HasPrefix(l, "@@ "):
					hunk++
					plus := strings.Index(l, "+")
					at = 0
					for _, c := range l[plus+1:] {
						if c < '0' || c > '9' {
							break
						}
						at = at*10 + int(c-'0')
					}
				case strings.HasPrefix(l, "+"), strings.HasPrefix(l, " "):
					seen[at] = hunk
					at++
				}
			}
		}
		if seen[k.Line] == 0 || k.StartLine != 0 && seen[k.StartLine] != seen[k.Line] {
			t.Errorf("%s:%d-%d is not in a hunk of the diff", k.Path, k.StartLine, k.Line)
		}
	}
}

// paste runs the block of a body that is there to be pasted, in a real checkout
// of what it is for.
func paste(t *testing.T, dir string, checkout texts, body string) texts {
	t.Helper()
	write(t, dir, checkout)
	_, after, ok := strings.Cut(body, "paste this into a shell")
	if !ok {
		t.Fatalf("nothing to paste in\n%s", body)
	}
	for _, b := range blocksOf(after) {
		if b.info != "sh" && b.info != "diff" { // a diff that is its own command, in colour
			continue
		}
		cmd := exec.Command("sh", "-e")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(b.text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, b.text)
		}
		return read(t, dir)
	}
	t.Fatalf("no shell block in\n%s", after)
	return nil
}

// mechanics applies every rung of every comment as people or GitHub would, and
// holds the outcome against what was proved.
func (pr *pullRequest) mechanics(t *testing.T, p Plan, want texts) {
	t.Helper()
	checkout := pr.head
	for i := range p.Comments {
		for k := &p.Comments[i]; k != nil; k = k.Below {
			var got texts
			goal := want
			switch k.Rung {
			case config.Suggestion:
				anchored(t, pr.listed(t), k.Inline)
				got = accept(t, pr.head, k.Inline)
			case config.FileComment, config.Comment:
				if strings.Contains(k.Body, "merge or rebase first") {
					checkout = maps.Clone(pr.head)
					maps.Copy(checkout, pr.tested)
				}
				if !strings.Contains(k.Body, "paste this into a shell") {
					continue
				}
				got = paste(t, t.TempDir(), checkout, k.Body)
			default:
				got = maps.Clone(pr.head)
				maps.Copy(got, k.Fix.Files)
				for _, path := range k.Fix.Removed {
					delete(got, path)
				}
			}
			if d := cmp.Diff(goal, got); d != "" {
				t.Errorf("%s gives something else (-want +got):\n%s", k.Rung, d)
			}
		}
	}
}
