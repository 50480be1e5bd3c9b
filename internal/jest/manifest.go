package jest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/odfix/odfix/internal/project"
)

// manifest is what odfix reads of a package.json.
type manifest struct {
	Name            string            `json:"name"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]any    `json:"dependencies"`
	DevDependencies map[string]any    `json:"devDependencies"`
	Jest            json.RawMessage   `json:"jest"`
	Workspaces      json.RawMessage   `json:"workspaces"`

	variables []string // see packageVariables
}

const manifestFile = "package.json"

// readManifest reads the package.json of a folder; nil if there is none.
func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, &project.Error{Code: CodeManifest, Message: "package.json cannot be read: " + err.Error(),
			Hint: "Make it valid JSON; `npm pkg get name` says what is wrong."}
	}
	m.variables = packageVariables(data)
	return &m, nil
}

// needs reports whether the package names the dependency.
func (m *manifest) needs(name string) bool {
	return m.Dependencies[name] != nil || m.DevDependencies[name] != nil
}

// environment are the variables that npm gives the package's test script: some projects' Jest configuration
// and sources read them. Dir is the package's folder in a copy.
func (m *manifest) environment(dir string) []string {
	all := append([]string{"npm_lifecycle_event=test", "npm_lifecycle_script=" + m.Scripts["test"],
		"npm_package_json=" + filepath.Join(dir, manifestFile), "INIT_CWD=" + dir}, m.variables...)
	return slices.DeleteFunc(all, func(v string) bool { return strings.Contains(v, "\x00") }) // no process can have it
}

// packageVariables are the variables for what a package.json says, as npm names them. Those for the package's own
// commands (bin) are left out.
func packageVariables(data []byte) []string {
	var all map[string]any
	if json.Unmarshal(data, &all) != nil {
		return nil
	}
	var out []string
	var add func(name string, value any)
	add = func(name string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				add(name+"_"+key, value[key])
			}
		case []any:
			for i, item := range value {
				add(fmt.Sprintf("%s_%d", name, i), item)
			}
		case nil:
			add(name, "")
		case bool:
			if !value {
				add(name, "")
				return
			}
			add(name, "true")
		case float64: // as JavaScript writes it, but for numbers of more than 21 digits
			add(name, strconv.FormatFloat(value, 'f', -1, 64))
		default:
			if !strings.Contains(name, "=") {
				out = append(out, fmt.Sprintf("%s=%v", name, value))
			}
		}
	}
	for _, key := range []string{"name", "version", "config", "engines"} {
		if value, ok := all[key]; ok {
			add("npm_package_"+key, value)
		}
	}
	return out
}

// configFiles are the names of Jest's configuration files.
var configFiles = []string{"jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs",
	"jest.config.mts", "jest.config.cts", "jest.config.json"}

// usesJest reports whether the package in the folder has tests that Jest runs.
func usesJest(dir string, m *manifest) bool {
	if len(m.Jest) > 0 || reachesJest(m.Scripts) ||
		slices.ContainsFunc(configFiles, func(name string) bool { return isFile(filepath.Join(dir, name)) }) {
		return true
	}
	return len(m.Workspaces) == 0 && (m.needs("jest") || m.needs("react-scripts"))
}

// otherRunner names another test runner that the package uses.
func otherRunner(m *manifest) string {
	for _, name := range []string{"vitest", "mocha", "jasmine", "ava", "karma", "@playwright/test", "cypress", "tap"} {
		if m.needs(name) {
			return name
		}
	}
	if m.needs("@vue/cli-plugin-unit-mocha") {
		return "mocha"
	}
	if strings.Contains(m.Scripts["test"], "node --test") {
		return "node:test"
	}
	return ""
}

func isFile(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// place is where a package stands: its folder, relative to the root of its workspace.
type place struct {
	root string // absolute
	top  string // of the checkout, absolute: paths in patches are relative to it
	pkg  string // with '/'; "" for the root itself
	man  *manifest
}

func (p place) dir() string { return filepath.Join(p.root, filepath.FromSlash(p.pkg)) }

// checkoutTop is the folder at or above dir that holds .git, else dir itself.
func checkoutTop(dir string) string {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return dir
}

// below is a path of a patch, relative to the root of the workspace; "" where it is outside.
func (p place) below(path string) string {
	rel := slashed(relative(p.root, filepath.Join(p.top, filepath.FromSlash(path))))
	if !filepath.IsLocal(filepath.FromSlash(rel)) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return ""
	}
	return rel
}

// inCheckout is a path below the root of the workspace, as in a patch.
func (p place) inCheckout(path string) string {
	return slashed(filepath.Join(relative(p.top, p.root), filepath.FromSlash(path)))
}

// findPlace finds the package whose tests are meant.
func findPlace(o project.Options) (place, error) {
	at, _ := packageFolder(withoutLinks(o.Dir)) // copies are made of the folder, not of a link to it
	root := workspaceRoot(at)
	rel, err := filepath.Rel(root, at)
	if err != nil {
		return place{}, err
	}
	p := place{root: root, top: checkoutTop(root), pkg: slashed(rel)}
	if o.Module != "" {
		p.pkg = slashed(filepath.Join(rel, filepath.FromSlash(o.Module)))
		if !isFile(filepath.Join(p.dir(), manifestFile)) && isFile(filepath.Join(root, filepath.FromSlash(o.Module), manifestFile)) {
			p.pkg = slashed(filepath.FromSlash(o.Module)) // reports name it from the root, wherever people stand
		}
		if !filepath.IsLocal(filepath.FromSlash(p.pkg)) && p.pkg != "" {
			return p, &project.Error{Code: CodeModule, Message: "the module " + o.Module + " is outside of the project",
				Hint: "Name a package by its folder below the project's root."}
		}
	}
	if p.man, err = readManifest(p.dir()); err != nil {
		return p, err
	}
	switch {
	case p.man == nil && o.Module != "":
		return p, &project.Error{Code: CodeModule, Message: "there is no package.json in the module " + o.Module,
			Hint: "Name a package by its folder below the project's root."}
	case p.man == nil:
		return p, &project.Error{Code: CodeNoManifest, Message: "there is no package.json in " + at,
			Hint: "Run odfix in the folder of a package, or name it."}
	case usesJest(p.dir(), p.man) && !p.man.needs("@vue/cli-plugin-unit-mocha"):
		return p, nil
	}
	if found, err := p.member(o.Tests); err != nil || found.man != nil {
		return found, err
	}
	if tool := findCommand(p.man.Scripts).wrapper; len(tool) > 0 && tool[0] != "node" && otherRunner(p.man) == "" {
		return p, nil // its packages show whether this is Jest
	}
	return p, noJest(p.man)
}

// withoutLinks is the folder to which a path leads.
func withoutLinks(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// packageFolder is the folder at or above dir that holds a package.json: people stand anywhere in
// their project. False, and dir itself, if there is none in the checkout, or a Maven project is
// nearer.
func packageFolder(dir string) (string, bool) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if isFile(filepath.Join(at, manifestFile)) {
			return at, true
		}
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil || isFile(filepath.Join(at, "pom.xml")) || at == filepath.Dir(at) {
			return filepath.Clean(dir), false
		}
	}
}

func slashed(rel string) string {
	if rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// noJest says what there is instead of Jest.
func noJest(m *manifest) error {
	if other := otherRunner(m); other != "" {
		return &project.Error{Code: CodeFramework, Message: "the tests of this package run with " + other +
			", which odfix does not support yet", Hint: "odfix works on Jest 24 and later, and on JUnit with Maven."}
	}
	return &project.Error{Code: CodeNoJest, Message: "this package does not use Jest: neither a script, nor a " +
		"dependency, nor a configuration names it",
		Hint: "Run odfix in the folder of the package with the tests, or name that folder with --module."}
}

// member is the package of the workspace that holds the named tests, or the only one that uses
// Jest. Its manifest is nil if the folder is no workspace.
func (p place) member(tests []string) (place, error) {
	var fit []place
	for _, pkg := range p.members() {
		m := place{root: p.root, top: p.top, pkg: pkg}
		var err error
		if m.man, err = readManifest(m.dir()); err != nil || m.man == nil || !usesJest(m.dir(), m.man) {
			continue // a broken package is none of ours
		}
		if slices.ContainsFunc(tests, func(t string) bool { return strings.HasPrefix(strings.TrimPrefix(t, "./"), pkg+"/") }) {
			return m, nil
		}
		fit = append(fit, m)
	}
	switch len(fit) {
	case 0:
		return place{}, nil
	case 1:
		return fit[0], nil
	}
	var names []string
	for _, m := range fit {
		names = append(names, m.pkg)
	}
	return place{}, &project.Error{Code: CodeModule,
		Message: fmt.Sprintf("%d packages of the workspace use Jest: %s", len(fit), strings.Join(names, ", ")),
		Hint:    "Name one with --module FOLDER."}
}

// workspaceRoot is the folder at or above dir whose workspace dir belongs to, else dir itself. It
// never leaves a checkout.
func workspaceRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if p := (place{root: at}); at != dir && slices.Contains(p.members(), slashed(relative(at, dir))) {
			return at
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || at == filepath.Dir(at) {
			return dir
		}
	}
}

func relative(from, to string) string {
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return rel
}

// members are the folders of a workspace's packages.
func (p place) members() []string {
	var out []string
	for _, pattern := range p.workspaces() {
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
		if strings.HasPrefix(pattern, "!") || !filepath.IsLocal(pattern) {
			continue
		}
		for _, one := range []string{pattern, strings.ReplaceAll(pattern, "**", "*"), strings.ReplaceAll(pattern, "**", "*/*")} {
			found, _ := filepath.Glob(filepath.Join(p.root, filepath.FromSlash(one), manifestFile))
			for _, f := range found {
				if rel := slashed(relative(p.root, filepath.Dir(f))); !slices.Contains(out, rel) && !strings.Contains(rel, "node_modules") {
					out = append(out, rel)
				}
			}
		}
	}
	return out
}

// workspaces are a workspace's own, as npm, yarn and pnpm name its packages.
func (p place) workspaces() []string {
	var list []string
	if m, err := readManifest(p.root); err == nil && m != nil {
		var object struct{ Packages []string }
		if json.Unmarshal(m.Workspaces, &list) != nil && json.Unmarshal(m.Workspaces, &object) == nil {
			list = object.Packages
		}
	}
	if data, err := os.ReadFile(filepath.Join(p.root, "pnpm-workspace.yaml")); err == nil {
		var pnpm struct{ Packages []string }
		if yaml.Unmarshal(data, &pnpm) == nil {
			list = append(list, pnpm.Packages...)
		}
	}
	return list
}
