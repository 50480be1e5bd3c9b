package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// probeBudget bounds the start of a JVM that runs nothing.
const probeBudget = 30 * time.Second

var refusedOption = regexp.MustCompile(`(?:Unrecognized (?:VM )?option:? |Unable to parse .*|Conflicting collector .*|Ignoring option .*)'?([^'\s]*)`)

// longestProbe is how long the arguments for modules may be for a probe, in bytes. Operating
// systems refuse longer ones, for which the tests' own JVM has a file.
const longestProbe = 24 << 10

// Probe starts the test JVM once without tests. If the JVM refuses the build's arguments, the error
// appears here once, in plain words, instead of in every test process. For people, where names the
// setting of the build that holds the arguments, and command is the project's own build.
func Probe(ctx context.Context, l *Launch, where, command string) error {
	ctx, cancel := context.WithTimeout(ctx, probeBudget)
	defer cancel()
	var out headBuffer
	modules := l.Modules.Flags(nil) // which the build's arguments may name, as in --add-modules
	if len(strings.Join(modules, " ")) > longestProbe {
		return nil
	}
	cmd := exec.Command(l.Java, slices.Concat(probeArgs(l.JVMArgs), modules, []string{"-version"})...)
	cmd.Dir, cmd.Env = l.Dir, l.Environ(os.Environ())
	cmd.Stdout, cmd.Stderr = &out, &out
	err := runGroup(ctx, cmd)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		return &Error{Code: CodeJavaMissing, Message: fmt.Sprintf("the build runs its tests with %s, which does not start", l.Java),
			Hint: "Check which JDK the project configures for its tests.", Detail: err.Error()}
	}
	if m := refusedOption.FindStringSubmatch(out.String()); m != nil {
		return &Error{Code: CodeJDKTooNew, Message: fmt.Sprintf("the build starts its test JVM with the option %s, "+
			"which this JDK does not support", m[1]),
			Hint: "Use a JDK that does (JAVA_HOME), or `export " +
				"JAVA_TOOL_OPTIONS=-XX:+IgnoreUnrecognizedVMOptions`, or remove it from " + where + ".",
			Detail: strings.TrimSpace(out.String())}
	}
	return &Error{Code: CodeBroken, Message: "the test JVM does not start with the build's arguments: " + strings.Join(l.JVMArgs, " "),
		Hint: "Does `" + command + "` fail in the same way? Then fix " + where + ". Else this is a defect of odfix: please report it.", Detail: strings.TrimSpace(out.String())}
}

// probeArgs leaves out agents, because they may write files or wait for a debugger.
func probeArgs(args []string) []string {
	var out []string
	for _, a := range args {
		if strings.HasPrefix(a, "-javaagent:") || strings.HasPrefix(a, "-agent") || strings.HasPrefix(a, "-Xrun") {
			continue
		}
		out = append(out, a)
	}
	return out
}

// headBuffer keeps the first 8 KiB written to it.
type headBuffer struct{ data []byte }

func (b *headBuffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), 8<<10-len(b.data))]...)
	return len(p), nil
}

func (b *headBuffer) String() string { return string(b.data) }
