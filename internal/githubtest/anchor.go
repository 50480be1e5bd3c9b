package githubtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

// anchor is the place of a comment in a request. odfix comments only on the new side of a diff.
type anchor struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line"`
	StartSide string `json:"start_side"`
}

// spot is the place of a comment on a diff.
type spot struct {
	path      string
	file      bool // the comment is on the whole file
	line      int
	startLine int // 0: one line
	position  int // counted in lines of the diff
	hunk      string
}

// GitHub's texts for an anchor that is not on the diff. They do not say which comment is wrong.
const (
	offPath  = "Path could not be resolved"
	offLine  = "Line could not be resolved"
	offOrder = "Pull request review thread start line must precede the end line."
	offHunk  = "Pull request review thread start line must be part of the same hunk as the line."
)

// find looks an anchor up on the diff, by GitHub's rules: the line is in a hunk, changed or not; a
// start line is in the same hunk, before the line. problem is GitHub's text otherwise.
func (a anchor) find(files []gitrepo.FileDiff) (s spot, problem string) {
	f := fileOf(files, a.Path)
	if f == nil {
		return spot{}, offPath
	}
	hunks := gitrepo.Hunks(f.Patch)
	h, at := locate(hunks, a.Line)
	if h == nil || !onRight(a.Side) || !onRight(a.StartSide) {
		return spot{}, offLine
	}
	s = spot{path: a.Path, line: a.Line, startLine: a.StartLine, position: h.Lines[at].Position, hunk: excerpt(*h, at)}
	if a.StartLine == 0 {
		return s, ""
	}
	if a.StartLine >= a.Line {
		return spot{}, offOrder
	}
	if start, _ := locate(hunks, a.StartLine); start != h {
		return spot{}, offHunk
	}
	return s, ""
}

// findFile is the place of a comment on a whole file. GitHub counts it as one on the first line.
func findFile(files []gitrepo.FileDiff, path string) (spot, bool) {
	f := fileOf(files, path)
	if f == nil {
		return spot{}, false
	}
	s := spot{path: path, file: true, line: 1, position: 1}
	if hunks := gitrepo.Hunks(f.Patch); len(hunks) > 0 {
		s.hunk = hunks[0].Header
	}
	return s, true
}

func fileOf(files []gitrepo.FileDiff, path string) *gitrepo.FileDiff {
	for i := range files {
		if files[i].Path == path {
			return &files[i]
		}
	}
	return nil
}

func onRight(side string) bool { return side == "" || side == "RIGHT" }

// locate finds the hunk with a line of the new side.
func locate(hunks []gitrepo.Hunk, line int) (*gitrepo.Hunk, int) {
	for i := range hunks {
		for j, l := range hunks[i].Lines {
			if l.New == line && line > 0 {
				return &hunks[i], j
			}
		}
	}
	return nil, 0
}

// excerpt is the hunk from its header to a line.
func excerpt(h gitrepo.Hunk, last int) string {
	var b strings.Builder
	b.WriteString(h.Header)
	for _, l := range h.Lines[:last+1] {
		fmt.Fprintf(&b, "\n%c%s", l.Kind, l.Text)
	}
	return b.String()
}

// carry finds the line of one commit's file in another commit. 0 means that it was changed or
// removed.
func (r *Repository) carry(ctx context.Context, path string, line int, from, to string) int {
	if from == to {
		return line
	}
	files, err := r.git.Diff(ctx, from, to)
	if err != nil {
		return 0
	}
	for _, f := range files {
		if f.Path != path && f.Previous != path {
			continue
		}
		if f.Status == "removed" || f.Path != path || f.Binary {
			return 0
		}
		return shift(gitrepo.Hunks(f.Patch), line)
	}
	return line
}

func shift(hunks []gitrepo.Hunk, line int) int {
	moved := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch {
			case l.Kind == '+' && l.New-moved <= line:
				moved++
			case l.Kind == '-' && l.Old == line:
				return 0
			case l.Kind == '-' && l.Old < line:
				moved--
			case l.Kind == ' ' && l.Old == line:
				return l.New
			}
		}
	}
	return line + moved
}
