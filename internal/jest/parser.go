package jest

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/wholefile"
)

//go:embed script/parser
var parserScript embed.FS

// parser is a Node process that parses sources with the Babel that the project's Jest carries.
type parser struct {
	spec harness.Spec

	mu     sync.Mutex
	child  *harness.Child // nil: the next question starts one
	out    *bufio.Reader
	closed bool
	known  map[string]*outline // by file and text
}

// parseTime bounds one answer.
const parseTime = 30 * time.Second

// newParser starts the process in the folder of the package.
func newParser(l *launch, work, dir string) (*parser, error) {
	files, err := fs.Sub(parserScript, "script/parser")
	if err != nil {
		return nil, err
	}
	folder, err := wholefile.FolderByContent(filepath.Join(work, "scripts"), "parser", files)
	if err != nil {
		return nil, err
	}
	main := filepath.Join(folder, "main.cjs")
	spec := harness.Spec{Command: []string{l.node, main, l.Babel}, Env: l.environ(dir, ""), Dir: dir}
	p := &parser{spec: spec, known: map[string]*outline{}}
	return p, p.start()
}

// start starts the process if there is none.
func (p *parser) start() (err error) {
	switch {
	case p.closed:
		return errors.New("the parser of JavaScript is closed")
	case p.child != nil:
		return nil
	}
	if p.child, err = harness.Start(p.spec); err == nil {
		p.out = bufio.NewReaderSize(p.child.Stdout, 1<<16)
	}
	return err
}

// question is one line that the process reads.
type question struct {
	Op    string `json:"op"`
	File  string `json:"file"`
	Text  string `json:"text"`
	After string `json:"after,omitempty"` // of an edit

	Line   int  `json:"line,omitempty"`
	Column int  `json:"column,omitempty"`
	End    bool `json:"end,omitempty"`
}

// ask sends one question and waits for its answer. What the parser cannot do is an
// *repair.UnfitError. A process that has not answered in time is replaced at the next question.
func (p *parser) ask(ctx context.Context, q question, answer any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.start(); err != nil {
		return err
	}
	child, out := p.child, p.out
	type reply struct {
		line []byte
		err  error
	}
	got := make(chan reply, 1)
	go func() {
		line, err := json.Marshal(q)
		if err == nil {
			_, err = child.Stdin.Write(append(line, '\n'))
		}
		if err == nil {
			line, err = out.ReadBytes('\n')
		}
		got <- reply{line, err}
	}()
	timer := time.NewTimer(parseTime)
	defer timer.Stop()
	var r reply
	select {
	case r = <-got:
	case <-ctx.Done():
		r.err = ctx.Err()
	case <-timer.C:
		r.err = fmt.Errorf("parsing %s took more than %v", q.File, parseTime)
	}
	if r.err != nil {
		child.Kill()
		p.child = nil
		return fmt.Errorf("the parser of JavaScript gave no answer about %s: %w", q.File, r.err)
	}
	var failed struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(r.line, &failed); err != nil {
		return err
	}
	if failed.Error != "" {
		return &repair.UnfitError{Reason: q.File + " cannot be parsed: " + failed.Error}
	}
	return json.Unmarshal(r.line, answer)
}

// outline is what stands where in a text.
func (p *parser) outline(ctx context.Context, file, text string) (*outline, error) {
	key := file + "\x00" + text
	p.mu.Lock()
	o := p.known[key]
	p.mu.Unlock()
	if o != nil {
		return o, nil
	}
	o = &outline{file: file, text: text}
	if err := p.ask(ctx, question{Op: "outline", File: file, Text: text}, o); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.writable()
	p.mu.Lock()
	p.known[key] = o
	p.mu.Unlock()
	return o, nil
}

// snippet parses statements that no test holds.
func (p *parser) snippet(ctx context.Context, file, text string) ([]statement, error) {
	var answer struct {
		Statements []statement `json:"statements"`
	}
	err := p.ask(ctx, question{Op: "snippet", File: file, Text: text}, &answer)
	return answer.Statements, err
}

// keeps refuses an edit after which the file lacks one of its statements: it has become a part of an
// added one.
func (p *parser) keeps(ctx context.Context, file, before, after string) error {
	var answer struct {
		Lost string `json:"lost"`
	}
	err := p.ask(ctx, question{Op: "lost", File: file, Text: before, After: after}, &answer)
	if err == nil && answer.Lost != "" {
		err = &repair.UnfitError{Reason: "the statements would change this one beside them: " + answer.Lost[:min(len(answer.Lost), 60)]}
	}
	return err
}

// export is a function without required parameters that a module offers: Path is a method of what
// is exported, or empty.
type export struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

func (p *parser) exported(ctx context.Context, file, text string) ([]export, error) {
	var answer struct {
		Exported []export `json:"exported"`
	}
	err := p.ask(ctx, question{Op: "exported", File: file, Text: text}, &answer)
	return suite.Filter(answer.Exported, func(x export) bool {
		return (x.Name == "*" || identifier.MatchString(x.Name)) && (x.Path == "" || identifier.MatchString(x.Path))
	}), err
}

// Close ends the process.
func (p *parser) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed = true; p.child != nil {
		p.child.Kill()
	}
	return nil
}
