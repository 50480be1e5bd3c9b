package java

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// editor reads and edits the checkout's Java sources through the workbench. It does not read the
// copy's sources, because some builds rewrite them.
type editor struct {
	client  *workbench.Client
	p       *Project
	log     *zap.Logger
	project workbench.Project
	options workbench.CompilerOptions
	built   atomic.Int64

	mu       sync.Mutex
	outlines map[string]*workbench.Outline // of classes; nil if there is none
}

var _ project.Editor = (*editor)(nil)

// errNoJava means that no source can be edited. The diagnosis does not need sources.
var errNoJava = &project.Error{Code: project.CodeNoEditor,
	Message: "the build compiles no Java test sources, so there is nothing to patch",
	Hint:    "Kotlin and Groovy tests are run, but their sources cannot be edited yet."}

// Editor implements project.Editable: it starts the workbench on the project's own JDK.
func (p *Project) Editor(ctx context.Context) (project.Editor, error) {
	c := p.launch.Compiler
	if c == nil {
		return nil, errNoJava
	}
	java := p.launch.Java
	if c.JavaHome != "" {
		java = filepath.Join(c.JavaHome, "bin", filepath.Base(java))
	}
	jars := ""
	if p.opts.Work != "" {
		jars = filepath.Join(p.opts.Work, "jars")
	}
	client, err := workbench.Start(ctx, workbench.Options{Java: java, Dir: jars})
	if err != nil {
		return nil, err
	}
	classPath := slices.Concat(c.ClassPath, []string{p.jar})
	return &editor{
		client: client, p: p, log: p.log,
		project: workbench.Project{SourceRoots: p.sourceRoots(), Encoding: c.Encoding, ClassPath: classPath},
		options: workbench.CompilerOptions{ClassPath: classPath, ProcessorPath: c.ProcessorPath, Args: withoutEncoding(c.Args)},
	}, nil
}

func (e *editor) took(what string, began time.Time) {
	e.log.Debug(what, zap.Duration("took", time.Since(began)))
}

