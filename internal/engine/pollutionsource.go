package engine

import (
	"context"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/maven"
	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// from finds the tests whose class comes from one of the files.
func (p *project) from(files []string, into map[suite.TestID]bool) error {
	classes, err := maven.ReadClasses(p.launch.ClassPath)
	if err != nil {
		return err
	}
	named, _ := classes.From(files)
	for _, t := range p.original {
		into[t] = named[topLevel(t)]
	}
	return nil
}

// locate finds where the polluting tests stand in the checkout. What is not found is left out: it is no part of the finding.
func (w *worker) locate(ctx context.Context, p *project, found *state.Pollutions, r *job.Report) {
	if len(found.Tests) == 0 {
		return
	}
	e, err := w.editor(ctx, p)
	if err != nil {
		r.Notes = append(r.Notes, "Where the tests stand in their sources could not be looked up: "+err.Error())
		return
	}
	defer e.Close()
	known := map[string]*workbench.Outline{}
	for i := range found.Tests {
		class := binaryName(found.Tests[i].Test)
		if _, asked := known[class]; !asked {
			if known[class], err = e.client.Outline(ctx, workbench.OutlineRequest{Project: e.project, Type: class}); err != nil {
				w.log.Debug("no outline", zap.String("class", class), zap.Error(err))
				known[class] = nil
			}
		}
		if o := known[class]; o != nil {
			found.Tests[i].Source = sourceOf(o, p.build.Checkout(), class, found.Tests[i].Test.Method())
		}
	}
}

// binaryName is the name of the class that a test belongs to, without the suites by which it was reached.
func binaryName(t suite.TestID) string {
	c := t.Class()
	return c[strings.LastIndexByte(c, '>')+1:]
}

// sourceOf finds a method in its class's outline; nil where the class is not in the checkout.
func sourceOf(o *workbench.Outline, top, class, method string) *state.Source {
	file, err := filepath.Rel(top, o.File)
	if err != nil || !filepath.IsLocal(file) {
		return nil
	}
	if i := strings.IndexAny(method, "([{ "); i >= 0 {
		method = method[:i] // parameters, and which of a test's several runs it is
	}
	var out *state.Source
	for _, t := range o.Types {
		if t.Name != class {
			continue
		}
		out = &state.Source{File: filepath.ToSlash(file), Line: t.Line, EndLine: t.Line}
		for _, m := range t.Methods {
			if m.Name == method {
				out.Line, out.EndLine = m.Line, m.EndLine
				break
			}
		}
	}
	return out
}
