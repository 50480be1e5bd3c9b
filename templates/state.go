package templates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// maxBelow is how many differences are shown of one place, or of several together.
const maxBelow = 3

// below returns the known differences of a field.
func below(t job.TestReport, place string) []job.StateChange {
	return suite.Filter(t.Changes, func(c job.StateChange) bool { return c.Field == place })
}

// stateLines lists the fields between two tests, each with its differences if they are known. Of
// several fields, none has so many that they hide another one.
func (w *wording) stateLines(t job.TestReport) []string {
	var out []string
	most := max(1, maxBelow/max(1, len(t.State)))
	for _, place := range t.State {
		changes := below(t, place)
		if len(changes) == 0 {
			out = append(out, w.listed(place))
			continue
		}
		for _, c := range changes[:min(most, len(changes))] {
			path := c.Path
			if !strings.HasPrefix(path, place) {
				path = w.changed(c)
			}
			out = append(out, path+": "+became(c))
		}
		if more := len(changes) - most; more > 0 {
			out[len(out)-1] += fmt.Sprintf(", and %s below %s", count(more, "other change"), w.short(place))
		}
	}
	return out
}

// unfinished reports whether the state is what tests begin and do not wait for.
func unfinished(places []string) bool {
	return len(places) > 0 && !slices.ContainsFunc(places, func(place string) bool { return !strings.HasPrefix(place, state.Unfinished) })
}

// became returns the value before and the value after.
func became(c job.StateChange) string { return c.Before + " → " + c.After }

// statePaths are the places with their classes' simple names: by the one difference below them,
// where it is the only one. With one place that has one, was says what became of it.
func (w *wording) statePaths(t job.TestReport) (paths []string, was string) {
	for _, place := range t.State {
		path := w.short(place)
		if c := below(t, place); len(c) == 1 {
			path, was = w.changed(c[0]), became(c[0])
		}
		paths = append(paths, path)
	}
	if len(paths) != 1 {
		was = ""
	}
	return paths, was
}
