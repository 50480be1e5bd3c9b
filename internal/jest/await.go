package jest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// atEnd at the end of a place means that the test waits at its end, and not at once.
const atEnd = ":end"

// Rewrites implements project.Editor: a test that begins something waits for it, at once or at the end
// of the test, which may check what is the case before. Where it begins several things, it waits for
// each alone at first, then for all. What the tests of a file share can be set up for each of them.
func (e *editor) Rewrites(ctx context.Context, places []string, tests []suite.TestID) []patch.Made {
	var out []patch.Made
	var all patch.Made
	for _, place := range places {
		if strings.HasPrefix(place, state.Hooks) && len(tests) > 0 {
			out = append(out, e.setUpEach(ctx, tests[0], place)...)
		}
		if at, ok := strings.CutPrefix(place, state.Unfinished); ok {
			out = append(out, patch.Made{Await: []string{at}, Resets: place}, patch.Made{Await: []string{at + atEnd}, Resets: place})
			all.Await = append(all.Await, at)
		}
	}
	if len(all.Await) > 1 {
		all.Resets = state.Unfinished + strings.Join(all.Await, ", "+state.Unfinished)
		late := all
		late.Await = nil
		for _, at := range all.Await {
			late.Await = append(late.Await, at+atEnd)
		}
		out = append(out, all, late)
	}
	return out
}

// awaited is a call with await where the file awaits such calls: what the function begins goes on after it.
func (o *outline) awaited(call string) string {
	if function, _, ok := strings.Cut(call, "("); ok && accessPath.MatchString(function) && strings.Contains(o.text, "await "+function+"(") {
		return "await " + call
	}
	return call
}

// awaiting makes tests wait for what they begin at the places of the edit, which may come from a report
// that nobody vouches for. An edit that is complete leaves out places where a test cannot wait.
func (e *editor) awaiting(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	if m := edit.Made; edit.Location != patch.PolluterBody || len(m.Statements)+len(m.Fields)+len(m.Unshare)+len(m.Annotate) > 0 {
		return nil, &repair.UnfitError{Reason: "a test waits for what it begins in its own code, and with nothing else"}
	}
	places, err := placesOf(edit)
	if err != nil {
		return nil, err
	}
	built := &repair.Built{Files: map[string]string{}, Before: map[string]string{}}
	edited, said := map[string]string{}, map[string][]string{}
	var unfit error
	for _, at := range places {
		path := e.p.launch.inCheckout(at.file)
		text, statements, err := e.waiting(ctx, at, edited)
		if _, ok := errors.AsType[*repair.UnfitError](err); ok && edit.Complete {
			unfit = cmp.Or(unfit, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if _, known := built.Before[path]; !known {
			if built.Before[path], err = e.p.source(at.file); err != nil {
				return nil, err
			}
		}
		built.Files[path], edited[at.file], said[at.id] = text, text, statements
	}
	if len(said) == 0 {
		return nil, cmp.Or[error](unfit, &repair.UnfitError{Reason: "no place is left at which a test waits"})
	}
	for _, id := range edit.Keep {
		if statements, ok := said[id]; ok {
			built.Kept, built.Statements = append(built.Kept, id), append(built.Statements, statements...)
		}
	}
	built.Overlay = e.p.addOverlay(edited)
	return built, nil
}

// waiting returns the text of a file after a test in it waits at a place, and the statements with which
// it does. edited has the files that were changed before.
func (e *editor) waiting(ctx context.Context, at sourcePlace, edited map[string]string) (string, []string, error) {
	if !e.p.IsTestSource(e.p.launch.inCheckout(at.file)) {
		return "", nil, &repair.UnfitError{Reason: at.file + " is no file with tests"}
	}
	before, ok := edited[at.file]
	if !ok {
		var err error
		if before, err = e.p.source(at.file); err != nil {
			return "", nil, &repair.UnfitError{Reason: err.Error()}
		}
	}
	list, statements, err := e.parser.waiting(ctx, question{File: at.file, Text: before, Line: at.line, Column: at.column, End: at.end})
	if err != nil {
		return "", nil, err
	}
	text := apply(before, lineEnds(before, list))
	return text, statements, e.parser.keeps(ctx, at.file, text, text) // whether it is a program
}

// sourcePlace is a place of an edit.
type sourcePlace struct {
	id, file     string
	line, column int
	end          bool
}

// placesOf returns the places that an edit keeps, the last ones of each file first: an edit moves what
// is behind it.
func placesOf(edit repair.Edit) ([]sourcePlace, error) {
	var out []sourcePlace
	for i, id := range edit.Made.IDs() {
		if !slices.Contains(edit.Keep, id) {
			continue
		}
		at := sourcePlace{id: id}
		var err error
		var place string
		place, at.end = strings.CutSuffix(edit.Made.Await[i], atEnd)
		if at.file, at.line, at.column, err = position(place); err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	slices.SortStableFunc(out, func(a, b sourcePlace) int { return cmp.Or(b.line-a.line, b.column-a.column) })
	return out, nil
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
