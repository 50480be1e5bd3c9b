package jest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// stateKinds is a project with one file for each kind of state. In each the test "pollutes" leaves
// the state changed, and "victim" fails after it.
var stateKinds = map[string]string{
	"package.json":   `{"private": true, "scripts": {"test": "jest"}, "jest": {"setupFiles": ["./setup.js"]}}`,
	"setup.js":       `global.chrome = {tabs: {query: jest.fn(() => 'real')}};`,
	"src/counter.js": "let count = 0;\nmodule.exports = {\n  add() { count++; },\n  count: () => count,\n  reset() { count = 0; },\n};\n",
	"src/mode.js":    "const mode = process.env.MODE || 'plain';\nmodule.exports = { mode };\n",
	"calls.test.js": `
const send = jest.fn();
test('pollutes', () => { send(1); });
test('victim', () => { expect(send).not.toHaveBeenCalled(); });
`,
	"queue.test.js": `
const send = jest.fn(() => 'sent');
test('pollutes', () => { send.mockReturnValueOnce('late'); });
test('victim', () => { expect(send()).toBe('sent'); });
`,
	"globalmock.test.js": `
test('pollutes', () => { chrome.tabs.query(); });
test('victim', () => { chrome.tabs.query(); expect(chrome.tabs.query).toHaveBeenCalledTimes(1); });
`,
	"module.test.js": `
const counter = require('./src/counter');
test('pollutes', () => { counter.add(); });
test('victim', () => { expect(counter.count()).toBe(0); });
`,
	"src/shelf.js": "class Shelf {\n  items = ['guide'];\n  put(item) { this.items.push(item); }\n  clear() { this.items = ['guide']; }\n}\n" +
		"module.exports = new Shelf();\n",
	"src/library.js": "exports.shelf = require('./shelf');\n",
	"instance.test.js": `
const { shelf } = require('./src/library');
test('pollutes', () => { shelf.put('map'); });
test('victim', () => { expect(shelf.items).toEqual(['guide']); });
`,
	"block.test.js": `
describe('block', () => {
  let seen = [];
  let server;
  beforeAll(() => { server = { up: true }; });
  test('pollutes', () => { seen.push(1); });
  test('victim', () => { expect(server.up).toBe(true); expect(seen).toEqual([]); });
});
`,
	"registry.test.js": `
test('pollutes', () => {
  process.env.MODE = 'odd';
  expect(require('./src/mode').mode).toBe('odd');
  delete process.env.MODE;
});
test('victim', () => { expect(require('./src/mode').mode).toBe('plain'); });
`,
	"src/rates.js": "exports.rate = 1;",
	"domock.test.js": `
test('pollutes', () => { jest.doMock('./src/rates', () => ({rate: 2})); });
test('victim', () => { expect(require('./src/rates').rate).toBe(1); });
`,
	"nock.test.js": `
const nock = require('nock');
test('pollutes', () => { nock('http://odd.example').get('/').reply(200); });
test('victim', () => { expect(nock.activeMocks()).toEqual([]); });
`,
	"env.test.js": `
test('pollutes', () => { process.env.ODD = 'yes'; });
test('victim', () => { expect(process.env.ODD).toBeUndefined(); });
`,
	"global.test.js": `
test('pollutes', () => { global.left = 1; });
test('victim', () => { expect(global.left).toBeUndefined(); });
`,
	"console.test.js": `
test('pollutes', () => { jest.spyOn(console, 'log').mockImplementation(() => {}); });
test('victim', () => { expect(jest.isMockFunction(console.log)).toBe(false); });
`,
	"package.test.js": `
const semver = require('semver');
test('pollutes', () => { jest.spyOn(semver, 'valid').mockReturnValue('odd'); });
test('victim', () => { expect(semver.valid('1.0.0')).toBe('1.0.0'); });
`,
	"core.test.js": `
const fs = require('fs');
test('pollutes', () => { jest.spyOn(fs, 'existsSync').mockReturnValue(false); });
test('victim', () => { expect(fs.existsSync(__filename)).toBe(true); });
`,
	"timers.test.js": `
test('pollutes', () => { jest.useFakeTimers(); });
test('victim', async () => { await new Promise((resolve) => setTimeout(resolve, 1)); }, 500);
`,
	"file.test.js": `
const fs = require('fs');
test('pollutes', () => { fs.writeFileSync('left.txt', 'x'); });
test('victim', () => { expect(fs.existsSync('left.txt')).toBe(false); });
`,
	"listener.test.js": `
test('pollutes', () => { process.on('odd', () => {}); });
test('victim', () => { expect(process.listenerCount('odd')).toBe(0); });
`,
	"storage.test.js": `
/** @jest-environment jsdom */
test('pollutes', () => { localStorage.setItem('theme', 'dark'); });
test('victim', () => { expect(localStorage.getItem('theme')).toBe(null); });
`,
	"document.test.js": `
/** @jest-environment jsdom */
test('pollutes', () => { document.body.innerHTML = '<p>left</p>'; });
test('victim', () => { expect(document.querySelectorAll('p')).toHaveLength(0); });
`,
	"click.test.js": `
/** @jest-environment jsdom */
let clicks = 0;
test('pollutes', () => { document.addEventListener('click', () => { clicks++; }); });
test('victim', () => { document.dispatchEvent(new Event('click')); expect(clicks).toBe(0); });
`,
}

