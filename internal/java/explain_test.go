package java

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

func TestExplain(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code string
		says []string
	}{
		"not started": {&harness.StartError{Command: "java", Reason: "exit status 1", Output: "no such flag"},
			"test-jvm", []string{"did not start", "the project's own tests"}},
		"coverage": {&harness.StartError{Command: "java", Output: "at org.jacoco.agent.rt.internal_8ff85ea.PreMain.premain(PreMain.java:47)"},
			"test-jvm", []string{"did not start", "-Djacoco.skip=true"}},
		"the build's": {fmt.Errorf("x: %w", &build.Error{Code: "build-broken", Message: "broken", Hint: "fix it"}),
			"build-broken", []string{"broken", "fix it"}},
		"full disk":  {fmt.Errorf("unpacking a jar: %w", syscall.ENOSPC), "disk-full", []string{"the disk is full", "XDG_CACHE_HOME"}},
		"for people": {fmt.Errorf("x: %w", errNoJava), project.CodeNoEditor, []string{"no Java test sources"}},
	} {
		e := explain(c.err)
		if e == nil || e.Code != c.code {
			t.Errorf("%s: %+v", name, e)
			continue
		}
		for _, s := range c.says {
			if text := e.Message + " " + e.Hint; !strings.Contains(text, s) {
				t.Errorf("%s: %q is missing in %q", name, s, text)
			}
		}
	}
	if e := explain(errors.New("odd")); e != nil {
		t.Errorf("%+v", e)
	}
}

func TestRefused(t *testing.T) {
	var r *project.RefusedError
	err := refused(fmt.Errorf("asking: %w", &harness.RefusedError{Reason: "odd", Tests: []suite.TestID{"a#b"}, Gone: true}))
	if !errors.As(err, &r) || r.Reason != "odd" || len(r.Tests) != 1 || !r.Gone {
		t.Errorf("%v", err)
	}
	if other := errors.New("other"); refused(other) != other || refused(nil) != nil {
		t.Error("another error does not stay what it is")
	}
}
