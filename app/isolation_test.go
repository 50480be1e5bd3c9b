package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/odfix/odfix/internal/dispatch"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"4GiB": 4 << 30, "512MiB": 512 << 20, "1 G": 1 << 30, "0GiB": 0,
		"4": 0, "-1GiB": 0, "1TiB": 0, "9999999999G": 0, "": 0} {
		if n, err := size("job-memory", text); n != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}

func TestIsolationFlagsAreChecked(t *testing.T) {
	for args, want := range map[string]string{
		"--isolation chroot": "bubblewrap or none", "--job-memory 4": "--job-memory", "--job-disk lots": "--job-disk",
		"--job-processes 3": "--job-processes",
		"--job-cpus=-1":     "--job-cpus", "--allow-host nexus": "HOST:PORT or nexus.example.org:8443",
		"--maven-cache /no/such": "/no/such", "--job-nice 20": "--job-nice",
		"--job-nice=-1": "--job-nice",
	} {
		var out, errs bytes.Buffer
		env := map[string]string{"ODFIX_WEBHOOK_SECRET": "s"}
		code := run(t.Context(), append([]string{"serve"}, strings.Fields(args)...),
			world{stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
				getenv: func(k string) string { return env[k] }, now: time.Now})
		ok := false
		for _, w := range strings.Split(want, " or ") {
			ok = ok || strings.Contains(errs.String(), w)
		}
		if code != exitUsage || !ok {
			t.Errorf("%s: %d, %s", args, code, errs.String())
		}
	}
}

// TestNoSandboxNoRunner checks that serve does not run untrusted code without a sandbox, unless it
// is configured to, which it then logs.
func TestNoSandboxNoRunner(t *testing.T) {
	runner := filepath.Join(t.TempDir(), "odfix-runner")
	if err := os.WriteFile(runner, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(dispatch.RunnerEnv, runner)
	t.Setenv("PATH", t.TempDir())
	core, seen := observer.New(zap.InfoLevel)
	var s runnerOptions
	w := world{runner: func(io.Writer) dispatch.Dispatcher { return &dispatch.Local{} }}
	s.isolation.kind = isolationBubblewrap
	if d, err := s.dispatcher(context.Background(), w, zap.New(core)); d != nil || err == nil || !strings.Contains(err.Error(), "--isolation none") {
		t.Errorf("%v, %v", d, err)
	}
	s.isolation.kind = isolationNone
	d, err := s.dispatcher(context.Background(), w, zap.New(core))
	if l, ok := d.(*dispatch.Local); err != nil || !ok || l.Env == nil {
		t.Errorf("%v, %v", d, err)
	}
	if seen.FilterMessageSnippet("BUILDS AND TESTS HAVE FULL ACCESS").FilterLevelExact(zap.WarnLevel).Len() != 1 {
		t.Error("nothing was logged")
	}
}
