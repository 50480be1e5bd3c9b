package jest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/project"
)

// TestPathsInPatches: paths in patches begin at the top of the checkout, those in ids of tests at
// the root of the workspace.
func TestPathsInPatches(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "web")
	for _, dir := range []string{filepath.Join(top, ".git"), root} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := place{root: root, top: checkoutTop(root)}
	if p.top != top || p.inCheckout("src/a.test.js") != "web/src/a.test.js" {
		t.Errorf("%+v, %s", p, p.inCheckout("src/a.test.js"))
	}
	for path, want := range map[string]string{
		"web/src/a.test.js": "src/a.test.js", "README.md": "", "../web/a.test.js": "", "web/../../x": "", "/web/a.test.js": "",
	} {
		if got := p.below(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	alone := place{root: top, top: top}
	if got := alone.below("src/a.test.js"); got != "src/a.test.js" || alone.inCheckout(got) != got {
		t.Errorf("at the top: %q", got)
	}
}

// TestModuleFromTheRoot: a report names a package from the workspace's root, and people stand in the
// package or beside it.
func TestModuleFromTheRoot(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".git/HEAD": "", "package.json": `{"workspaces": ["packages/*"]}`,
		"packages/a/package.json": `{"name": "a", "devDependencies": {"jest": "29"}}`, "packages/b/package.json": `{"name": "b"}`,
		"packages/a/packages/b/package.json": `{"name": "inner", "devDependencies": {"jest": "29"}}`} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	for _, c := range []struct{ at, module, want string }{
		{"", "packages/a", "packages/a"},
		{"packages/a", "packages/a", "packages/a"},
		{"packages/b", "packages/a", "packages/a"},
		{"packages/a", "packages/b", "packages/a/packages/b"}, // what is below the folder comes first
	} {
		got, err := findPlace(project.Options{Dir: filepath.Join(dir, c.at), Module: c.module})
		if err != nil || got.pkg != c.want {
			t.Errorf("%+v: %q, %v", c, got.pkg, err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "packages/a"), link); err != nil {
		t.Fatal(err)
	}
	if got, err := findPlace(project.Options{Dir: link}); err != nil || got.pkg != "packages/a" || got.root != dir {
		t.Errorf("by a link: %q in %q, %v", got.pkg, got.root, err)
	}
	if _, err := findPlace(project.Options{Dir: filepath.Join(dir, "packages/a"), Module: "../../../x"}); err == nil {
		t.Error("a module outside of the project")
	}
}

// TestRefusals: a folder that odfix cannot work in gets an error that says why, and what to do.
func TestRefusals(t *testing.T) {
	const jest = `{"scripts": {"test": "jest"}, "devDependencies": {"jest": "^29"}}`
	for _, c := range []struct {
		name   string
		files  map[string]string
		module string
		code   string
		says   string
	}{
		{"no package.json", nil, "", CodeNoManifest, "no package.json"},
		{"a broken package.json", map[string]string{"package.json": `{"name": `}, "", CodeManifest, "cannot be read"},
		{"Vitest", map[string]string{"package.json": `{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "1"}}`},
			"", CodeFramework, "vitest, which odfix does not support yet"},
		{"Mocha", map[string]string{"package.json": `{"scripts": {"test": "nyc mocha"}, "devDependencies": {"mocha": "10"}}`},
			"", CodeFramework, "mocha, which odfix does not support yet"},
		{"Mocha by way of Vue's tool", map[string]string{"package.json": `{"scripts": {"test:unit": "vue-cli-service test:unit"},
			"devDependencies": {"@vue/cli-plugin-unit-mocha": "5"}}`}, "", CodeFramework, "mocha, which odfix does not support yet"},
		{"Node's own runner", map[string]string{"package.json": `{"scripts": {"test": "node --test test"}}`}, "", CodeFramework, "node:test"},
		{"no tests at all", map[string]string{"package.json": `{"scripts": {"start": "node ."}}`}, "", CodeNoJest, "does not use Jest"},
		{"a workspace of several packages", map[string]string{
			"package.json":            `{"workspaces": ["packages/*"], "scripts": {"test": "lerna run test"}}`,
			"packages/a/package.json": jest, "packages/b/package.json": jest,
		}, "", CodeModule, "2 packages of the workspace use Jest: packages/a, packages/b"},
		{"a module that is not there", map[string]string{"package.json": jest}, "packages/a",
			CodeModule, "no package.json in the module packages/a"},
		{"a module outside of the project", map[string]string{"package.json": jest}, "../other", CodeModule, "outside of the project"},
		{"neither packages nor a lock file", map[string]string{"package.json": jest}, "",
			CodeNoLock, "no node_modules and no lock file"},
		{"Plug'n'Play", map[string]string{"package.json": jest, ".pnp.cjs": "", "yarn.lock": ""}, "", CodePlugNPlay, "Plug'n'Play"},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, ".git/HEAD"), "")
		for name, text := range c.files {
			writeFile(t, filepath.Join(dir, name), text)
		}
		at, err := findPlace(project.Options{Dir: dir, Module: c.module})
		if err == nil {
			err = at.checkInstall()
		}
		var e *project.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Hint == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestInstallFails: where the client of the lock file fails, the error holds what it printed.
func TestInstallFails(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "package-lock.json"), "{}")
	writeFile(t, filepath.Join(bin, "npm"), "#!/bin/sh\necho \"npm error 404 Not Found: left-pad\" >&2\nexit 1\n")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	err := install(context.Background(), project.Options{}, dir)
	var e *project.Error
	if !errors.As(err, &e) || e.Code != CodeInstall || !strings.Contains(e.Detail, "left-pad") {
		t.Errorf("%v", err)
	}
}

