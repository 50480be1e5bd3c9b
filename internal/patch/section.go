package patch

import (
	"fmt"
	"strings"
)

// Section is what a patch does to one file. It does not keep the patch's text: git can read other changes
// in that, for example in lines that odfix takes for headers. Render writes it anew.
type Section struct {
	Path string
	Kind Kind
	File File   // Edits and Removes: what changes
	Made string // Makes: the text of the new file
}

// Kind says what a section does to its file.
type Kind int

// The kinds.
const (
	Edits   Kind = iota // lines of a file that exists before and after
	Makes               // a new file
	Removes             // the file
)

// Sections is Parse for patches that may also create and remove files. It returns an error for
// other changes.
func Sections(diff string) ([]Section, error) {
	var out []Section
	for _, text := range sections(diff) {
		s, err := section(text)
		if err != nil {
			return nil, err
		}
		out = append(out, s...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the patch changes no file")
	}
	return out, nil
}

// sections cuts a patch before each "diff --git". No line of a hunk begins like that.
func sections(diff string) []string {
	var out []string
	from, at := 0, 0
	for l := range strings.Lines(diff) {
		if at > from && strings.HasPrefix(l, "diff --git ") {
			out, from = append(out, diff[from:at]), at
		}
		at += len(l)
	}
	if at > from {
		out = append(out, diff[from:])
	}
	return out
}

const devNull = "/dev/null"

func section(text string) ([]Section, error) {
	head, body, _ := strings.Cut(text, "\n@@ ")
	kind := Edits
	for l := range strings.Lines(head) {
		switch {
		case strings.HasPrefix(l, "new file mode 100"):
			kind = Makes
		case strings.HasPrefix(l, "deleted file mode 100"):
			kind = Removes
		}
	}
	if kind == Edits {
		if !strings.Contains(text, "\n@@ ") && !strings.HasPrefix(text, "diff --git ") {
			return nil, nil // text before the patch
		}
		files, err := Parse(text)
		var out []Section
		for _, f := range files {
			out = append(out, Section{Path: f.Path, File: f})
		}
		return out, err
	}
	path, err := onlyName(head, kind)
	if err != nil {
		return nil, err
	}
	if body == "" {
		return nil, fmt.Errorf("%s: only text files with at least one line are supported", path)
	}
	s := Section{Path: path, Kind: kind}
	p := parser{lines: Lines("@@ " + body), files: []File{{Path: path}}}
	for p.at < len(p.lines) {
		if err := p.header(); err != nil {
			return nil, err
		}
	}
	if len(p.files) != 1 || len(p.files[0].Hunks) != 1 {
		return nil, fmt.Errorf("%s: a whole file is one hunk", path)
	}
	h := p.files[0].Hunks[0]
	if kind == Makes && len(h.Before) > 0 || kind == Removes && len(h.After) > 0 {
		return nil, fmt.Errorf("%s: the hunk of a whole file has lines on one side only", path)
	}
	if kind == Removes {
		s.File = p.files[0]
	}
	s.Made = strings.Join(h.After, "")
	return []Section{s}, nil
}

// onlyName returns the path of a file that exists on one side only.
func onlyName(head string, kind Kind) (string, error) {
	mark, prefix, other := "+++ ", "b/", "--- "
	if kind == Removes {
		mark, prefix, other = other, "a/", mark
	}
	var name string
	for l := range strings.Lines(head) {
		l = strings.TrimRight(l, "\r\n")
		if at, ok := strings.CutPrefix(l, other); ok && at != devNull {
			return "", fmt.Errorf("%q is in the position of %s", at, devNull)
		}
		if at, ok := strings.CutPrefix(l, mark); ok {
			path, _, err := unquote(at)
			if err != nil {
				return "", err
			}
			name, ok = strings.CutPrefix(path, prefix)
			if !ok || !Local(name) {
				return "", fmt.Errorf("%q is not a path inside the checkout", path)
			}
		}
	}
	if name == "" {
		return "", fmt.Errorf("a whole file without a name: only text files with at least one line are supported")
	}
	return name, nil
}
