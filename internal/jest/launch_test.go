package jest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// tool is a package with a command that starts Jest in the way in which the source says. Jest is a
// stand-in: it does nothing but fail if it is really started.
func tool(t *testing.T, source string) (*launch, string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": `{"name": "shop", "scripts": {"test": "some-tool test"}}`,
		"node_modules/@jest/core/index.js": `Object.defineProperty(exports, 'runCLI', { enumerable: true,
			get: () => () => { throw new Error('Jest was started'); } });`,
		"node_modules/some-tool/package.json": `{"name": "some-tool"}`,
		"node_modules/some-tool/cli.js":       "#!/usr/bin/env node\n" + source,
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	if err := os.MkdirAll(filepath.Join(dir, "node_modules/.bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../some-tool/cli.js", filepath.Join(dir, "node_modules/.bin/some-tool")); err != nil {
		t.Fatal(err)
	}
	man, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &launch{place: place{root: dir, man: man}, command: findCommand(man.Scripts), node: node}, dir
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestCapture: whatever tool starts Jest, odfix learns with which options, variables and options of
// Node, and no test runs.
func TestCapture(t *testing.T) {
	l, dir := tool(t, `
		process.env.BABEL_ENV = 'test';
		process.env.PUBLIC = process.cwd() + '/public';
		require('child_process').spawnSync(process.execPath, ['--no-warnings', '-e', `+"`"+`
			const config = JSON.stringify({ rootDir: process.cwd() });
			require('@jest/core').runCLI({ _: ['src', process.cwd() + '/lib'], $0: 'jest', c: config, config, env: 'jsdom', testEnvironment: 'jsdom', 'test-environment': 'jsdom',
				watch: true, projects: ['a', 'b'], coverage: undefined }, [process.cwd()]);
		`+"`"+`], { stdio: 'inherit' });`)
	work := filepath.Join(t.TempDir(), `a "work" \b`)
	if err := l.capture(t.Context(), work, dir, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	want := command{
		args:     []string{`--config={"rootDir":"` + dir + `"}`, "--testEnvironment=jsdom", "--projects=a", "--projects=b"},
		patterns: []string{"src", dir + "/lib"}, env: []string{"BABEL_ENV=test", "PUBLIC=" + dir + "/public"}, node: []string{"--no-warnings"},
	}
	if d := cmp.Diff(want, l.captured, cmp.AllowUnexported(command{})); d != "" {
		t.Error(d)
	}
	if args := l.jestArgs(dir, "/copy", nil); args[0] != `--config={"rootDir":"/copy"}` {
		t.Errorf("in another copy: %q", args)
	}
	if p := l.jestPatterns(dir, "/copy"); p[1] != "/copy/lib" {
		t.Errorf("in another copy: %q", p)
	}
	if env := l.environ(dir, ""); valueOf(env, "BABEL_ENV") != "test" || !strings.Contains(valueOf(env, "NODE_OPTIONS"), "--no-warnings") {
		t.Errorf("the environment lacks what the tool sets: %q", env)
	}
}

// TestFingerprintOfLaunch: whatever changes how Jest runs changes it; another working copy does not.
func TestFingerprintOfLaunch(t *testing.T) {
	some := []string{"--x=/copy/a"}
	all := map[string]bool{}
	for _, l := range []launch{{}, {probe: probe{Jest: "29"}}, {command: command{env: some}}, {command: command{node: some}},
		{command: command{args: some}}, {captured: command{env: some}}, {captured: command{node: some}}, {captured: command{args: some}}} {
		all[l.fingerprint("/copy")] = true
	}
	if len(all) != 8 {
		t.Errorf("%d fingerprints of 8 launches", len(all))
	}
	one, other := launch{captured: command{env: some}}, launch{captured: command{env: []string{"--x=/other/a"}}}
	if one.fingerprint("/copy") != other.fingerprint("/other") {
		t.Error("the working copy is part of it")
	}
}

// TestCaptureFails: a tool that starts no Jest may be any command, so plain Jest runs; one that is
// known for it gets an error with what it printed; so does Jest in another folder.
func TestCaptureFails(t *testing.T) {
	l, dir := tool(t, `console.log('all is well');`)
	if err := l.capture(t.Context(), t.TempDir(), dir, t.TempDir()); err != nil || l.wrapper != nil {
		t.Errorf("%v, %q", err, l.wrapper)
	}
	l, dir = tool(t, `process.chdir('/'); require('@jest/core').runCLI({ _: [] }, []);`)
	var e *project.Error
	if err := l.capture(t.Context(), t.TempDir(), dir, t.TempDir()); !errors.As(err, &e) || e.Code != CodeModule {
		t.Errorf("%v", err)
	}
	l, dir = tool(t, ``)
	l.wrapper = []string{"react-scripts", "test"}
	err := l.capture(t.Context(), t.TempDir(), dir, t.TempDir())
	if !errors.As(err, &e) || e.Code != CodeConfig || !strings.Contains(e.Detail, "react-scripts") {
		t.Errorf("%v", err)
	}
}

// TestUnusableJest: packages without Jest, or with one that is too old, are refused with a reason.
func TestUnusableJest(t *testing.T) {
	const manifest = "node_modules/jest/package.json"
	for _, c := range []struct{ name, file, text, code, says string }{
		{"no Jest", "other.js", "", CodeNoJest, "not in this package's node_modules"},
		{"Jest that does not say what starts it", manifest, `{"version": "29.0.0"}`, CodeNoJest, "not in this package's node_modules"},
		{"Mocha", "package.json", `{"devDependencies": {"mocha": "10"}}`, CodeFramework, "mocha"},
		{"Jest 23", manifest, `{"version": "23.6.0", "bin": "jest.js"}`, CodeJestTooOld, "23.6.0"},
		{"Plug'n'Play with a cache in node_modules", ".pnp.cjs", "", CodePlugNPlay, "Plug'n'Play"},
	} {
		l, dir := tool(t, ``)
		writeFile(t, filepath.Join(dir, c.file), c.text)
		var err error
		if l.man, err = readManifest(dir); err != nil {
			t.Fatal(err)
		}
		l.wrapper = nil
		var e *project.Error
		if err := l.look(t.Context(), t.TempDir(), dir); !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Hint == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestOtherNode: a project that asks for another Node runs on the one that there is, with a note.
func TestOtherNode(t *testing.T) {
	l, dir := tool(t, ``)
	writeFile(t, filepath.Join(dir, "node_modules/jest/package.json"), `{"name": "jest", "version": "29.7.0", "bin": "jest.js"}`)
	writeFile(t, filepath.Join(dir, "node_modules/semver/index.js"), `exports.satisfies = (version, range) => range === '>=1';`)
	writeFile(t, filepath.Join(dir, ".nvmrc"), "v8.1.0\n")
	writeFile(t, filepath.Join(dir, ".node-version"), "lts/*\n")
	writeFile(t, filepath.Join(dir, "package.json"), `{"engines": {"node": ">=99"}}`)
	if err := l.look(t.Context(), t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{".nvmrc asks for Node v8.1.0", "package.json asks for Node >=99"}, l.Asked); d != "" {
		t.Error(d)
	}
	if notes := l.notes(); len(notes) != 2 || !strings.Contains(notes[0], "run on v") {
		t.Errorf("%q", notes)
	}
	for _, engines := range []string{`{"npm": ">=8"}`, `{"node": ">=1"}`, `{"node": null}`} {
		writeFile(t, filepath.Join(dir, "package.json"), `{"engines": `+engines+`}`)
		if err := l.look(t.Context(), t.TempDir(), dir); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{".nvmrc asks for Node v8.1.0"}, l.Asked); d != "" {
			t.Errorf("%s: %s", engines, d)
		}
	}
}

// TestBrokenFile: what people read of a file that cannot be loaded names it as they know it, in one
// line.
func TestBrokenFile(t *testing.T) {
	copied := t.TempDir()
	real, err := filepath.EvalSymlinks(copied)
	if err != nil {
		t.Fatal(err)
	}
	reason := withoutCopy("failed: "+real+"/a.test.js: Missing semicolon. (1:22)\n\n> 1 | test(", copied)
	p := &Project{launch: launch{place: place{man: &manifest{}}}, suite: &suite.Suite{Problems: []suite.Problem{{Class: "a.test.js", Reason: reason}}}}
	want := []string{"a.test.js cannot be run: failed: a.test.js: Missing semicolon. (1:22)"}
	if d := cmp.Diff(want, p.About().Notes); d != "" {
		t.Error(d)
	}
}
