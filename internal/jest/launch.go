package jest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/shell"
	"github.com/odfix/odfix/internal/wholefile"
)

//go:embed script/probe.cjs
var probeScript []byte

//go:embed script/capture.cjs
var captureScript []byte

// probe is what the project's own Node said of the Jest in it.
type probe struct {
	Node  string `json:"node"`
	Jest  string `json:"jest"`
	Bin   string `json:"bin"`   // Jest's command, absolute
	Babel string `json:"babel"` // the parser that Jest carries, absolute
	// Asked says which other version of Node the project's files ask for.
	Asked []string `json:"asked"`
}

// launch is how the package's own script starts Jest.
type launch struct {
	place
	command
	probe
	node     string  // the executable
	captured command // how a tool started Jest, where the script calls a tool
}

// findNode is the executable that runs the tests.
func findNode(o project.Options) (string, error) {
	if o.Runtime != "" {
		for _, name := range []string{filepath.Join(o.Runtime, "bin", "node"), filepath.Join(o.Runtime, "node")} {
			if isFile(name) {
				return name, nil
			}
		}
		return "", &project.Error{Code: CodeNoNode, Message: "there is no Node in " + o.Runtime,
			Hint: "Name the folder in which bin/node is."}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return "", &project.Error{Code: CodeNoNode, Message: "Node is not installed", Hint: "Install Node, and put it on the PATH."}
	}
	return filepath.Abs(node)
}

// oldest is the first version of Jest that is supported.
const oldest = 24

// look asks the project's Node for its Jest. Dir is the package's folder in a copy.
func (l *launch) look(ctx context.Context, work, dir string) error {
	script, err := wholefile.ByContent(filepath.Join(work, "scripts"), "probe.cjs", probeScript)
	if err != nil {
		return err
	}
	argv := []string{l.node, script, l.root}
	if len(l.wrapper) > 0 {
		argv = append(argv, l.wrapper[0])
	}
	out, errs, err := harness.Output(ctx, harness.Spec{Command: argv, Env: l.environ(dir, ""), Dir: dir})
	_, line, found := bytes.Cut(out, []byte("odfix-probe "))
	if err != nil || !found || json.Unmarshal(line, &l.probe) != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &project.Error{Code: CodeNoNode, Message: "Node (" + l.node + ") cannot run a script",
			Detail: lastLines(out, errs), Hint: "Check the installation, and NODE_OPTIONS."}
	}
	major, _, _ := strings.Cut(l.Jest, ".")
	version, _ := strconv.Atoi(major)
	switch {
	case l.Bin == "" && plugNPlay(l.root) != nil: // other tools keep their caches in node_modules
		return plugNPlay(l.root)
	case l.Bin == "":
		if otherRunner(l.man) != "" && !l.man.needs("jest") {
			return noJest(l.man)
		}
		return &project.Error{Code: CodeNoJest, Message: "Jest is not in this package's node_modules",
			Hint: "Install the packages with development dependencies, or run odfix in the package that has the tests."}
	case version < oldest:
		return &project.Error{Code: CodeJestTooOld, Message: "the project's Jest is " + l.Jest,
			Hint: fmt.Sprintf("odfix works with Jest %d and later.", oldest)}
	}
	return nil
}

// captureTime bounds how long a tool may take until it starts Jest.
const captureTime = 2 * time.Minute

