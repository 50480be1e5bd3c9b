package maven

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/shell"
)

// Tree is the folder of the copy. Size, Clone and Remember work on its files.
func (p *Project) Tree() string { return p.tree() }

// Size returns how many bytes the files of the copy take, without Git's own.
func (p *Project) Size() int64 {
	var n int64
	_ = filepath.WalkDir(p.tree(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(d, err)
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// Clone copies the private copy, compiled outputs included, into dir, which must be empty or
// absent. The clone shares no file with the copy or the checkout.
func (p *Project) Clone(ctx context.Context, dir string) error {
	skip := func(rel string) bool {
		return notOutputs[filepath.Base(rel)] && filepath.Base(filepath.Dir(rel)) == "target"
	}
	return diskError("cannot clone the build", copyTree(ctx, p.tree(), p.cloneTree(dir), p.tree(), p.cloneTree(dir), skip))
}

// CloneAgain copies a clone into dir, which must be empty or absent.
func (p *Project) CloneAgain(ctx context.Context, clone, dir string) error {
	from, to := p.cloneTree(clone), p.cloneTree(dir)
	return diskError("cannot copy the patched build", copyTree(ctx, from, to, from, to, func(string) bool { return false }))
}

// cloneTree is the tree in a clone. Its folder has the same name.
func (p *Project) cloneTree(dir string) string { return filepath.Join(dir, filepath.Base(p.tree())) }

// InClone returns the path in the clone for a path in the private copy or in the checkout.
func (p *Project) InClone(dir, path string) string {
	return rebase(p.Copy(path), p.tree(), p.cloneTree(dir))
}

// LaunchInClone returns the launch with its paths in the clone.
func (p *Project) LaunchInClone(dir string, l Launch) Launch {
	return l.moved(p.tree(), p.cloneTree(dir))
}

// TestCompile compiles the clone with the project's own build, including later steps that change
// compiled tests: mvn process-test-classes of the chosen module.
func (p *Project) TestCompile(ctx context.Context, dir string) error {
	goal := []string{"process-test-classes"}
	if p.phase == "package" {
		goal = []string{"package", "-DskipTests"}
	}
	run := mavenRun{dir: p.InClone(dir, p.runDir()), args: append(p.selection(), goal...), log: filepath.Join(dir, "maven.log")}
	err := p.runMaven(ctx, run)
	if e, ok := err.(*Error); ok {
		e.Detail = strings.ReplaceAll(e.Detail, p.cloneTree(dir), p.layout.anchor)
	}
	return err
}

// CommandLine returns a command for sh that runs the project's own build, and the folder of the
// checkout in which to run it.
func (p *Project) CommandLine(goal string, args ...string) (dir, line string) {
	words := append([]string{}, p.opts.Args...)
	words = append(append(words, p.selection()...), args...)
	if p.opts.Offline {
		words = append([]string{"-o"}, words...)
	}
	if p.opts.JavaHome != "" {
		line = "JAVA_HOME=" + shell.Quote(p.opts.JavaHome) + " "
	}
	return p.runDir(), line + p.maven.Typed + " " + shell.Line(append(words, goal)...)
}

// online is CommandLine for a message, with network.
func (p *Project) online(goal string) string {
	with := *p
	with.opts.Offline = false
	return with.typed(goal)
}

// typed is CommandLine for a message.
func (p *Project) typed(goal string) string {
	_, line := p.CommandLine(goal)
	return line
}
