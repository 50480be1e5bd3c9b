package jest

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
)

//go:embed script/probe.cjs
var probeScript []byte

// probe is what the project's own Node said of the Jest in it.
type probe struct {
	Node    string          `json:"node"`
	Jest    string          `json:"jest"`
	Bin     string          `json:"bin"`     // Jest's command, absolute
	Babel   string          `json:"babel"`   // the parser that Jest carries, absolute
	Config  json.RawMessage `json:"config"`  // a wrapper's configuration of Jest
	Wrapper string          `json:"wrapper"` // why a wrapper gave none
}

// launch is how the package's own script starts Jest.
type launch struct {
	place
	command
	probe
	node string // the executable
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
	script, err := unpack(work, "probe.cjs", probeScript)
	if err != nil {
		return err
	}
	out, errs, err := harness.Output(ctx, harness.Spec{Command: []string{l.node, script, l.wrapper}, Env: l.environ(""), Dir: dir})
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
	case l.Bin == "":
		if otherRunner(l.man) != "" && !l.man.needs("jest") {
			return noJest(l.man)
		}
		return &project.Error{Code: CodeNoJest, Message: "Jest is not in this package's node_modules",
			Hint: "Install the packages with development dependencies, or run odfix in the package that has the tests."}
	case version < oldest:
		return &project.Error{Code: CodeJestTooOld, Message: "the project's Jest is " + l.Jest,
			Hint: fmt.Sprintf("odfix works with Jest %d and later.", oldest)}
	case l.Wrapper != "":
		return &project.Error{Code: CodeConfig, Message: "the configuration that " + l.wrapper + " gives Jest is not known",
			Detail: l.Wrapper, Hint: "Check that the package's own test script works here."}
	}
	return nil
}

// environ is the environment of the package's script. Temporary files go to tmp, where it is not
// empty.
func (l *launch) environ(tmp string) []string {
	env := append(os.Environ(), "npm_lifecycle_event=test", "npm_package_name="+l.man.Name)
	switch l.wrapper {
	case "react-scripts", "craco":
		env = append(env, "BABEL_ENV=test", "NODE_ENV=test", "PUBLIC_URL=")
	case "vue-cli-service":
		env = append(env, "NODE_ENV=test", "VUE_CLI_BABEL_TARGET_NODE=true", "VUE_CLI_TRANSPILE_BABEL_RUNTIME=true")
	}
	env = append(env, l.env...)
	if len(l.command.node) > 0 {
		options := os.Getenv("NODE_OPTIONS")
		for _, e := range l.env {
			if value, ok := strings.CutPrefix(e, "NODE_OPTIONS="); ok {
				options = value
			}
		}
		env = append(env, "NODE_OPTIONS="+strings.TrimSpace(options+" "+strings.Join(l.command.node, " ")))
	}
	if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "NODE_ENV=") }) {
		env = append(env, "NODE_ENV=test")
	}
	if tmp != "" {
		env = append(env, "TMPDIR="+tmp)
	}
	return env
}

// jestArgs are Jest's options in a working copy. A wrapper's configuration names the folder in
// which it was made; it becomes the copy's.
func (l *launch) jestArgs(made, copied string, extra []string) []string {
	args := append([]string{}, l.args...)
	if len(l.Config) > 0 {
		quoted, _ := json.Marshal(made)
		into, _ := json.Marshal(copied)
		config := strings.ReplaceAll(string(l.Config), strings.Trim(string(quoted), `"`), strings.Trim(string(into), `"`))
		args = append(args, "--config", config)
	}
	return append(args, extra...)
}

// listTests asks Jest for its test files: absolute paths.
func (l *launch) listTests(ctx context.Context, dir string, args []string) ([]string, error) {
	argv := slices.Concat([]string{l.node, l.Bin, "--listTests", "--json", "--watchman=false", "--passWithNoTests"}, args)
	out, errs, err := harness.Output(ctx, harness.Spec{Command: argv, Env: l.environ(""), Dir: dir})
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var files []string
	at := bytes.LastIndex(out, []byte("\n["))
	if at < 0 {
		at = bytes.IndexByte(out, '[')
	}
	if err != nil || at < 0 || json.Unmarshal(bytes.TrimSpace(out[at:]), &files) != nil {
		return nil, &project.Error{Code: CodeConfig, Message: "Jest does not list the tests of this package",
			Detail: lastLines(out, errs), Hint: "Check that `npx jest --listTests` works in " + l.dir() + "."}
	}
	return files, nil
}

// unpack writes a script of ours below a folder. Its folder is named after its content, so that
// several versions of odfix share the place.
func unpack(work, name string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	path := filepath.Join(work, "scripts", hex.EncodeToString(sum[:6]), name)
	if fi, err := os.Stat(path); err == nil && fi.Size() == int64(len(data)) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), name+".*")
	if err != nil {
		return "", err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", err
	}
	return path, os.Rename(tmp.Name(), path)
}
