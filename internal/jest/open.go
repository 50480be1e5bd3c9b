package jest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/odfix/odfix/internal/cache"
	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/jest/jestid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
	runner "github.com/odfix/odfix/runner/jest"
)

// open copies the checkout and finds its Jest.
func (p *Project) open(ctx context.Context) error {
	if p.opts.Budget > 0 {
		limited, cancel := context.WithTimeout(ctx, p.opts.Budget)
		defer cancel()
		ctx = limited
	}
	at, err := findPlace(p.opts)
	if err != nil {
		return err
	}
	p.launch = launch{place: at, command: findCommand(at.man.Scripts)}
	if p.launch.node, err = findNode(p.opts); err != nil {
		return err
	}
	if err := at.checkInstall(); err != nil {
		return err
	}
	limit, err := cache.Limit(os.Getenv)
	if err != nil {
		return &project.Error{Code: CodeCache, Message: err.Error(), Hint: "`odfix cache` shows what the folder holds."}
	}
	if p.work, p.lock, err = workFolder(ctx, p.opts, at.root); err != nil {
		return err
	}
	// The work folder is CACHE/jest/ID.
	p.stopClean = cache.Start(filepath.Dir(filepath.Dir(p.work)), limit, os.RemoveAll)
	if p.main, err = runner.Unpack(filepath.Join(p.work, "scripts")); err != nil {
		return err
	}
	if err := p.sweep(); err != nil {
		return err
	}
	if p.tree, err = copyTree(ctx, at.root, filepath.Join(p.work, "tree")); err != nil {
		return err
	}
	from := at.root
	if !at.installed() {
		if from, err = p.install(ctx); err != nil {
			return err
		}
	}
	return p.prepare(ctx, from)
}

// transforms is the folder in which test processes keep what Babel and other transformers made of a
// file. It is empty when a project is opened.
func (p *Project) transforms() string { return filepath.Join(p.work, "transforms") }

// sweep removes what a killed odfix left in the work folder.
func (p *Project) sweep() error {
	left, err := filepath.Glob(filepath.Join(p.work, "slot-*"))
	for _, dir := range append(left, filepath.Join(p.work, "tree"), p.transforms()) {
		err = errors.Join(err, removeAll(dir))
	}
	return err
}

