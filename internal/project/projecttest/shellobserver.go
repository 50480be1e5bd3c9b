package projecttest

import (
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// ObservedShell is the Shell whose variables are observed.
type ObservedShell struct{ Shell }

// Open implements project.Language.
func (l ObservedShell) Open(ctx context.Context, o project.Options) (project.Project, error) {
	p, err := l.Shell.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return observedShell{p.(*shell)}, nil
}

type observedShell struct{ *shell }

var _ project.Observer = observedShell{}

// variablePlace is the prefix of a variable's name as a field whose reads are observed.
const variablePlace = "variable."

// Observe implements project.Observer.
func (p observedShell) Observe(_ context.Context, o suite.Order, look project.Look) (*project.Observation, error) {
	groups := suite.NewGroups(p.suite, shellSyntax{})
	trace, heap := state.NewTrace(o, groups), state.NewHeap(o, groups)
	places := map[string]int{}
	place := func(name string) int {
		if _, known := places[name]; !known {
			places[name] = len(places)
			trace.Field(variablePlace+name, false)
		}
		return places[name]
	}
	var held map[string]string // before the test
	run, err := p.watched(o, look.Overlay, watch{
		before: func(_ int, variables map[string]string) { held = maps.Clone(variables) },
		after: func(position int, performed []string, variables map[string]string) {
			s, c := state.Segment{Kind: 't', Position: position}, state.Capture{Kind: 't', Position: position}
			for _, line := range performed {
				word, rest, _ := strings.Cut(line, " ")
				name, _, _ := strings.Cut(rest, "=")
				if word == "leave" || word == "miss" {
					continue // files are not observed
				}
				if word == "want" || word == "refuse" {
					s.Read = append(s.Read, place(name))
				} else {
					s.Written = append(s.Written, place(name))
				}
			}
			for _, name := range slices.Sorted(maps.Keys(places)) {
				if before, after := held[name], variables[name]; before != after {
					s.Values = append(s.Values, state.Value{Field: place(name), Before: fingerprint(before), After: fingerprint(after)})
					c.Changes = append(c.Changes,
						state.Change{Field: variablePlace + name, Path: variablePlace + name, Before: before, After: after})
				}
			}
			trace.Segment(s)
			heap.Capture(c)
		},
	})
	if err != nil {
		return nil, err
	}
	for _, r := range run.Results {
		if r.Outcome == suite.Fail {
			trace.Failed(r.Position)
		}
	}
	if !look.Contents {
		heap = nil
	}
	return &project.Observation{Trace: trace, Heap: heap, Run: run}, nil
}

func fingerprint(value string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(value))
	return int64(h.Sum64())
}

// watched runs the order in a process that is watched.
func (p observedShell) watched(o suite.Order, overlay string, w watch) (*suite.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in(p.edited(overlay), o, repair.Trial{Price: suite.Fresh}, w)
}

// RunRestored implements project.Observer. No variable is set when a process begins.
func (p observedShell) RunRestored(_ context.Context, o suite.Order, places []string, before int) (*suite.Run, []project.Restored, error) {
	var restored []project.Restored
	run, err := p.watched(o, "", watch{before: func(position int, variables map[string]string) {
		if position == 0 || position != before {
			return
		}
		for _, place := range places {
			name := strings.TrimPrefix(place, variablePlace)
			if strings.HasPrefix(name, stuckVariable) {
				restored = append(restored, project.Restored{Field: place, Problem: "it cannot be written"})
				continue
			}
			restored = append(restored, project.Restored{Field: place, Changed: variables[name] != ""})
			delete(variables, name)
		}
	}})
	return run, restored, err
}

// FilesLeft implements project.Observer.
func (p observedShell) FilesLeft(_ context.Context, o suite.Order) (files []string, err error) {
	_, err = p.watched(o, "", watch{after: func(position int, _ []string, variables map[string]string) {
		if position == len(o)-1 {
			for _, key := range slices.Sorted(maps.Keys(variables)) {
				if name, ok := strings.CutPrefix(key, filePlace); ok {
					files = append(files, name)
				}
			}
		}
	}})
	return files, err
}

// Prefixes of variables: whose state they are, and whether they can be restored.
const (
	libraryVariable = "lib."
	stuckVariable   = "stuck."
)

// Origin implements project.Observer. A variable named after a file belongs to it.
func (observedShell) Origin(place string, t suite.TestID) project.Origin {
	name := strings.TrimPrefix(place, variablePlace)
	switch {
	case strings.HasPrefix(name, libraryVariable):
		return project.Library
	case strings.HasPrefix(name, shellSyntax{}.Source(t)+"."):
		return project.OwnGroup
	}
	return project.Own
}

// Unobserved implements project.Observer.
func (observedShell) Unobserved() string { return "Files are not observed." }
