package githubtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/gitrepo"
)

// anchor is where on a diff somebody wants a comment.
type anchor struct {
	Path        string `json:"path"`
	Position    *int   `json:"position"`
	Line        *int   `json:"line"`
	Side        string `json:"side"`
	StartLine   *int   `json:"start_line"`
	StartSide   string `json:"start_side"`
	SubjectType string `json:"subject_type"`
}

// spot is an anchor that was found on the diff.
type spot struct {
	path      string
	file      bool // on the whole file
	line      int
	side      string
	startLine int // 0: one line
	startSide string
	position  int
	hunk      string // the diff down to the line, as comments show it
}

// off says in which ways an anchor is not on the diff.
type off struct {
	path, line, start, order, position, missing bool
}

func (o off) any() bool { return o != off{} }

// find looks an anchor up in the diff, by GitHub's rules: the line must stand in
// a hunk, changed or not, on the side named; a first line must stand in the same
// hunk, before the last one.
func (a anchor) find(files []gitrepo.FileDiff) (spot, off) {
	var f *gitrepo.FileDiff
	for i := range files {
		if files[i].Path == a.Path {
			f = &files[i]
		}
	}
	if f == nil {
		return spot{}, off{path: true}
	}
	hunks := gitrepo.Hunks(f.Patch)
	if a.SubjectType == "file" {
		// GitHub counts a comment on a whole file as one on its first line.
		return spot{path: a.Path, file: true, side: "RIGHT", line: 1, position: 1, hunk: top(hunks)}, off{}
	}
	if a.Line == nil && a.Position == nil {
		return spot{}, off{missing: true}
	}
	if a.Line == nil {
		return a.byPosition(hunks)
	}
	return a.byLine(hunks)
}

func top(hunks []gitrepo.Hunk) string {
	if len(hunks) == 0 {
		return ""
	}
	return hunks[0].Header
}

func (a anchor) byPosition(hunks []gitrepo.Hunk) (spot, off) {
	for _, h := range hunks {
		for i, l := range h.Lines {
			if l.Position == *a.Position {
				s := spot{path: a.Path, position: l.Position, hunk: excerpt(h, i), side: "RIGHT", line: l.New}
				if l.Kind == '-' {
					s.side, s.line = "LEFT", l.Old
				}
				return s, off{}
			}
		}
	}
	return spot{}, off{position: true}
}

func (a anchor) byLine(hunks []gitrepo.Hunk) (spot, off) {
	side := either(a.Side, "RIGHT")
	startSide := either(a.StartSide, side)
	h, at := locate(hunks, *a.Line, side)
	s := spot{path: a.Path, line: *a.Line, side: side}
	var o off
	if h == nil {
		o.line = true
	} else {
		s.position, s.hunk = h.Lines[at].Position, excerpt(*h, at)
	}
	if a.StartLine == nil {
		return s, o
	}
	s.startLine, s.startSide = *a.StartLine, startSide
	start, from := locate(hunks, *a.StartLine, startSide)
	switch {
	case side == startSide && *a.StartLine >= *a.Line:
		o.order = true
	case start == nil || start != h:
		o.start = true
	case from >= at:
		o.order = true
	}
	return s, o
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func locate(hunks []gitrepo.Hunk, line int, side string) (*gitrepo.Hunk, int) {
	for i := range hunks {
		for j, l := range hunks[i].Lines {
			if number := numberOn(l, side); number == line && number > 0 {
				return &hunks[i], j
			}
		}
	}
	return nil, 0
}

func numberOn(l gitrepo.Line, side string) int {
	if side == "LEFT" {
		return l.Old
	}
	return l.New
}

// excerpt is the hunk from its header down to a line.
func excerpt(h gitrepo.Hunk, last int) string {
	var b strings.Builder
	b.WriteString(h.Header)
	for _, l := range h.Lines[:last+1] {
		fmt.Fprintf(&b, "\n%c%s", l.Kind, l.Text)
	}
	return b.String()
}

// sentence is how the reviews endpoint refuses an anchor: without saying which.
func (o off) sentence() string {
	switch {
	case o.path:
		return "Path could not be resolved"
	case o.position:
		return "Position could not be resolved"
	case o.line:
		return "Line could not be resolved"
	case o.order:
		return "Pull request review thread start line must precede the end line."
	case o.start:
		return "Pull request review thread start line must be part of the same hunk as the line."
	}
	return "Pull request review thread position is invalid"
}

// errors is how the comments endpoint refuses one.
func (o off) errors() error {
	const resource, field = "PullRequestReviewComment", "pull_request_review_thread."
	var list []Object
	if o.path {
		list = append(list, Object{"resource": resource, "code": "invalid", "field": field + "path"})
	}
	if o.position {
		list = append(list, Object{"resource": resource, "code": "invalid", "field": field + "position"})
	}
	if o.missing {
		list = append(list, Object{"resource": resource, "code": "missing_field", "field": field + "line"})
	}
	if o.line {
		list = append(list, custom(resource, field+"line", field+"line must be part of the diff"))
	}
	if o.start {
		list = append(list, custom(resource, field+"start_line", field+"start_line must be part of the same hunk as the line."))
	}
	if o.order {
		list = append(list, custom(resource, field+"start_line", field+"start_line must precede the end line."))
	}
	if o.path || o.line || o.position {
		list = append(list, Object{"resource": resource, "code": "missing_field", "field": field + "diff_hunk"})
	}
	return invalid(list...)
}

// carry finds where a line of one commit's file stands in another's: 0 where it
// was changed or removed.
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
