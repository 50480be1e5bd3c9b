package java

import (
	"context"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Location implements project.Editor.
func (e *editor) Location(ctx context.Context, t suite.TestID) (*state.Source, error) {
	class := classOf(t)
	o, known := e.outline(class)
	if !known {
		var err error
		if o, err = e.client.Outline(ctx, workbench.OutlineRequest{Project: e.project, Type: class}); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			e.log.Debug("no outline", zap.String("class", class), zap.Error(err))
			o = nil
		}
		e.keepOutline(class, o)
	}
	if o == nil {
		return nil, nil
	}
	return sourceOf(o, e.p.copy.Checkout(), class, methodOf(t)), nil
}

func (e *editor) outline(class string) (o *workbench.Outline, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o, known = e.outlines[class]
	return o, known
}

func (e *editor) keepOutline(class string, o *workbench.Outline) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.outlines == nil {
		e.outlines = map[string]*workbench.Outline{}
	}
	e.outlines[class] = o
}

// sourceOf finds a method in its class's outline; nil if the class is not in the checkout.
func sourceOf(o *workbench.Outline, top, class, method string) *state.Source {
	file, err := filepath.Rel(top, o.File)
	if err != nil || !filepath.IsLocal(file) {
		return nil
	}
	if i := strings.IndexAny(method, "([{ "); i >= 0 {
		method = method[:i] // cuts off parameters and the number of the invocation
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
