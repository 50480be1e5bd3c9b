package projecttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Shell is a small language in memory. It runs tests and edits their sources, and cannot observe
// state. A file is a group. In it, "test NAME" begins a test. The lines below it are its
// statements: "set K=V", "unset K", "add K=V", which adds V to the values of the variable K of the
// process, "want K=V", which fails unless K has that value ("want K=": none), "refuse K=V", which
// fails if V is one of its values, "leave F", which writes a file, "miss F", which fails if the
// file is there, "call F", which performs the statements of the file F, and "exit", which ends the
// process. F.code is production code. It does not build if it has the line "broken".
type Shell struct {
	Files    map[string]string
	Isolated bool // each file runs in a separate process
}

var _ project.Language = Shell{}

// Name implements project.Language.
func (Shell) Name() string { return "shell" }

// Recognises implements project.Language.
func (Shell) Recognises(string) bool { return true }

// Build implements project.Language.
func (Shell) Build(context.Context, project.Options) error { return nil }

// Open implements project.Language.
func (l Shell) Open(_ context.Context, o project.Options) (project.Project, error) {
	p := &shell{files: maps.Clone(l.Files), dir: o.Dir, isolated: l.Isolated, parallel: cmp.Or(o.Parallel, 2),
		overlays: map[string]map[string]string{}, stats: project.Stats{Questions: map[suite.Price]int{}}}
	root := &suite.Node{}
	for _, file := range slices.Sorted(maps.Keys(l.Files)) {
		if len(testsOf(l.Files[file])) == 0 {
			continue // production code
		}
		group := &suite.Node{Name: file}
		for _, t := range testsOf(l.Files[file]) {
			group.Children = append(group.Children, &suite.Node{Name: t, Test: suite.TestID(file + " " + t)})
		}
		root.Children = append(root.Children, group)
	}
	p.suite = &suite.Suite{Root: root}
	return p, nil
}

// shell is a project of the language.
type shell struct {
	files    map[string]string
	dir      string
	isolated bool
	parallel int
	suite    *suite.Suite

	mu       sync.Mutex
	overlays map[string]map[string]string // edited files, by the name of the edit
	stats    project.Stats
	closed   bool
}

var (
	_ project.Project  = (*shell)(nil)
	_ project.Editable = (*shell)(nil)
)

func (p *shell) About() project.About {
	return project.About{Language: "shell", Root: p.dir, Name: "shell", Build: "none", Runner: "in memory",
		Isolated: p.isolated}
}
func (p *shell) Suite() *suite.Suite  { return p.suite }
func (p *shell) Syntax() suite.Syntax { return shellSyntax{} }
func (p *shell) Parallel() int        { return p.parallel }
func (p *shell) Serial() bool         { return false }
func (p *shell) Series(context.Context, suite.Order, string, func(*suite.Run) (string, bool)) error {
	return errors.New("the shell has no series")
}
func (p *shell) Sequential()                                    {}
func (p *shell) Fingerprint(context.Context) (string, error)    { return fmt.Sprintf("%q", p.files), nil }
func (p *shell) IsTestSource(file string) bool                  { return len(testsOf(p.files[file])) > 0 }
func (p *shell) IsProductionSource(file string) bool            { return strings.HasSuffix(file, ".code") }
func (p *shell) Explain(error) *project.Error                   { return nil }
func (p *shell) Notes() []string                                { return nil }
func (p *shell) Editor(context.Context) (project.Editor, error) { return &shellEditor{p: p}, nil }
func (p *shell) Reproduce(_ context.Context, o suite.Order) (*project.Command, error) {
	return &project.Command{What: "fails in the shell", Dir: ".", Line: fmt.Sprintf("shell %q", o), Exit: 1}, nil
}

func (p *shell) Source(file string) (string, error) {
	if text, ok := p.files[file]; ok {
		return text, nil
	}
	return "", fmt.Errorf("there is no file %s", file)
}

func (p *shell) AffectedBy(_ context.Context, files []string) (tests []suite.TestID, unknown []string, err error) {
	for _, f := range files {
		if p.files[f] == "" {
			unknown = append(unknown, f)
		}
	}
	tests, err = p.DefinedIn(files)
	return tests, unknown, err
}

func (p *shell) DefinedIn(files []string) (tests []suite.TestID, err error) {
	for _, t := range p.suite.Order() {
		if slices.Contains(files, shellSyntax{}.Group(t)) {
			tests = append(tests, t)
		}
	}
	return tests, nil
}

func (p *shell) Stats() project.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Questions = maps.Clone(s.Questions)
	return s
}

func (p *shell) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return nil
}

func (p *shell) Run(_ context.Context, o suite.Order, t repair.Trial) (*suite.Run, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in(p.edited(t.Overlay), o, t, watch{})
}

// edited returns the files of an edit, or those of the project. The caller holds the lock.
func (p *shell) edited(overlay string) map[string]string {
	if overlay != "" {
		return p.overlays[overlay]
	}
	return p.files
}

// watch is called before each test, and after it with the statements that the test performed.
type watch struct {
	before func(position int, variables map[string]string)
	after  func(position int, performed []string, variables map[string]string)
}