// withoutEncoding drops -encoding: the workbench compiles texts, not bytes.
func withoutEncoding(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "-encoding" {
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// Close ends the workbench.
func (e *editor) Close() error { return e.client.Close() }

// Script implements repair.Editor.
func (e *editor) Script(ctx context.Context, helper suite.Order, at suite.TestID) ([]repair.Statement, error) {
	defer e.took("reading statements", time.Now())
	s, err := e.client.Script(ctx, workbench.ScriptRequest{Project: e.project, Helpers: helper, Target: at})
	if err != nil {
		return nil, unfit(err)
	}
	var out []repair.Statement
	for _, st := range s.Statements {
		if !st.Shared {
			out = append(out, statement(st))
		}
	}
	return out, nil
}

func statement(s *workbench.Statement) repair.Statement {
	out := repair.Statement{ID: s.ID, Text: s.Text, Role: s.Role, Requires: s.Needs, Assertion: s.Assertion}
	for _, in := range s.Inner {
		out.Inner = append(out.Inner, statement(in))
	}
	return out
}

// unfit converts a problem or time-out of the workbench into an UnfitError. It returns other errors
// unchanged.
func unfit(err error) error {
	var p *workbench.Problem
	var slow *workbench.SlowError
	switch {
	case errors.As(err, &p):
		return &repair.UnfitError{Reason: p.Message}
	case errors.As(err, &slow):
		return &repair.UnfitError{Reason: slow.Error(), Unknown: true}
	}
	return err
}

// Build implements repair.Editor. It makes an edit of several files for each file separately, and
// joins the results.
func (e *editor) Build(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	if edit.Location == patch.VictimBlockSetup {
		return nil, &repair.UnfitError{Reason: "a class sets its state up before each test"}
	}
	var whole *repair.Built
	for _, tests := range byFile(edit) {
		one := edit
		one.At, one.Also, one.Keep = tests[0], tests[1:], edit.KeepAt(tests[0])
		if slices.ContainsFunc(one.Also, func(t suite.TestID) bool { return !slices.Equal(edit.KeepAt(t), one.Keep) }) {
			return nil, &repair.UnfitError{Reason: "one file would get different statements"}
		}
		part, err := e.buildAt(ctx, one)
		if err != nil {
			return nil, err
		}
		if whole == nil {
			whole = part
		} else if err := join(whole, part); err != nil {
			return nil, err
		}
		for _, s := range part.Statements {
			if len(edit.Except) > 0 && !slices.Contains(whole.Statements, s) {
				whole.Statements = append(whole.Statements, s)
			}
		}
	}
	if len(edit.Except) > 0 {
		whole.Kept = edit.Keep
	}
	return whole, nil
}

// byFile groups the tests at which an edit adds statements by their file.
func byFile(edit repair.Edit) (files [][]suite.TestID) {
	index := map[string]int{}
	for _, t := range append([]suite.TestID{edit.At}, edit.Also...) {
		top, _, _ := strings.Cut(junitid.Class(t), "$")
		i, known := index[top]
		if !known {
			i = len(files)
			index[top] = i
			files = append(files, nil)
		}
		files[i] = append(files[i], t)
	}
	return files
}

// join adds the files and classes of another edit. Two edits that change one file differently
// cannot be joined.
func join(whole, part *repair.Built) error {
	for path, text := range part.Files {
		if own, both := whole.Files[path]; both && own != text {
			return &repair.UnfitError{Reason: path + " would have to be changed in two ways"}
		}
		whole.Files[path], whole.Before[path] = text, part.Before[path]
	}
	if err := copyNew(whole.Overlay, part.Overlay); err != nil {
		return fmt.Errorf("putting class files together: %w", err)
	}
	return nil
}

// copyNew copies the files below a folder that do not exist in the other folder.
func copyNew(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if _, err := os.Lstat(target); err == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}

func (e *editor) buildAt(ctx context.Context, edit repair.Edit) (*repair.Built, error) {
	overlay := filepath.Join(e.p.work, fmt.Sprintf("overlay-%d", e.built.Add(1)))
	if err := os.MkdirAll(overlay, 0o755); err != nil {
		return nil, fmt.Errorf("no folder for class files: %w", err)
	}
	sources, helpers := e.project, edit.Helper
	if m := edit.Made; m != nil {
		sources.Made = &workbench.Made{Fields: m.Fields, Statements: m.Statements, Unshare: m.Unshare, Annotate: m.Annotate}
		helpers = suite.Order{workbench.MadeHelper}
	}
	defer e.took("compiling an edit", time.Now())
	a, err := e.client.Attempt(ctx, workbench.AttemptRequest{
		RenderRequest: workbench.RenderRequest{
			Project: sources, Helpers: helpers, Keep: edit.Keep, Switched: edit.Switched, Close: edit.Complete,
			Location: workbench.Location{Kind: string(edit.Location), Test: edit.At, Also: edit.Also}, Style: string(edit.Style),
		},
		Options: e.options, OutDir: overlay,
	})
	if err != nil {
		return nil, unfit(err)
	}
	if !a.OK {
		e.log.Debug("edit does not fit", zap.Any("edit", edit), zap.String("reason", a.Reason))
		return nil, &repair.UnfitError{Reason: a.Reason, Culprits: a.Culprits}
	}
	if len(a.Rendered.Unswitchable) > 0 && edit.Switched {
		return nil, &repair.UnfitError{Reason: a.Rendered.Unswitchable[0].Message}
	}
	return e.result(a.Rendered, overlay)
}

func (e *editor) result(r *workbench.Rendered, overlay string) (*repair.Built, error) {
	b := &repair.Built{Files: map[string]string{}, Before: map[string]string{}, Statements: r.Statements, Kept: r.Kept, Overlay: overlay}
	for _, f := range r.Files {
		rel, err := filepath.Rel(e.p.copy.Checkout(), f.Path)
		if err != nil || strings.HasPrefix(rel, "..") {
			return nil, &repair.UnfitError{Reason: f.Path + " is generated or lies outside the checkout, so it cannot be patched"}
		}
		before, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		rel = filepath.ToSlash(rel)
		b.Files[rel], b.Before[rel] = string(f.Data), string(before)
	}
	return b, nil
}
