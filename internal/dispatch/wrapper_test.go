//go:build linux

package dispatch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// wrapper does what a Maven wrapper does: it fetches its Maven once, into the
// home folder's .m2/wrapper, while there is a network, and then uses that. Without
// it the project cannot be built, since it alone knows the compiler's release.
const wrapper = `#!/bin/sh
set -e
at="$HOME/.m2/wrapper/dists/ours"
if [ ! -f "$at/mark" ]; then
  [ -n "$https_proxy" ] || { echo "no network to fetch Maven with" >&2; exit 9; }
  mkdir -p "$at"
  echo fetched > "$at/mark"
fi
exec mvn -Dtheirs=8 "$@"
`

// TestIsolatedWrapper: a project's own wrapper builds it in a room, fetches in
// the first step, and finds in the second what it fetched. Another job does not.
func TestIsolatedWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Maven")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/demo")); err != nil {
		t.Fatal(err)
	}
	pom, err := os.ReadFile(filepath.Join(dir, "pom.xml"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("<maven.compiler.source>8<", "<maven.compiler.source>${theirs}<",
		"<maven.compiler.release>8<", "<maven.compiler.release>${theirs}<").Replace(string(pom))
	if changed == string(pom) {
		t.Fatal("the example's pom names no release any more")
	}
	for name, text := range map[string]string{"pom.xml": changed, "mvnw": wrapper} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "target")); err != nil {
		t.Fatal(err)
	}
	runner := realRunner(t)
	d := &dispatch.Isolated{Sandbox: sandbox(t, runner, t.TempDir(), isolate.Limits{}), Runner: runner, Maven: machineMaven(t)}
	j := job.Job{Kind: job.KindRun, Dir: dir, Orders: [][]string{{"com.example.shop.ReceiptTest#printsTheTotal"}}, Budget: 10 * time.Hour}
	r, err := d.Run(t.Context(), j, nil)
	var e *job.Error
	if errors.As(err, &e) {
		t.Fatalf("%v\n%s", e, e.Detail)
	}
	if err != nil || r.Error != nil || len(r.Runs) != 1 || len(r.Runs[0].Results) != 1 || r.Runs[0].Results[0].Outcome != suite.Pass {
		t.Fatalf("%v, %+v", err, r)
	}
	j.Offline = true
	if r, err := d.Run(t.Context(), j, nil); err == nil && r.Error == nil {
		t.Error("what one job's wrapper fetched is there for the next one")
	}
}
