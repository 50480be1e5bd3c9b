package jest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
)

// client is what installs a project's packages.
type client struct {
	name    string // "npm", "yarn" or "pnpm"
	lock    string // the lock file
	install []string
	offline string // the option that forbids the network
}

// findClient recognises the client by its lock file; nil: there is none.
func findClient(root string) *client {
	for _, c := range []client{
		{name: "pnpm", lock: "pnpm-lock.yaml", install: []string{"pnpm", "install", "--frozen-lockfile"}, offline: "--offline"},
		{name: "yarn", lock: "yarn.lock", install: []string{"yarn", "install", "--frozen-lockfile",
			"--non-interactive"}, offline: "--offline"},
		{name: "npm", lock: "package-lock.json", install: []string{"npm", "ci", "--no-audit", "--no-fund"}, offline: "--offline"},
		{name: "npm", lock: "npm-shrinkwrap.json", install: []string{"npm", "ci", "--no-audit", "--no-fund"}, offline: "--offline"},
	} {
		data, err := os.ReadFile(filepath.Join(root, c.lock))
		if err != nil {
			continue
		}
		if c.name == "yarn" && !bytes.Contains(data, []byte("# yarn lockfile v1")) {
			c.install, c.offline = []string{"yarn", "install", "--immutable"}, "" // yarn 2 and later
		}
		return &c
	}
	return nil
}

// installed reports whether the package can find what it depends on.
func (p place) installed() bool {
	return isDir(filepath.Join(p.root, modules)) || isDir(filepath.Join(p.dir(), modules))
}

// checkInstall says why packages are not there and cannot be installed.
func (p place) checkInstall() error {
	if p.installed() {
		return nil
	}
	if err := plugNPlay(p.root); err != nil {
		return err
	}
	if findClient(p.root) == nil {
		return &project.Error{Code: CodeNoLock, Message: "there is no node_modules and no lock file in " + p.root,
			Hint: "Install the packages (npm install, yarn or pnpm install), or commit the lock file."}
	}
	return nil
}

// ownYarn is the Yarn that the project holds itself, relative to dir; "" is none.
func ownYarn(dir string) string {
	var settings struct {
		Path string `yaml:"yarnPath"`
	}
	data, err := os.ReadFile(filepath.Join(dir, ".yarnrc.yml"))
	if err != nil || yaml.Unmarshal(data, &settings) != nil || !filepath.IsLocal(settings.Path) ||
		!isFile(filepath.Join(dir, settings.Path)) {
		return ""
	}
	return settings.Path
}

// plugNPlay refuses a folder in which Yarn has installed packages without a node_modules.
func plugNPlay(root string) error {
	for _, name := range []string{".pnp.cjs", ".pnp.js"} {
		if isFile(filepath.Join(root, name)) {
			return &project.Error{Code: CodePlugNPlay,
				Message: "this project uses Yarn's Plug'n'Play, which odfix does not support yet",
				Hint:    "Set `nodeLinker: node-modules` in .yarnrc.yml, and run `yarn install`."}
		}
	}
	return nil
}

// install runs the lock file's own client in a copy of the project.
func install(ctx context.Context, o project.Options, dir string) error {
	c := findClient(dir)
	argv := append([]string(nil), c.install...)
	if o.Offline && c.offline != "" {
		argv = append(argv, c.offline)
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		if own := ownYarn(dir); c.name == "yarn" && own != "" {
			argv = append([]string{"node", own}, argv[1:]...)
		} else if _, err := exec.LookPath("corepack"); err != nil || o.Offline {
			return &project.Error{Code: CodeNoClient, Message: c.lock + " is " + c.name + "'s, and " +
				c.name + " is not installed", Hint: "Install " + c.name + ", or install the packages before odfix runs."}
		} else {
			argv = append([]string{"corepack"}, argv...)
		}
	}
	env := append(os.Environ(), "CI=true", "COREPACK_ENABLE_DOWNLOAD_PROMPT=0", "NODE_ENV=", "HUSKY=0")
	printed, err := harness.Run(ctx, harness.Spec{Command: argv, Env: env, Dir: dir})
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e := &project.Error{Code: CodeInstall, Message: "`" + strings.Join(argv, " ") + "` failed",
			Detail: lastLines(printed), Hint: "Check that it works in a fresh checkout."}
		if o.Offline {
			e.Hint = "The job forbids the network: install the packages beforehand, or run it without --offline."
		}
		return e
	}
	if err != nil {
		return err
	}
	return plugNPlay(dir)
}
