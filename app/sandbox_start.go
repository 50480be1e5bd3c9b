//go:build !sandbox

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/odfix/odfix/internal/job"
)

// sandboxCommand starts odfix-sandbox, which contains the stand-in GitHub. A server in production
// does not need it, so odfix does not link it. odfix-sandbox is this package built with the tag
// "sandbox" (sandbox.go).
func sandboxCommand(w world, code *int) *cobra.Command {
	return &cobra.Command{
		Use: "sandbox", Short: "Show a pull request on a stand-in GitHub, from red CI to the comment of odfix",
		Long:               "Runs a pull request on a stand-in GitHub. `odfix sandbox --help` lists the flags and scenarios.",
		DisableFlagParsing: true, ValidArgsFunction: completeSandbox,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := sandboxProgram()
			if err == nil {
				*code, err = replaceProcess(cmd.Context(), path, append([]string{"sandbox"}, args...))
			}
			if err != nil {
				complain(w, sandboxMissing(err))
				*code = exitError
			}
			return nil
		},
	}
}

// completeSandbox asks odfix-sandbox to complete its own flags and scenarios.
func completeSandbox(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	path, err := sandboxProgram()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ask := exec.CommandContext(cmd.Context(), path, append(append([]string{cobra.ShellCompRequestCmd, "sandbox"}, args...), begun)...)
	said, err := ask.Output()
	values, directive, found := strings.Cut("\n"+string(said), "\n:") // the last line is the directive
	number, bad := strconv.Atoi(strings.TrimSpace(directive))
	if err != nil || !found || bad != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return strings.FieldsFunc(values, func(r rune) bool { return r == '\n' }), cobra.ShellCompDirective(number)
}

// sandboxProgram returns the path of odfix-sandbox: next to the running program with links
// resolved, or else in PATH.
func sandboxProgram() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	name := "odfix-sandbox"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if path, err := exec.LookPath(filepath.Join(filepath.Dir(exe), name)); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("%s is neither in %s nor in PATH", name, filepath.Dir(exe))
}

func sandboxMissing(err error) *job.Error {
	return &job.Error{
		Code:    "sandbox-missing",
		Message: "odfix cannot start the sandbox: " + err.Error(),
		Hint: "A release's archive and `make build` have odfix-sandbox beside odfix: put it into the same folder. " +
			"The container image has none.",
	}
}
