package harness

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// TestOutputIsBounded checks that the end of standard error is kept, and that too much standard
// output ends the command.
func TestOutputIsBounded(t *testing.T) {
	sh := func(script string) Spec { return Spec{Command: []string{"/bin/sh", "-c", script}} }
	out, errs, err := Output(t.Context(), sh("echo answer; head -c 1000000 /dev/zero | tr '\\0' x >&2; echo last >&2; exit 3"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || string(out) != "answer\n" || len(errs) != maxOutput || !strings.HasSuffix(string(errs), "xlast\n") {
		t.Errorf("%v, %q, %d bytes of standard error", err, out, len(errs))
	}
	_, _, err = Output(t.Context(), sh("trap '' PIPE; yes & wait; sleep 1000"))
	if err == nil || !strings.Contains(err.Error(), "/bin/sh was ended because it printed more than 16 MiB") {
		t.Error(err)
	}
	printed, err := Run(t.Context(), sh("head -c 30000000 /dev/zero | tr '\\0' x; echo last"))
	if err != nil || len(printed) != maxOutput || !strings.HasSuffix(printed, "xlast\n") {
		t.Errorf("%v, %d bytes", err, len(printed))
	}
}
