package githubtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ApplySuggestions commits the suggestions of inline comments, as the button on
// the page does: the lines a comment stands on are replaced by its suggestion,
// and by nothing else. What the page refuses is refused.
func (p *PullRequest) ApplySuggestions(ctx context.Context, by *Account, comments ...int64) (string, error) {
	p.repo.s.mu.Lock()
	defer p.repo.s.mu.Unlock()
	if !p.open() {
		return "", errors.New("suggestions cannot be applied while the pull request is closed")
	}
	if p.head == nil {
		return "", errors.New("suggestions cannot be applied: the head repository is gone")
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
		before, err := p.repo.git.File(ctx, p.headSha, path)
		if err != nil {
			return "", err
		}
		if change.Files[path], err = apply(string(before), list); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	sha, err := p.head.commit(ctx, by, p.headRef, "Apply suggestions from code review", change)
	return sha, err
}

// edit replaces lines from first to last, counted from 1.
type edit struct {
	first, last int
	text        string // without the newline of its last line; nothing removes the lines
	empty       bool
}

func (p *PullRequest) suggested(ctx context.Context, id int64) (string, edit, error) {
	for _, k := range p.inline {
		if k.id != id {
			continue
		}
		s, current := k.now(ctx)
		text, empty, found := Suggestion(k.body)
		switch {
		case k.review.state == "PENDING":
			return "", edit{}, errors.New("suggestions cannot be applied from pending reviews")
		case !found:
			return "", edit{}, errors.New("it holds no suggestion")
		case !current:
			return "", edit{}, errors.New("this suggestion is outdated")
		case s.file:
			return "", edit{}, errors.New("suggestions need lines, and this comment is on a file")
		case s.side == "LEFT" || s.startSide == "LEFT":
			return "", edit{}, errors.New("suggestions cannot be applied on deleted lines")
		}
		return s.path, edit{first: firstOf(s), last: s.line, text: text, empty: empty}, nil
	}
	return "", edit{}, errors.New("there is no such comment")
}

func firstOf(s spot) int {
	if s.startLine > 0 {
		return s.startLine
	}
	return s.line
}

// Suggestion finds the first suggestion block in a comment. It ends at the first
// line that is a fence at least as long as the one that opened it.
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

// apply replaces lines from the last edit to the first, so that numbers hold.
// New lines end as the lines they replace do.
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
