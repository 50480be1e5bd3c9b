package build

import (
	"errors"
	"fmt"
	"syscall"
)

// Codes of Error. They are part of the report's format and never change meaning.
const (
	CodeNoPom       = "no-pom"
	CodeNotYet      = "build-tool-unsupported"
	CodeNoMaven     = "maven-missing"
	CodeBroken      = "build-broken"
	CodeNetwork     = "no-network"
	CodeNoTests     = "no-tests"
	CodeFramework   = "unsupported-framework"
	CodeJDKTooNew   = "jdk-too-new"
	CodeJDKTooOld   = "jdk-too-old"
	CodeDisk        = "disk-full"
	CodeModule      = "module-unknown"
	CodeTimeout     = "timeout"
	CodeLocked      = "locked"
	CodeJavaMissing = "java-missing"
)

// Error is a failure of the project's build, or of getting at it, for people.
type Error struct {
	Code    string // one of the codes above
	Message string // what happened
	Hint    string // what to do
	Detail  string // the build tool's own lines, bounded
}

func (e *Error) Error() string { return e.Message }

// diskError explains an error of the file system; out of space has a code of its own.
func diskError(what string, err error) error {
	e := &Error{Code: CodeDisk, Message: fmt.Sprintf("%s: %v", what, err), Hint: "Check the permissions of that path, or name another work folder."}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		e.Message = what + ": the disk is full"
		e.Hint = "Free some space, or name a work folder on another disk."
	}
	return e
}
