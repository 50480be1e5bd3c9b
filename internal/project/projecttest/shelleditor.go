package projecttest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// shellEditor edits files of the shell language. Statements of helpers are inserted at the
// beginning or the end of a test. A file has no setup and no teardown.
type shellEditor struct{ p *shell }

var _ project.Editor = (*shellEditor)(nil)

func (e *shellEditor) Script(_ context.Context, helper suite.Order, _ suite.TestID) (out []repair.Statement, err error) {
	for i, line := range e.statements(helper) {
		out = append(out, repair.Statement{ID: strconv.Itoa(i), Text: line, Role: "body",
			Assertion: strings.HasPrefix(line, "want ") || strings.HasPrefix(line, "refuse ")})
	}
	return out, nil
}

func (e *shellEditor) statements(helper suite.Order) (out []string) {
	for _, t := range helper {
		out = append(out, linesOf(e.p.files, t)...)
	}
	return out
}

func (e *shellEditor) Build(_ context.Context, edit repair.Edit) (*repair.Built, error) {
	if edit.Location != patch.VictimStart && edit.Location != patch.PolluterEnd || edit.Style != patch.Inline {
		return nil, &repair.UnfitError{Reason: "a file of the shell has no such place"}
	}
	all := e.statements(edit.Helper)
	if edit.Made != nil {
		all = edit.Made.Statements
	}
	lines, texts := map[string]string{}, []string{}
	for i, id := range edit.Keep {
		n, err := strconv.Atoi(strings.TrimPrefix(id, "0.")) // Made.IDs have this prefix
		if err != nil || n >= len(all) {
			return nil, &repair.UnfitError{Reason: "no such statement: " + id}
		}
		line := all[n]
		if edit.Switched {
			line = fmt.Sprintf("%d? %s", i, line)
		}
		lines[id], texts = line, append(texts, line)
	}
	built := &repair.Built{Files: map[string]string{}, Before: map[string]string{}, Statements: texts, Kept: slices.Clone(edit.Keep)}
	files := maps.Clone(e.p.files)
	for _, at := range append([]suite.TestID{edit.At}, edit.Also...) {
		file := shellSyntax{}.Group(at)
		var own []string
		for _, id := range edit.KeepAt(at) {
			own = append(own, lines[id])
		}
		built.Before[file] = e.p.files[file]
		files[file] = inserted(files[file], shellSyntax{}.Name(at), own, edit.Location == patch.PolluterEnd)
		built.Files[file] = files[file]
	}
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	built.Overlay = "edit-" + strconv.Itoa(len(e.p.overlays))
	e.p.overlays[built.Overlay] = files
	return built, nil
}

// inserted returns the file with the lines at the beginning, or at the end, of a test.
func inserted(text, test string, lines []string, atEnd bool) string {
	var out []string
	in := false
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if in && atEnd && strings.HasPrefix(line, "test ") {
			out, in = append(out, lines...), false
		}
		out = append(out, line)
		if line == "test "+test {
			if in = true; !atEnd {
				out = append(out, lines...)
			}
		}
	}
	if in && atEnd {
		out = append(out, lines...)
	}
	return strings.Join(out, "\n") + "\n"
}

// Resets implements project.Editor: every variable can be unset.
func (e *shellEditor) Resets(_ context.Context, q project.ResetQuery) (*project.Resets, error) {
	out := &project.Resets{Looked: q.Fields}
	for _, place := range q.Fields {
		out.Made = append(out.Made, patch.Made{Resets: place, Statements: []string{"unset " + strings.TrimPrefix(place, variablePlace)}})
	}
	return out, nil
}
func (e *shellEditor) Rewrites(context.Context, []string, []suite.TestID) []patch.Made { return nil }
func (e *shellEditor) ProcessWriters(context.Context) (suite.Order, error)             { return nil, nil }
func (e *shellEditor) Close() error                                                    { return nil }

func (e *shellEditor) Location(_ context.Context, t suite.TestID) (*state.Source, error) {
	file := shellSyntax{}.Group(t)
	for i, line := range strings.Split(e.p.files[file], "\n") {
		if line == "test "+(shellSyntax{}).Name(t) {
			return &state.Source{File: file, Line: i + 1, EndLine: i + 1 + len(linesOf(e.p.files, t))}, nil
		}
	}
	return nil, nil
}