// TestInstallWithOwnYarn: where no yarn is installed, the one that the project holds installs. Its
// answer may be Plug'n'Play, whatever the lock file looked like.
func TestInstallWithOwnYarn(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "yarn.lock"), "__metadata:\n  version: 8\n")
	writeFile(t, filepath.Join(dir, ".yarnrc.yml"), "yarnPath: .yarn/releases/yarn-4.0.0.cjs\n")
	writeFile(t, filepath.Join(dir, ".yarn/releases/yarn-4.0.0.cjs"), "")
	writeFile(t, filepath.Join(bin, "node"), "#!/bin/sh\necho \"$@\" >>called\n[ ! -e pnp ] || : >.pnp.cjs\n")
	t.Setenv("PATH", bin)
	if err := install(context.Background(), project.Options{}, dir); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "pnp"), "")
	var e *project.Error
	if err := install(context.Background(), project.Options{}, dir); !errors.As(err, &e) || e.Code != CodePlugNPlay {
		t.Errorf("%v", err)
	}
	called, err := os.ReadFile(filepath.Join(dir, "called"))
	if want := strings.Repeat(".yarn/releases/yarn-4.0.0.cjs install --immutable\n", 2); err != nil || string(called) != want {
		t.Errorf("%q, %v", called, err)
	}
}

// TestVariablesAreThoseOfNpm: a script of the package has each variable with this value under npm, too.
func TestVariablesAreThoseOfNpm(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, manifestFile), `{"name": "shop", "version": "1.2.3", "config": {"port": 80, "limit": 1e6, "small": 1.50, "fast": true,
		"slow": false, "none": null, "other": {}, "db": {"host": "h", "ports": [1, "b", {"c": 2}]}}, "engines": {"node": ">=18"},
		"scripts": {"test": "node -p 'JSON.stringify(process.env)' -- --jest"}}`)
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), npm, "--silent", "test")
	cmd.Dir = dir
	out, err := cmd.Output()
	var under map[string]string
	if err != nil || json.Unmarshal(out, &under) != nil {
		t.Fatalf("npm test: %v: %s", err, out)
	}
	got := m.environment(dir)
	for _, v := range got {
		name, value, _ := strings.Cut(v, "=")
		if is, ok := under[name]; !ok || is != value {
			t.Errorf("%s is %q under npm, and %q here", name, under[name], value)
		}
	}
	for name := range under {
		if strings.HasPrefix(name, "npm_package_") && !slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			t.Errorf("npm also sets %s", name)
		}
	}
}

// TestOddManifests: what npm accepts is no error, and what no variable can hold is left out.
func TestOddManifests(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		`{"name": "shop", "config": "x"}`:                            "npm_package_name=shop npm_package_config=x",
		`{"name": "shop", "config": ["x"]}`:                          "npm_package_name=shop npm_package_config_0=x",
		`{"version": "1\u0000", "config": {"a=b": 1, "c\u0000": 2}}`: "",
		`{}`: "",
	} {
		writeFile(t, filepath.Join(dir, manifestFile), text)
		m, err := readManifest(dir)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.Join(m.environment(dir)[4:], " "); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
