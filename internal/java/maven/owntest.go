package maven

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// OwnTest runs the project's own tests in a clone, without anything of ours:
// what CommandLine("test", args...) says, in the folder it says. It reports
// whether the build passed, and the build's log. The error says that there was no answer.
func (p *Project) OwnTest(ctx context.Context, dir string, args ...string) (passed bool, log string, err error) {
	file := filepath.Join(dir, "own-test.log")
	run := mavenRun{dir: p.InClone(dir, p.runDir()), args: append(append(p.selection(), args...), "test"), log: file}
	err = p.runMaven(ctx, run)
	var failed *Error
	if errors.As(err, &failed) && failed.Code != CodeTimeout && failed.Code != CodeNoMaven {
		passed, err = false, nil
	} else {
		passed = err == nil
	}
	text, rerr := os.ReadFile(file)
	if err == nil {
		err = rerr
	}
	return passed, string(text), err
}
