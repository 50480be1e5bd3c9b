package gitrepo

import (
	"context"
	"strconv"
	"strings"
)

// FileDiff is the change of one file between two commits.
type FileDiff struct {
	Path      string
	Previous  string // its earlier path, if it was renamed
	Status    string // added, removed, modified, renamed, changed (mode only)
	Sha       string // the new blob, or the old one of a removed file
	Additions int
	Deletions int
	Binary    bool
	Patch     string // hunks only, without a newline at the end; empty if no line changed
}

// Diff lists the files that changed from a to b, in git's order, with renames.
func (r *Repo) Diff(ctx context.Context, a, b string) ([]FileDiff, error) {
	raw, err := r.git(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M", a, b)
	if err != nil {
		return nil, err
	}
	files := parseRaw(string(raw))
	text, err := r.git(ctx, nil, "diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", a, b)
	for i, one := range splitDiff(string(text)) {
		if i < len(files) {
			files[i].read(one)
		}
	}
	return files, err
}

func parseRaw(raw string) []FileDiff {
	fields := strings.Split(strings.TrimSuffix(raw, "\x00"), "\x00")
	var files []FileDiff
	for len(fields) >= 2 && strings.HasPrefix(fields[0], ":") {
		head := strings.Fields(fields[0][1:])
		d := FileDiff{Path: fields[1], Sha: head[3]}
		fields = fields[2:]
		switch head[4][0] {
		case 'A':
			d.Status = "added"
		case 'D':
			d.Status, d.Sha = "removed", head[2]
		case 'R':
			d.Status, d.Previous, d.Path = "renamed", d.Path, fields[0]
			fields = fields[1:]
		default:
			d.Status = "modified"
			if head[2] == head[3] {
				d.Status = "changed"
			}
		}
		files = append(files, d)
	}
	return files
}

// splitDiff cuts a diff into the parts of its files. No line in a hunk starts with "diff".
func splitDiff(diff string) []string {
	var parts []string
	for _, line := range strings.SplitAfter(diff, "\n") {
		if strings.HasPrefix(line, "diff --git ") {
			parts = append(parts, "")
		}
		if len(parts) > 0 {
			parts[len(parts)-1] += line
		}
	}
	return parts
}

func (d *FileDiff) read(raw string) {
	at := strings.Index(raw, "\n@@ ")
	if at < 0 {
		d.Binary = strings.Contains(raw, "\nBinary files ")
		return
	}
	d.Patch = strings.TrimSuffix(raw[at+1:], "\n")
	for _, h := range Hunks(d.Patch) {
		for _, l := range h.Lines {
			switch l.Kind {
			case '+':
				d.Additions++
			case '-':
				d.Deletions++
			}
		}
	}
}

// Hunk is one part of a file's patch.
type Hunk struct {
	Header string
	Lines  []Line
}

// Line is one line of a hunk. Old and New are its numbers before and after the change; 0 means
// that it is not there. Position counts lines below the first hunk header.
type Line struct {
	Kind     byte // ' ', '+', '-'
	Old, New int
	Position int
	Text     string
}

// Hunks parses a file's patch.
func Hunks(patch string) []Hunk {
	var hunks []Hunk
	var before, after int
	position := -1
	for _, text := range strings.Split(patch, "\n") {
		position++
		if strings.HasPrefix(text, "@@ ") {
			before, after = starts(text)
			hunks = append(hunks, Hunk{Header: text})
			continue
		}
		if len(hunks) == 0 || text == "" || text[0] == '\\' {
			continue
		}
		h := &hunks[len(hunks)-1]
		l := Line{Kind: text[0], Position: position, Text: text[1:]}
		if l.Kind != '+' {
			l.Old = before
			before++
		}
		if l.Kind != '-' {
			l.New = after
			after++
		}
		h.Lines = append(h.Lines, l)
	}
	return hunks
}

// starts returns the first line numbers of "@@ -12,3 +14,5 @@".
func starts(header string) (before, after int) {
	f := strings.Fields(header)
	if len(f) < 3 {
		return 0, 0
	}
	return first(f[1]), first(f[2])
}

func first(span string) int {
	number, _, _ := strings.Cut(span[1:], ",")
	n, _ := strconv.Atoi(number) // git wrote it
	return n
}
