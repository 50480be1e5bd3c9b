package githubtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ApplySuggestions commits the suggestions of comments on the diff, as GitHub's button does: each
// suggestion replaces the lines of its comment. It refuses what the button refuses.
func (p *PullRequest) ApplySuggestions(ctx context.Context, by *Account, comments ...int64) (string, error) {
	defer p.repo.s.lock()()
	if p.state() == "closed" {
		return "", errors.New("suggestions cannot be applied to a closed pull request")
	}
	edits := map[string][]edit{}
	for _, id := range comments {
		path, e, err := p.suggested(ctx, id)
		if err != nil {
			return "", fmt.Errorf("comment %d: %w", id, err)
		}
		edits[path] = append(edits[path], e)
	}
	change := Change{Files: map[string]string{}}
	for path, list := range edits {
		_, before, err := p.repo.git.File(ctx, p.headSha, path)
		if err != nil {
			return "", err
		}
		if change.Files[path], err = apply(string(before), list); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return p.head.commit(ctx, by, p.headRef, "Apply suggestions from code review", change)
}

// edit replaces lines from first to last, counted from 1.
type edit struct {
	first, last int
	text        string // without the newline of its last line
	empty       bool   // the lines are removed
}

func (p *PullRequest) suggested(ctx context.Context, id int64) (string, edit, error) {
	for _, k := range p.inline {
		if k.id != id {
			continue
		}
		s, current := k.now(ctx)
		text, empty, found := Suggestion(k.body)
		switch {
		case !found:
			return "", edit{}, errors.New("it has no suggestion")
		case !current:
			return "", edit{}, errors.New("this suggestion is outdated")
		case s.file:
			return "", edit{}, errors.New("suggestions need lines, and this comment is on a file")
		}
		return s.path, edit{first: cmp.Or(s.startLine, s.line), last: s.line, text: text, empty: empty}, nil
	}
	return "", edit{}, errors.New("there is no such comment")
}

// Suggestion finds the first suggestion block in a comment. The block ends at the first fence that
// is at least as long as its opening fence.
func Suggestion(body string) (text string, empty, found bool) {
	lines := strings.Split(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	for i, line := range lines {
		fence, info := fenceOf(line)
		if fence == 0 || strings.TrimSpace(info) != "suggestion" {
			continue
		}
		for j := i + 1; j < len(lines); j++ {
			if n, rest := fenceOf(lines[j]); n >= fence && strings.TrimSpace(rest) == "" {
				return strings.Join(lines[i+1:j], "\n"), j == i+1, true
			}
		}
		return strings.Join(lines[i+1:], "\n"), false, true
	}
	return "", false, false
}

// fenceOf counts the backticks that open or close a block.
func fenceOf(line string) (int, string) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return 0, ""
	}
	rest := strings.TrimLeft(text, "`")
	if n := len(text) - len(rest); n >= 3 {
		return n, rest
	}
	return 0, ""
}

// apply replaces lines, the last edit first, so that line numbers stay valid. New lines have the
// line ends of the lines that they replace.
func apply(before string, edits []edit) (string, error) {
	slices.SortFunc(edits, func(a, b edit) int { return b.first - a.first })
	lines := strings.SplitAfter(before, "\n")
	for i, e := range edits {
		if i > 0 && e.last >= edits[i-1].first {
			return "", errors.New("two suggestions overlap")
		}
		if e.last > len(lines) {
			return "", errors.New("the suggestion is beyond the end of the file")
		}
		var with []string
		if !e.empty {
			with = ended(e.text, lines[e.last-1])
		}
		lines = slices.Concat(lines[:e.first-1], with, lines[e.last:])
	}
	after := strings.Join(lines, "")
	if after == before {
		return "", errors.New("the suggestion changes nothing")
	}
	return after, nil
}

func ended(text, last string) []string {
	end := "\n"
	if strings.HasSuffix(last, "\r\n") {
		end = "\r\n"
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i < len(lines)-1 || strings.HasSuffix(last, "\n") {
			lines[i] += end
		}
	}
	return lines
}