// install installs the packages in a copy that is kept as long as the lock file stays the same.
func (p *Project) install(ctx context.Context) (dir string, err error) {
	h := sha256.New()
	for _, name := range []string{manifestFile, findClient(p.tree.dir).lock, ".npmrc", ".yarnrc.yml"} {
		data, _ := os.ReadFile(filepath.Join(p.tree.dir, name)) // what is not there counts as empty
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	sum := hex.EncodeToString(h.Sum(nil)[:6])
	dir = filepath.Join(p.work, "installed", sum)
	done := filepath.Join(p.work, "installed", sum+".done")
	if !isFile(done) || !isDir(dir) {
		if err := removeAll(filepath.Join(p.work, "installed")); err != nil {
			return "", err
		}
		if _, err := p.tree.clone(ctx, dir); err != nil {
			return "", err
		}
		p.opts.Progress("installing packages with " + findClient(p.tree.dir).name)
		if err := install(ctx, p.opts, dir); err != nil {
			return "", err
		}
		if err := os.WriteFile(done, nil, 0o644); err != nil {
			return "", err
		}
	}
	p.tree.modules = nil
	for _, rel := range append([]string{""}, p.launch.members()...) {
		if rel := slashed(filepath.Join(rel, modules)); isDir(filepath.Join(dir, rel)) {
			p.tree.modules = append(p.tree.modules, rel)
		}
	}
	return dir, nil
}

// maxCopies bounds what all working copies may take together, in bytes.
const maxCopies = 8 << 30

// prepare makes the working copies, and finds Jest in them.
func (p *Project) prepare(ctx context.Context, from string) error {
	n := p.opts.Parallel
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = max(1, min(n, int(maxCopies/max(1, p.tree.size()))))
	p.installed = from
	p.processes = newProcesses(p.log, p.tree, n)
	p.isTest = func(rel string) bool { return slices.Contains(p.files, rel) }
	for i := range n {
		s := &slot{dir: filepath.Join(p.work, fmt.Sprintf("slot-%d", i), filepath.Base(p.launch.root)),
			tmp: filepath.Join(p.work, fmt.Sprintf("slot-%d", i), ".tmp")}
		if err := s.fill(ctx, p.tree, from); err != nil {
			return err
		}
		p.slots = append(p.slots, s)
	}
	first := p.slots[0]
	if err := p.launch.look(ctx, p.work, p.in(first)); err != nil {
		return err
	}
	if err := p.launch.capture(ctx, p.work, p.in(first), first.tmp); err != nil {
		return err
	}
	if _, err := first.clean(p.tree); err != nil {
		return err
	}
	var base *harness.Pool
	for _, s := range p.slots {
		spec, err := p.spec(s, from)
		if err != nil {
			return err
		}
		if base == nil {
			base, err = harness.NewPool(harness.Config{Exact: spec, Quick: living(spec), Parallel: n, Spares: -1, Limits: limits(p.opts)})
			s.pool = base
		} else {
			s.pool, err = base.With(spec, living(spec))
		}
		if err != nil {
			return err
		}
		s.living = s.pool.Living()
		p.back(s)
	}
	p.base = base
	return nil
}

// in is the package's folder in a working copy.
func (p *Project) in(s *slot) string { return filepath.Join(s.dir, filepath.FromSlash(p.launch.pkg)) }

// args are Jest's options in a working copy.
func (p *Project) args(s *slot) []string {
	return p.launch.jestArgs(p.slots[0].dir, s.dir, p.opts.BuildArgs)
}

// spec starts a test process in a working copy.
func (p *Project) spec(s *slot, from string, more ...string) (harness.Spec, error) {
	args, err := json.Marshal(append(p.args(s), more...))
	if err != nil {
		return harness.Spec{}, err
	}
	env := p.launch.environ(p.in(s), s.tmp)
	for i, e := range env { // what a tool set when it ran in the first copy
		env[i] = strings.ReplaceAll(e, p.slots[0].dir, s.dir)
	}
	env = append(env,
		"ODFIX_ROOT="+s.dir, "ODFIX_JEST_ARGS="+string(args), "ODFIX_CACHE="+filepath.Join(p.work, "cache"),
		"ODFIX_TRANSFORMS="+p.transforms(), "ODFIX_VARIANT="+s.variant(), "ODFIX_REAL="+from)
	return harness.Spec{Command: []string{p.launch.node, p.main}, Env: env, Dir: p.in(s)}, nil
}

// living is the spec of a process that answers one order after the other.
func living(s harness.Spec) harness.Spec {
	s.Env = append(slices.Clone(s.Env), "ODFIX_REUSE=1")
	return s
}

// limits are the harness's, unless the job says how long a test may take.
func limits(o project.Options) harness.Limits {
	d := o.TestTimeout
	return harness.Limits{Floor: d, Unseen: d, Cap: d}
}

// discover lists the test files and collects their tests.
func (p *Project) discover(ctx context.Context) error {
	p.opts.Phase(project.Discovering)
	s, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer p.give(s)
	if p.files, p.leftOut, err = p.testFiles(ctx, s, p.launch.jestPatterns(p.slots[0].dir, s.dir)...); err != nil {
		return err
	}
	p.suite = &suite.Suite{Root: &suite.Node{}}
	if len(p.files) == 0 {
		return p.noTests()
	}
	p.opts.Progress("looking at " + suite.Count(len(p.files), "test file", "test files"))
	slots := []*slot{s}
	for len(slots) < min(len(p.slots), len(p.files)/filesApart) {
		more, err := p.take(ctx)
		if err != nil {
			return err
		}
		defer p.give(more)
		slots = append(slots, more)
	}
	if err := p.collect(ctx, slots); err != nil {
		return err
	}
	if len(p.suite.Order()) == 0 {
		return p.noTests()
	}
	p.suite.Walk(func(leaf *suite.Node) { leaf.Name = jestid.Syntax{}.Name(leaf.Test) })
	return nil
}

// filesApart is from how many test files on a further process collects tests.
const filesApart = 8

// collect collects the tests of the files, with a process in each of these working copies. The files
// are dealt out in turn, since Jest lists files that take long first.
func (p *Project) collect(ctx context.Context, slots []*slot) error {
	found := make([]*suite.Suite, len(slots))
	infos := make([]harness.Info, len(slots))
	workers := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	looked := p.counting()
	for k, s := range slots {
		var own []string
		for i := k; i < len(p.files); i += len(slots) {
			own = append(own, p.files[i])
		}
		workers.Go(func(ctx context.Context) (err error) {
			found[k], infos[k], err = s.pool.Discover(ctx, own, looked)
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	groups, problems := map[string]*suite.Node{}, map[string]suite.Problem{}
	for k, s := range found {
		for _, group := range s.Root.Children {
			groups[group.Name] = group
		}
		for _, problem := range s.Problems {
			problem.Reason = withoutCopy(problem.Reason, slots[k].dir)
			problems[problem.Class] = problem
		}
	}
	for _, f := range p.files {
		if group := groups[f]; group != nil {
			p.suite.Root.Children = append(p.suite.Root.Children, group)
		}
		if problem, broken := problems[f]; broken {
			p.suite.Problems = append(p.suite.Problems, problem)
		}
	}
	p.info = infos[0]
	return nil
}

// lookedSilent is how long the collection of tests goes on without a report of progress.
const lookedSilent = 10 * time.Second

// counting returns a function that reports, at most every ten seconds, for how many files it was
// called.
func (p *Project) counting() func() {
	var mu sync.Mutex
	n, said := 0, time.Now()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if n++; time.Since(said) > lookedSilent {
			said = time.Now()
			p.opts.Progress(fmt.Sprintf("looking at test files: %d of %d", n, len(p.files)))
		}
	}
}

// testFiles are the files that Jest finds, in the order in which it would run them, as ids name
// them. LeftOut says which projects of the configuration cannot be used.
func (p *Project) testFiles(ctx context.Context, s *slot, args ...string) (files, leftOut []string, err error) {
	spec, err := p.spec(s, p.installed, args...)
	if err != nil {
		return nil, nil, err
	}
	spec.Command = append(spec.Command, "list")
	out, errs, err := harness.Output(ctx, spec)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, nil, err
	}
	var answer struct{ Files, LeftOut []string }
	_, line, found := bytes.Cut(out, []byte("\nodfix-files "))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	if err != nil || !found || json.Unmarshal(line, &answer) != nil {
		return nil, nil, &project.Error{Code: CodeConfig, Message: "Jest does not list the tests of this package",
			Detail: lastLines(out, errs), Hint: strings.Join(append(p.launch.notes(),
				"Check that `npx jest --listTests` works in "+p.launch.dir()+"."), " ")}
	}
	inside := func(f string) bool { return filepath.IsLocal(filepath.FromSlash(f)) }
	return slices.DeleteFunc(answer.Files, func(f string) bool { return !inside(f) }), answer.LeftOut, nil
}

// noTests says why there is nothing to run.
func (p *Project) noTests() error {
	e := &project.Error{Code: CodeNoTests, Message: fmt.Sprintf("no tests in the %d files that Jest finds in this package",
		len(p.files)), Hint: "Check that the package's own test script runs tests."}
	for _, why := range slices.Concat(p.launch.notes(), p.leftOut) {
		e.Detail += why + "\n"
	}
	for _, problem := range p.suite.Problems {
		e.Detail += problem.Class + ": " + problem.Reason + "\n"
	}
	return e
}
