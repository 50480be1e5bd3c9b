package dispatch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/odfix/odfix/internal/job"
)

// RunnerEnv is the environment variable with the path of another runner's program.
const RunnerEnv = "ODFIX_RUNNER"

// Find finds the runner's program: at the path in RunnerEnv, or else this program, which is the
// runner if it is started under the name isolate.RunnerName.
func Find() (string, error) {
	named := os.Getenv(RunnerEnv)
	if named == "" {
		path, err := os.Executable()
		if err != nil {
			return "", missing(err.Error())
		}
		return path, nil
	}
	path, err := exec.LookPath(named)
	if err != nil {
		return "", missing(fmt.Sprintf("%s names %q, which cannot be run: %v", RunnerEnv, named, err))
	}
	return filepath.Abs(path)
}

func missing(why string) *job.Error {
	return &job.Error{
		Code:    CodeMissing,
		Message: "odfix cannot start its runner: " + why,
		Hint:    "odfix starts its own program file as the runner: see that the file is still there, and that " + RunnerEnv + " is not set",
	}
}
