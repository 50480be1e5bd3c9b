package build

import (
	"errors"
	"fmt"
	"syscall"
)

// Codes of Error. They are part of the report's format and never change meaning.
// CodeNoTool is that of any build tool; its text is from the time when Maven was the only one.
const (
	CodeNoPom       = "no-pom"
	CodeNotYet      = "build-tool-unsupported"
	CodeNoTool      = "maven-missing"
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

// Error is a failure of the project's build, or of preparing it, for people.
type Error struct {
	Code    string // one of the codes above
	Message string // what happened
	Hint    string // what to do
	Detail  string // the build tool's own lines, bounded
	Part    string // the plugin or task that failed, where nothing else is known; empty: see Message
}

func (e *Error) Error() string { return e.Message }

// diskHint is the advice for a full disk.
const diskHint = "Free some space (`odfix cache clean` removes odfix' copies), or use another disk: XDG_CACHE_HOME names the folder for builds, TMPDIR the one for temporary files."

// NoSpace returns the error for people if err means a full disk. It recognises the error number or,
// from a process of another language, the text. Otherwise it returns nil.
func NoSpace(err error) *Error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) && !fullDisk.MatchString(err.Error()) {
		return nil
	}
	return &Error{Code: CodeDisk, Message: "the disk is full", Hint: diskHint, Detail: err.Error()}
}

// DiskError explains an error of the file system. It returns nil if err is nil.
func DiskError(what string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Code: CodeDisk, Message: fmt.Sprintf("%s: %v", what, err),
		Hint: "Check the permissions of that path, or name another folder for builds with XDG_CACHE_HOME."}
	if full := NoSpace(err); full != nil {
		e.Message, e.Hint = what+": the disk is full", full.Hint
	}
	return e
}
