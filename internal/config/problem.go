package config

import (
	"cmp"
	"fmt"
	"slices"
)

// Problem is an error in a file.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`    // from 1
	Column  int    `json:"column"`  // from 1, in characters
	Path    string `json:"path"`    // the key it is about, such as "comments.tone"; empty: the file
	Message string `json:"message"` // what is wrong
	Hint    string `json:"hint"`    // what to do
}

// String formats the problem as compilers do.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text())
}

// Text is the message and the hint, without the position.
func (p Problem) Text() string {
	if p.Hint == "" {
		return p.Message + "."
	}
	return p.Message + ". " + p.Hint
}

// maxProblems bounds the problems of a file. GitHub accepts 50 annotations in a request.
const maxProblems = 50

func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