// in runs the order in a separate process. The caller holds the lock.
func (p *shell) in(files map[string]string, o suite.Order, t repair.Trial, w watch) (*suite.Run, error) {
	if p.closed {
		return nil, errors.New("the project is closed")
	}
	var gone []suite.TestID
	for _, id := range o {
		if !p.suite.Has(id) {
			gone = append(gone, id)
		}
	}
	if len(gone) > 0 {
		return nil, &project.RefusedError{Reason: "there is no such test", Tests: gone, Gone: true}
	}
	p.stats.Starts++
	p.stats.Questions[t.Price]++
	run, variables := &suite.Run{Order: o, Price: t.Price}, map[string]string{}
	for i, id := range o {
		if w.before != nil {
			w.before(i, variables)
		}
		r := suite.Result{Test: id, Position: i, Outcome: suite.Pass}
		lines := called(files, linesOf(files, id))
		for n, line := range lines {
			if line == "exit" {
				r.Outcome, lines = suite.Unresolved, lines[:n]
				run.Crash = &suite.Crash{Kind: "exit", During: id, Detail: "it ran exit"}
				break
			}
			if err := perform(line, t.Switches, variables); err != nil {
				r.Outcome, r.Failure, lines = suite.Fail, &suite.Failure{Message: err.Error()}, lines[:n+1]
				break
			}
		}
		if w.after != nil {
			w.after(i, lines, variables)
		}
		p.stats.Tests++
		run.Results = append(run.Results, r)
		if run.Crash != nil {
			break
		}
	}
	for i := len(run.Results); i < len(o); i++ {
		run.Results = append(run.Results, suite.Result{Test: o[i], Position: i, Outcome: suite.Unresolved})
	}
	return run, nil
}

// filePlace is the prefix of the key of a file that a test has written.
const filePlace = "file "

// perform runs one statement. "3? set a=b" runs only if switch 3 is on.
func perform(line, switches string, variables map[string]string) error {
	if number, rest, ok := strings.Cut(line, "? "); ok {
		var k int
		if _, err := fmt.Sscanf(number, "%d", &k); err != nil {
			return err
		}
		if k < len(switches) && switches[k] == '0' {
			return nil
		}
		line = rest
	}
	word, rest, _ := strings.Cut(line, " ")
	key, value, _ := strings.Cut(rest, "=")
	switch word {
	case "set":
		variables[key] = value
	case "add":
		variables[key] += " " + value
	case "unset":
		delete(variables, key)
	case "want":
		if variables[key] != value {
			return fmt.Errorf("%s is %q, not %q", key, variables[key], value)
		}
	case "refuse":
		if slices.Contains(strings.Fields(variables[key]), value) {
			return fmt.Errorf("%s is %q", key, variables[key])
		}
	case "leave":
		variables[filePlace+rest] = "there"
	case "miss":
		if variables[filePlace+rest] != "" {
			return fmt.Errorf("there is a file %s", rest)
		}
	default:
		return fmt.Errorf("no such statement: %s", line)
	}
	return nil
}

// Build implements repair.Builder.
func (p *shell) Build(_ context.Context, files map[string]string) (repair.Site, error) {
	all := maps.Clone(p.files)
	maps.Copy(all, files)
	for name, text := range all {
		if strings.HasSuffix(name, ".code") && strings.Contains(text, "broken\n") {
			return nil, &repair.UnfitError{Reason: name + " is broken\nas it says"}
		}
	}
	return &shellSite{p: p, files: all}, nil
}

type shellSite struct {
	p     *shell
	files map[string]string
}

func (s *shellSite) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.p.in(s.files, o, repair.Trial{Price: suite.Fresh}, watch{})
}
func (s *shellSite) Alone() repair.Site { return s }
func (s *shellSite) Parallel() int      { return s.p.parallel }
func (s *shellSite) Close() error       { return nil }

// testsOf returns the names of the tests in a file.
func testsOf(text string) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		if name, ok := strings.CutPrefix(line, "test "); ok {
			out = append(out, name)
		}
	}
	return out
}

// linesOf returns the statements of a test.
func linesOf(files map[string]string, id suite.TestID) (out []string) {
	file, name, _ := strings.Cut(string(id), " ")
	in := false
	for _, line := range strings.Split(files[file], "\n") {
		if test, ok := strings.CutPrefix(line, "test "); ok {
			in = test == name
		} else if in && line != "" {
			out = append(out, line)
		}
	}
	return out
}

// called replaces calls of production code by the statements of that file.
func called(files map[string]string, lines []string) (out []string) {
	for _, line := range lines {
		before, file, ok := strings.Cut(line, "call ") // before: a switch
		if !ok {
			out = append(out, line)
			continue
		}
		for _, statement := range strings.Split(strings.TrimSpace(files[file]), "\n") {
			out = append(out, before+statement)
		}
	}
	return out
}

// shellSyntax reads ids such as "colours.sh red": the file, and the test in it.
type shellSyntax struct{}

func (shellSyntax) Group(t suite.TestID) string  { f, _, _ := strings.Cut(string(t), " "); return f }
func (shellSyntax) Name(t suite.TestID) string   { _, n, _ := strings.Cut(string(t), " "); return n }
func (s shellSyntax) Unit(t suite.TestID) string { return s.Group(t) }
func (shellSyntax) Short(t suite.TestID) string  { return path.Base(string(t)) }
func (s shellSyntax) Source(t suite.TestID) string {
	return strings.TrimSuffix(s.Group(t), ".sh")
}
func (s shellSyntax) Spellings(t suite.TestID) []string {
	return []string{s.Name(t), s.Group(t)}
}
func (shellSyntax) Readings(name string) []string   { return []string{name} }
func (s shellSyntax) Words(t suite.TestID) []string { return []string{s.Name(t)} }
func (shellSyntax) Last(name string) string         { return name }
func (shellSyntax) Nouns() suite.Nouns {
	return suite.Nouns{Group: "script", Groups: "scripts", Test: "SCRIPT#TEST", State: "shared state"}
}
