package maven

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
)

// OwnTest runs the project's own tests in a clone, without any part of odfix. It runs the command
// of CommandLine("test", args...) in its folder, with low priority. It reports whether the build
// passed, and returns the build's log. An error means that there is no result.
func (p *Project) OwnTest(ctx context.Context, dir string, args ...string) (passed bool, log string, err error) {
	file := filepath.Join(dir, "own-test.log")
	run := mavenRun{dir: p.InClone(dir, p.runDir()), args: append(append(p.selection(), args...), "test"), log: file, low: true}
	err = p.runMaven(ctx, run)
	if failed, ok := errors.AsType[*Error](err); ok && failed.Code != CodeTimeout && failed.Code != CodeNoMaven {
		passed, err = false, nil
	} else {
		passed = err == nil
	}
	text, rerr := os.ReadFile(file)
	return passed, string(text), cmp.Or(err, rerr)
}
