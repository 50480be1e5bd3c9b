package jest

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/project"
)

// The codes of errors for people.
const (
	CodeNoManifest  = "no-package-json"
	CodeManifest    = "bad-package-json"
	CodeModule      = "no-such-module"
	CodeNoJest      = "no-jest"
	CodeJestTooOld  = "jest-too-old"
	CodeFramework   = "unsupported-framework"
	CodeNoNode      = "no-node"
	CodeNoLock      = "no-lock-file"
	CodeNoClient    = "no-package-manager"
	CodeInstall     = "install-failed"
	CodePlugNPlay   = "plug-n-play"
	CodeConfig      = "jest-config"
	CodeNoTests     = "no-tests"
	CodeBusy        = "busy"
	CodeCache       = "cache-limit"
	CodeCopy        = "copy"
	CodeTestProcess = "test-process"
)

// explain turns an error of Node or Jest into one for people; nil: it is none of theirs.
func explain(err error) *project.Error {
	var known *project.Error
	var start *harness.StartError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &start):
		return &project.Error{
			Code: CodeTestProcess, Message: "the test process (" + start.Command + ") did not start: " + start.Reason, Detail: start.Output,
			Hint: "It loads Jest and the project's configuration. Check that the package's own test script works here.",
		}
	}
	return nil
}

// explained is the error for people if there is one, and else the error itself.
func explained(err error) error {
	if err == nil {
		return nil
	}
	if e := explain(err); e != nil {
		return e
	}
	return refused(err)
}

// refused is the error of an order that was not run, as a project returns it; others stay what they
// are.
func refused(err error) error {
	var r *harness.RefusedError
	if errors.As(err, &r) {
		return &project.RefusedError{Reason: r.Reason, Tests: r.Tests, Gone: r.Gone}
	}
	return err
}

// withoutCopy names the files of a working copy as people know them.
func withoutCopy(text, copied string) string {
	if real, err := filepath.EvalSymlinks(copied); err == nil {
		text = strings.ReplaceAll(text, real+string(filepath.Separator), "")
	}
	return strings.ReplaceAll(text, copied+string(filepath.Separator), "")
}

// maxDetail bounds the output of a command in an error, in bytes.
const maxDetail = 4000

// lastLines is the end of what a command printed.
func lastLines[T string | []byte](out ...T) string {
	var b strings.Builder
	for _, o := range out {
		if text := strings.TrimSpace(string(o)); text != "" {
			b.WriteString(text + "\n")
		}
	}
	text := b.String()
	if len(text) > maxDetail {
		text = text[len(text)-maxDetail:]
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return strings.ToValidUTF8(text, "�")
}