// newProject writes a project with packages that are installed once for all tests, as the tests of
// runner/jest do.
func newProject(t *testing.T, files map[string]string, packages ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs packages")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(cache, "odfix-test", "jest", strings.NewReplacer("@", "_", "/", "_").Replace(strings.Join(packages, "+")))
	if !isFile(filepath.Join(installed, "ready")) {
		if err := os.MkdirAll(installed, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, installed, map[string]string{"package.json": `{"private": true}`})
		cmd := exec.CommandContext(t.Context(), "npm", append([]string{"install", "--no-audit", "--no-fund", "--loglevel=error"}, packages...)...)
		cmd.Dir = installed
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm install: %v\n%s", err, out)
		}
		write(t, installed, map[string]string{"ready": ""})
	}
	dir := t.TempDir()
	write(t, dir, files)
	if err := os.Symlink(filepath.Join(installed, modules), filepath.Join(dir, modules)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func openProject(t *testing.T, dir string) *Project {
	t.Helper()
	p, err := Language{}.Open(t.Context(), project.Options{Dir: dir, Work: t.TempDir(), Log: zap.NewNop(), Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p.(*Project)
}

// TestKindsOfState: each kind of state is seen between polluter and victim. The victim passes where
// it is restored, and the first of the statements that may restore it is the narrowest.
func TestKindsOfState(t *testing.T) {
	p := openProject(t, newProject(t, stateKinds, "jest@30", "jest-environment-jsdom@30", "nock@14"))
	cases := []struct {
		file, field, difference string
		statement               string // the first that is offered; empty: there is none for this state
	}{
		{"calls", "mock calls.test.js send", "send.mock.calls: 0 calls → 1 call", "send.mockClear()"},
		{"queue", "mock queue.test.js send", "send once: 0 answers for one call → 1 answer for one call", "send.mockReset().mockImplementation(() => 'sent')"},
		{"globalmock", "mock global chrome.tabs.query", "chrome.tabs.query.mock.calls: 1 call → 2 calls", "chrome.tabs.query.mockClear()"},
		{"module", "var src/counter.js count", "count: 0 → 1", "counter.reset()"},
		{"instance", "var src/library.js module.exports", "module.exports.shelf.items.length: 1 → 2", "shelf.clear()"},
		{"block", "var block.test.js [block] seen", "seen.length: 0 → 1", "seen = []"},
		{"registry", "module src/mode.js", "", "jest.resetModules()"},
		{"env", "env ODD", "process.env.ODD: absent → yes", "delete process.env.ODD"},
		{"global", "global left", "left: absent → 1", "delete global.left"},
		{"console", "builtin console.log", "console.log: as the environment has it → mock function", "console.log.mockRestore()"},
		{"package", "spy semver.valid", "semver.valid: absent → a spy", "semver.valid.mockRestore()"},
		{"core", "core fs.existsSync", "fs.existsSync: as the environment has it → mock function", "fs.existsSync.mockRestore()"},
		{"timers", "builtin setTimeout", "", "jest.useRealTimers()"},
		{"file", "file left.txt", "left.txt: absent → 1 bytes", "fs.rmSync('left.txt', { recursive: true, force: true })"},
		{"listener", "listeners process odd", "", "process.removeAllListeners('odd')"},
		{"storage", "storage local theme", "localStorage.getItem(\"theme\"): absent → dark", "localStorage.removeItem('theme')"},
		{"document", "document body", "document.body.innerHTML: '' → <p>left</p>", "document.body.innerHTML = ''"},
		{"domock", "mocked src/rates.js", "mock of src/rates.js: absent → registered", "jest.dontMock('./src/rates')"},
		{"nock", "nock interceptors", "nock.activeMocks(): absent → 1 interceptor", "nock.cleanAll()"},
		{"click", "listeners document click", "", ""},
	}
	var order suite.Order
	prefix := func(file string) (polluter, victim suite.TestID) {
		at := file + ".test.js#"
		if file == "block" {
			at += "block › "
		}
		return suite.TestID(at + "pollutes"), suite.TestID(at + "victim")
	}
	for _, c := range cases {
		polluter, victim := prefix(c.file)
		order = append(order, victim, polluter)
	}
	seen, err := p.Observe(t.Context(), order, project.Look{Contents: true})
	if err != nil {
		t.Fatal(err)
	}
	relation := state.Relate(seen.Trace)
	editor, err := p.Editor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	for i, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			polluter, victim := prefix(c.file)
			if got := seen.Run.At(2 * i).Outcome; got != suite.Pass {
				t.Fatalf("the victim alone: %s: %+v", got, seen.Run.At(2*i).Failure)
			}
			relation, seen := relation, seen
			if c.file == "registry" { // whichever test is first loads the module
				seen, err := p.Observe(t.Context(), suite.Order{polluter, victim}, project.Look{Contents: true})
				if err != nil {
					t.Fatal(err)
				}
				relation = state.Relate(seen.Trace)
			}
			if fields := relation.Leaves(suite.Order{polluter}); !slices.Contains(fields, c.field) {
				t.Fatalf("fields: %q", fields)
			}
			below := seen.Heap.Below(suite.Order{polluter}, victim, []string{c.field})
			var differences []string
			for _, d := range below {
				differences = append(differences, d.Path+": "+d.Before+" → "+d.After)
			}
			if c.difference != "" && !slices.Contains(differences, c.difference) {
				t.Errorf("differences: %q", differences)
			}
			for before, want := range []suite.Outcome{suite.Fail, suite.Pass} {
				run, restored, err := p.RunRestored(t.Context(), suite.Order{polluter, victim}, []string{c.field}, before)
				if err != nil {
					t.Fatal(err)
				}
				if got := run.Last(); got.Outcome != want {
					t.Errorf("restored before %d: %s, %+v; %+v", before, got.Outcome, restored, got.Failure)
				}
			}
			found, err := editor.Resets(t.Context(), project.ResetQuery{
				Cause:  repair.Cause{Polluter: suite.Order{polluter}, Cases: []repair.Case{{Test: victim}}},
				Fields: []string{c.field}, Changes: below, Reset: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			ours := slices.DeleteFunc(slices.Clone(found.Made), func(m patch.Made) bool { return m.Resets != c.field && m.Resets[:4] == "all " })
			if c.statement != "" && (len(ours) == 0 || ours[0].Statements[0] != c.statement) {
				t.Errorf("statements: %+v", ours)
			}
		})
	}
}

// TestFilesShareNoModules: state of one test file is none of another one, although the fields have
// equal names.
func TestFilesShareNoModules(t *testing.T) {
	const text = "const counter = require('./src/counter');\n" +
		"test('adds', () => { counter.add(); });\ntest('reads', () => { counter.count(); });\n"
	p := openProject(t, newProject(t, map[string]string{
		"package.json": `{"private": true, "scripts": {"test": "jest"}}`, "src/counter.js": stateKinds["src/counter.js"],
		"a.test.js": text, "b.test.js": text,
	}, "jest@30"))
	seen, err := p.Observe(t.Context(), suite.Order{"a.test.js#adds", "a.test.js#reads", "b.test.js#reads", "b.test.js#adds"}, project.Look{})
	if err != nil {
		t.Fatal(err)
	}
	relation := state.Relate(seen.Trace)
	var pairs []string
	for a, b := range relation.Pairs(state.Written) {
		pairs = append(pairs, string(a)+" → "+string(b))
	}
	// In a.test.js the reader passed with what the other test leaves.
	if !slices.Equal(pairs, []string{"b.test.js#adds → b.test.js#reads"}) {
		t.Errorf("pairs: %q", pairs)
	}
}

// TestPollution: the tests that leave state are named with the state, and with the test that fails
// because of it.
func TestPollution(t *testing.T) {
	dir, work := example(t, "jest-mock-calls")
	r := run(t, job.Job{Version: job.Version, Kind: job.KindPollution, Dir: dir, Work: work, Budget: 20 * time.Minute, Rerun: 1})
	if r.Error != nil {
		t.Fatalf("%+v", r.Error)
	}
	found, err := state.ParsePollutions(r.Pollution)
	if err != nil {
		t.Fatal(err)
	}
	const field, path = "mock mailer.test.js transport.send", "transport.send.mock.calls"
	const file = "mailer.test.js#mailer › "
	for _, x := range found.Tests {
		if x.Test != file+"greets a new user" {
			continue
		}
		for _, p := range x.Pollutes {
			if p.Field != field || p.Path != path || p.After != "1 call" {
				continue
			}
			if p.Label != state.Breaks || !slices.Equal(p.Breaks, []suite.TestID{file + "reminds every user once"}) || !slices.Equal(p.Readers, p.Breaks) {
				t.Errorf("%+v", p)
			}
			return
		}
	}
	t.Errorf("%+v", found.Tests)
}

// TestFilesOfACrash: files that tests leave before their process ends say nothing of the order.
func TestFilesOfACrash(t *testing.T) {
	p := openProject(t, newProject(t, map[string]string{
		"package.json": `{"private": true, "scripts": {"test": "jest"}}`,
		"a.test.js":    "test('ends', () => { require('fs').writeFileSync('left', ''); process.kill(process.pid, 'SIGKILL'); });",
	}, "jest@30"))
	if files, err := p.FilesLeft(t.Context(), suite.Order{"a.test.js#ends"}); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%q, %v", files, err)
	}
}
