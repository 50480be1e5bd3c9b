package jest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Rewrites implements project.Editor: a test that begins something waits for it.
func (e *editor) Rewrites(places []string, _ []suite.TestID) []patch.Made {
	var out []patch.Made
	for _, place := range places {
		if at, ok := strings.CutPrefix(place, state.Unfinished); ok {
			out = append(out, patch.Made{Await: []string{at}, Resets: place})
		}
	}
	return out
}

// awaiting makes tests wait for what they begin at the places of the edit, which may come from a report
// that nobody vouches for.
func (e *editor) awaiting(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	if m := edit.Made; edit.Location != patch.PolluterBody || len(m.Statements)+len(m.Fields)+len(m.Unshare)+len(m.Annotate) > 0 {
		return nil, &repair.UnfitError{Reason: "a test waits for what it begins in its own code, and with nothing else"}
	}
	built := &repair.Built{Files: map[string]string{}, Before: map[string]string{}}
	changes, edited := map[string][]change{}, map[string]string{}
	for i, id := range edit.Made.IDs() {
		if !slices.Contains(edit.Keep, id) {
			continue
		}
		file, line, column, err := position(edit.Made.Await[i])
		if err != nil {
			return nil, err
		}
		if !e.p.IsTestSource(e.p.launch.inCheckout(file)) {
			return nil, &repair.UnfitError{Reason: file + " is no file with tests"}
		}
		text, err := e.p.source(file)
		if err != nil {
			return nil, &repair.UnfitError{Reason: err.Error()}
		}
		list, statements, err := e.parser.waiting(ctx, question{File: file, Text: text, Line: line, Column: column})
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if !slices.Contains(changes[file], c) { // a function becomes asynchronous once
				changes[file] = append(changes[file], c)
			}
		}
		built.Kept, built.Statements = append(built.Kept, id), append(built.Statements, statements...)
		built.Before[e.p.launch.inCheckout(file)] = text
	}
	for file, list := range changes {
		path := e.p.launch.inCheckout(file)
		text := apply(built.Before[path], lineEnds(built.Before[path], list))
		if err := e.parser.keeps(ctx, file, text, text); err != nil { // it is no program
			return nil, err
		}
		built.Files[path], edited[file] = text, text
	}
	built.Overlay = e.p.addOverlay(edited)
	return built, nil
}

// position reads FILE:LINE:COLUMN.
func position(place string) (file string, line, column int, err error) {
	rest, last, ok := cutLast(place)
	file, middle, ok2 := cutLast(rest)
	column, err1 := strconv.Atoi(last)
	line, err2 := strconv.Atoi(middle)
	if !ok || !ok2 || err1 != nil || err2 != nil || line < 1 || column < 1 {
		return "", 0, 0, &repair.UnfitError{Reason: place + " is no place in a source"}
	}
	return file, line, column, nil
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// waiting returns the changes that make a test wait for what it begins at a position, and the
// statements with which it does.
func (p *parser) waiting(ctx context.Context, q question) ([]change, []string, error) {
	var answer struct {
		Why     string `json:"why"`
		Changes []struct {
			Start int    `json:"start"`
			End   int    `json:"end"`
			Text  string `json:"text"`
		} `json:"changes"`
		Statements []string `json:"statements"`
	}
	q.Op = "waiting"
	if err := p.ask(ctx, q, &answer); err != nil {
		return nil, nil, err
	}
	if answer.Why != "" {
		return nil, nil, &repair.UnfitError{Reason: answer.Why}
	}
	var out []change
	for _, c := range answer.Changes {
		if c.Start < 0 || c.End < c.Start || c.End > len(q.Text) {
			return nil, nil, fmt.Errorf("the parser's answer for %s does not fit it", q.File)
		}
		out = append(out, change{c.Start, c.End, c.Text})
	}
	return out, answer.Statements, nil
}