// capture runs the tool that the script calls up to the moment at which it starts Jest, and takes
// over the options, the environment and Node's options that it gives Jest. Dir is the package's
// folder in a copy.
func (l *launch) capture(ctx context.Context, work, dir, tmp string) error {
	if len(l.wrapper) == 0 {
		return nil
	}
	hook, err := wholefile.ByContent(filepath.Join(work, "scripts"), "capture.cjs", captureScript)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, captureTime)
	defer cancel()
	file := filepath.Join(tmp, "odfix-capture.json")
	before := l.environ(dir, tmp)
	env := append(before, "ODFIX_CAPTURE="+file, "CI=true",
		"NODE_OPTIONS="+strings.TrimSpace(nodeOptions("--require="+hook)+" "+valueOf(before, "NODE_OPTIONS")))
	argv := []string{"/bin/sh", "-c", shell.Line(l.wrapper...)}
	printed, _ := harness.Run(limited, harness.Spec{Command: argv, Env: env, Dir: dir})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var got struct {
		Cwd                     string
		Options, Patterns, Node []string
		Env                     map[string]string
	}
	data, rerr := os.ReadFile(file)
	tool := strings.Join(l.wrapper, " ")
	switch {
	case rerr != nil && !l.startsJest():
		l.wrapper = nil // it may do anything; Jest is there
		return nil
	case rerr != nil || json.Unmarshal(data, &got) != nil:
		return &project.Error{Code: CodeConfig, Message: "`" + tool + "` does not start Jest", Detail: lastLines(printed),
			Hint: "Check that the package's own test script works here."}
	case got.Cwd != dir:
		return &project.Error{Code: CodeModule, Message: "`" + tool + "` runs Jest in another folder than that of the package",
			Hint: "Name the package whose tests are meant with --module FOLDER."}
	}
	l.captured.read(got.Options)
	l.captured.patterns = append(l.captured.patterns, got.Patterns...)
	for name, value := range got.Env {
		if !slices.Contains(notCaptured, name) && !strings.HasPrefix(name, "npm_") && valueOf(before, name) != value {
			l.captured.env = append(l.captured.env, name+"="+value)
		}
	}
	slices.Sort(l.captured.env)
	for _, option := range got.Node {
		if !strings.HasPrefix(option, "--require="+hook) {
			l.captured.node = append(l.captured.node, option)
		}
	}
	return os.Remove(file)
}

// notCaptured are variables that a tool sets for itself, or that odfix sets for it.
var notCaptured = []string{"CI", "NODE_OPTIONS", "ODFIX_CAPTURE", "PATH", "PWD", "OLDPWD", "SHLVL", "_", "INIT_CWD"}

// valueOf is the value of a variable; the last one counts.
func valueOf(env []string, name string) (value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// up leads from the package's folder to the root.
func (l *launch) up() string {
	if l.pkg == "" {
		return "."
	}
	return strings.Repeat("../", strings.Count(l.pkg, "/")+1)
}

// notes say that the tests run on another Node than the project wants.
func (l *launch) notes() (out []string) {
	for _, asked := range l.Asked {
		out = append(out, fmt.Sprintf("%s, and its tests run on %s here.", asked, l.Node))
	}
	return out
}

// environ is the environment of the package's script in dir, its folder in a copy. Temporary files
// go to tmp, where it is not empty.
func (l *launch) environ(dir, tmp string) []string {
	path := []string{
		filepath.Join(dir, modules, ".bin"), filepath.Join(dir, filepath.FromSlash(l.up()), modules, ".bin"),
		filepath.Dir(l.node), os.Getenv("PATH"),
	}
	env := append(os.Environ(), "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	env = append(env, l.man.environment(dir)...)
	env = append(env, l.env...)
	env = append(env, l.captured.env...)
	if node := slices.Concat(l.command.node, l.captured.node); len(node) > 0 {
		env = append(env, "NODE_OPTIONS="+strings.TrimSpace(valueOf(env, "NODE_OPTIONS")+" "+nodeOptions(node...)))
	}
	if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "NODE_ENV=") }) {
		env = append(env, "NODE_ENV=test")
	}
	if tmp != "" {
		env = append(env, "TMPDIR="+tmp)
	}
	return env
}

// fingerprint is all that decides how Jest runs, without the copy in which a tool ran.
func (l *launch) fingerprint(made string) string {
	return strings.ReplaceAll(fmt.Sprintf("%s\n%q\n%q\n%q\n%q\n%q\n%q", l.Jest, l.command.env, l.command.node, l.command.args,
		l.captured.env, l.captured.node, l.captured.args), made, "")
}

// nodeOptions are options as the variable NODE_OPTIONS holds them.
func nodeOptions(options ...string) string {
	var words []string
	for _, o := range options {
		if strings.ContainsAny(o, ` "`) {
			o = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(o) + `"`
		}
		words = append(words, o)
	}
	return strings.Join(words, " ")
}

// jestArgs are Jest's options in a working copy.
func (l *launch) jestArgs(made, copied string, extra []string) []string {
	args := append([]string{}, l.args...) // not nil, which would be null in JSON
	args = append(args, inCopy(l.captured.args, made, copied)...)
	return append(args, extra...)
}

// jestPatterns are the options and arguments that choose test files in a working copy.
func (l *launch) jestPatterns(made, copied string) []string {
	return slices.Concat(l.patterns, inCopy(l.captured.patterns, made, copied))
}

// inCopy replaces the copy in which a tool ran by another copy.
func inCopy(words []string, made, copied string) (out []string) {
	for _, w := range words {
		out = append(out, strings.ReplaceAll(w, made, copied))
	}
	return out
}
