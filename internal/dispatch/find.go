package dispatch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/odfix/odfix/internal/job"
)

// RunnerEnv is the environment variable with the path of the runner's program.
const RunnerEnv = "ODFIX_RUNNER"

// Find finds the runner's program: at the path in RunnerEnv, else in the folder of the running
// program (links resolved), else in PATH.
func Find() (string, error) {
	if named := os.Getenv(RunnerEnv); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", missing(fmt.Sprintf("%s names %q, which cannot be run: %v", RunnerEnv, named, err))
		}
		return filepath.Abs(path)
	}
	exe, err := os.Executable()
	if err != nil {
		return "", missing(err.Error())
	}
	return find(exe)
}

func find(exe string) (string, error) {
	name := "odfix-runner"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	if path, err := exec.LookPath(filepath.Join(filepath.Dir(exe), name)); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	return "", missing(fmt.Sprintf("%s is neither in %s nor in PATH", name, filepath.Dir(exe)))
}

func missing(why string) *job.Error {
	return &job.Error{
		Code:    CodeMissing,
		Message: "odfix cannot start its runner: " + why,
		Hint:    "`make build` puts odfix and odfix-runner side by side; keep them together, or set " + RunnerEnv + " to the runner's path",
	}
}
