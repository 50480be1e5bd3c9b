package jest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Project is one package of a checkout, copied, and ready to run its tests.
type Project struct {
	*processes
	opts   project.Options
	log    *zap.Logger
	launch launch
	suite  *suite.Suite
	info   harness.Info
	files  []string // the test files, as ids name them, in the order in which Jest runs them

	leftOut []string // why projects of Jest's configuration are not used

	variants  variants
	calls     calls
	installed string // where the packages are installed

	work string // where copies are
	lock io.Closer
	// stopClean ends the removal of old copies of other projects.
	stopClean func()
	main      string // the script of a test process
	tree      *tree  // the checkout as it was when the project was opened
}

var (
	_ project.Project  = (*Project)(nil)
	_ project.Editable = (*Project)(nil)
)

// About implements project.Project.
func (p *Project) About() project.About {
	a := project.About{
		Language: Language{}.Name(), Once: true, SetUps: true, CompilesLate: true, Root: p.launch.top, Module: p.launch.pkg, Name: p.launch.man.Name,
		Runner:  strings.Join(p.info.Frameworks, ", "),
		Runtime: p.info.Java, BuildArgs: p.opts.BuildArgs, Local: []string{p.work, p.launch.root, p.launch.top},
	}
	if a.Name == "" {
		a.Name = filepath.Base(p.launch.dir())
	}
	if a.Build = "no package manager"; findClient(p.launch.root) != nil {
		a.Build = findClient(p.launch.root).name
	}
	if len(p.launch.wrapper) > 0 {
		a.Build += ", " + p.launch.wrapper[0]
	}
	a.Notes = slices.Concat(p.launch.notes(), p.leftOut, p.suite.Sentences())
	return a
}

// Suite implements project.Project.
func (p *Project) Suite() *suite.Suite { return p.suite }

// Syntax implements project.Project.
func (p *Project) Syntax() suite.Syntax { return jestid.Syntax{} }

// Explain implements project.Project.
func (p *Project) Explain(err error) *project.Error { return explain(err) }

// Source implements project.Project.
func (p *Project) Source(path string) (string, error) {
	return p.source(p.launch.below(path))
}

// source is the text of a file, relative to the root of the workspace; "" is none.
func (p *Project) source(path string) (string, error) {
	if path == "" || !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", fmt.Errorf("%s is outside of the project", path)
	}
	data, err := os.ReadFile(filepath.Join(p.tree.dir, filepath.FromSlash(path)))
	if err != nil {
		return "", fmt.Errorf("there is no file %s in the project", path)
	}
	return string(data), nil
}

// IsTestSource implements project.Project. A file with tests that several test files define is one, too.
func (p *Project) IsTestSource(path string) bool {
	rel := p.launch.below(path)
	return slices.Contains(p.files, rel) || p.definesTests(rel)
}

// definesTests reports whether a file of the project, by its path and its text, defines tests for others.
func (p *Project) definesTests(rel string) bool {
	file, there := p.tree.entries[rel]
	hasTests := jestid.TestSource(rel)
	if !there || !file.mode.IsRegular() || hasTests == nil || notOwn.MatchString("/"+rel) {
		return false
	}
	text, err := p.source(rel)
	return err == nil && hasTests(text)
}

// notOwn are paths of packages of others, of mocks, and of folders of tools.
var notOwn = regexp.MustCompile(`/(__mocks__|node_modules|\.[^/]*)/`)

// IsProductionSource implements project.Project.
func (p *Project) IsProductionSource(path string) bool {
	rel := p.launch.below(path)
	_, there := p.tree.entries[rel] // a file that a change has removed stays away
	return there && isCode(rel) && !p.IsTestSource(path) && !ofTests.MatchString("/"+rel)
}

// ofTests are paths of code that tests share, such as mocks and setups, and of packages of others.
var ofTests = regexp.MustCompile(`(?i)/(__mocks__|node_modules)/|/[^/]*(test|spec|setup|fixture)[^/]*(/|$)`)

// Build implements repair.Builder.
func (p *Project) Build(ctx context.Context, files map[string]string) (repair.Site, error) {
	below := map[string]string{}
	for path, text := range files {
		rel := p.launch.below(path)
		if rel == "" {
			return nil, &repair.UnfitError{Reason: path + " is outside of the package's workspace"}
		}
		below[rel] = text
	}
	return p.processes.Build(ctx, below)
}

// DefinedIn implements project.Project.
func (p *Project) DefinedIn(files []string) ([]suite.TestID, error) {
	var below []string
	for _, f := range files {
		below = append(below, p.launch.below(f))
	}
	return p.testsIn(below), nil
}

// testsIn are the tests of files, which are relative to the root of the workspace.
func (p *Project) testsIn(files []string) []suite.TestID {
	var out []suite.TestID
	for _, t := range p.suite.Order() {
		if slices.Contains(files, jestid.File(t)) {
			out = append(out, t)
		}
	}
	return out
}

// AffectedBy implements project.Project. Jest itself knows which test files reach a file.
func (p *Project) AffectedBy(ctx context.Context, files []string) (tests []suite.TestID, unknown []string, err error) {
	s, err := p.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer p.give(s)
	args := []string{"--findRelatedTests"}
	for _, f := range files {
		rel := p.launch.below(f)
		if _, there := p.tree.entries[rel]; !there || !isCode(rel) {
			unknown = append(unknown, f)
			continue
		}
		args = append(args, filepath.Join(s.dir, filepath.FromSlash(rel)))
	}
	if len(args) == 1 {
		return nil, unknown, nil
	}
	reached, _, err := p.testFiles(ctx, s, args...)
	if err != nil {
		return nil, nil, err
	}
	for i, f := range reached {
		reached[i] = jestid.File(suite.TestID(f))
	}
	return p.testsIn(reached), unknown, nil
}

// isCode reports whether Jest follows what the file imports.
func isCode(path string) bool {
	switch strings.TrimLeft(filepath.Ext(path), ".") {
	case "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte":
		return !strings.Contains(filepath.Base(path), ".config.")
	}
	return false
}

// Fingerprint implements project.Project.
func (p *Project) Fingerprint(ctx context.Context) (string, error) {
	h := sha256.New()
	for _, t := range p.suite.Order() {
		fmt.Fprintf(h, "%s\n", t)
	}
	fmt.Fprintf(h, "%s\n%s\n%q\n%s\n", p.info.Java, p.launch.fingerprint(p.slots[0].dir), p.opts.BuildArgs, p.opts.TestTimeout)
	var names []string
	for rel, e := range p.tree.entries {
		if e.mode.IsRegular() {
			names = append(names, rel)
		}
	}
	sort.Strings(names)
	for _, rel := range names {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		f, err := os.Open(filepath.Join(p.tree.dir, filepath.FromSlash(rel)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "file %s\n", rel)
		_, err = io.Copy(h, f)
		_ = f.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Close implements project.Project.
func (p *Project) Close() error {
	var errs []error
	if p.processes != nil {
		errs = append(errs, p.variants.close(), p.processes.close())
	}
	if p.lock != nil {
		p.stopClean()
		errs = append(errs, p.sweep(), p.lock.Close())
		p.lock = nil
	}
	return errors.Join(errs...)
}
