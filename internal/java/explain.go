package java

import (
	"errors"
	"strings"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/project"
)

// explain turns an error of Maven or of the test JVM into one for people. It returns nil for other
// errors.
func explain(err error) *project.Error {
	var known *project.Error
	var broken *build.Error
	var start *harness.StartError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &broken):
		return ofBuild(broken)
	case errors.As(err, &start):
		return &project.Error{
			Code: "test-jvm", Message: "the test JVM (" + start.Command + ") did not start: " + start.Reason, Detail: start.Output,
			Hint: hintOf(start.Output),
		}
	}
	if full := build.NoSpace(err); full != nil {
		return ofBuild(full)
	}
	return nil
}

// hintOf says what to do about a test JVM that printed this and did not start.
func hintOf(output string) string {
	if strings.Contains(output, "org.jacoco.agent") {
		return "The project's JaCoCo does not know this JDK. Run odfix with `-- -Djacoco.skip=true`, or with an older JDK (--java-home)."
	}
	return "It was started with the flags that the build gives to its tests. Check that the project's own tests start here, and with this JDK (--java-home)."
}

func ofBuild(e *build.Error) *project.Error {
	return &project.Error{Code: e.Code, Message: e.Message, Hint: e.Hint, Detail: e.Detail}
}

// explained returns the error for people if explain knows one, and otherwise the error itself.
func explained(err error) error {
	if err == nil {
		return nil
	}
	if e := explain(err); e != nil {
		return e
	}
	return refused(err)
}

// refused converts the error of an order that was not run. It returns other errors unchanged.
func refused(err error) error {
	if r, ok := errors.AsType[*harness.RefusedError](err); ok {
		return &project.RefusedError{Reason: r.Reason, Tests: r.Tests, Gone: r.Gone}
	}
	return err
}
