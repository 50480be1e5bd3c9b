//go:build linux

package dispatch_test

import (
	"crypto/md5"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// TestIsolatedGradle: a room has what a build of Gradle needs, and the machine's distribution for a
// wrapper. Dependencies come through the proxy; the second step needs none.
func TestIsolatedGradle(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs Gradle and test JVMs for half a minute")
	}
	if _, err := exec.LookPath("gradle"); err != nil {
		t.Fatal("Gradle is not installed; .ci/gradle installs it")
	}
	runner, home := realRunner(t), filepath.Join(t.TempDir(), ".gradle")
	d := &dispatch.Isolated{Sandbox: sandbox(t, runner, t.TempDir(), isolate.Limits{}), Runner: runner, Gradle: home}
	dir := filepath.Join(t.TempDir(), "checkout")
	if err := os.CopyFS(dir, os.DirFS("../../examples/gradle-projects")); err != nil {
		t.Fatal(err)
	}
	const polluter, victim = "com.example.tickets.SummerTest#journeysCostHalf", "com.example.tickets.TicketTest#hasThePriceOfTheJourney"
	fix := func() (*job.Report, error) {
		return d.Run(t.Context(), job.Job{Kind: job.KindFix, Language: "java", BuildTool: job.Gradle, Dir: dir, Tests: []string{victim},
			Order: &job.ObservedOrder{Tests: []string{polluter, victim}}, Budget: 10 * time.Hour}, nil)
	}
	r, err := fix()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*job.Error).Detail)
	}
	if r.Error != nil || len(r.Tests) != 1 || len(r.Tests[0].Patches) == 0 || !strings.HasPrefix(r.Project.Build, "gradle ") {
		t.Errorf("%+v %+v %+v", r.Error, r.Project, r.Tests)
	}

	// A wrapper uses the machine's distribution, and cannot download one.
	wrapper := exec.CommandContext(t.Context(), "gradle", "--no-daemon", "-q", "wrapper")
	wrapper.Dir = dir
	if out, err := wrapper.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r, err = fix()
	if err != nil || r.Error == nil || !strings.Contains(r.Error.Hint, "--gradle-home") {
		t.Errorf("without a distribution: %v %+v", err, r)
	}
	distribution(t, home, filepath.Join(dir, "gradle", "wrapper", "gradle-wrapper.properties"))
	r, err = fix()
	if err != nil || r.Error != nil || len(r.Tests) != 1 || len(r.Tests[0].Patches) == 0 {
		t.Errorf("with a distribution: %v %+v", err, r)
	}
}

// distribution makes the Gradle that is installed the one that a wrapper has downloaded.
func distribution(t *testing.T, home, properties string) {
	t.Helper()
	text, err := os.ReadFile(properties)
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`(?m)^distributionUrl=(.*/(gradle-.*)-bin\.zip)$`).FindStringSubmatch(string(text))
	sum := md5.Sum([]byte(strings.ReplaceAll(at[1], `\`, "")))
	dir := filepath.Join(home, "wrapper", "dists", at[2]+"-bin", new(big.Int).SetBytes(sum[:]).Text(36))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	installed, err := exec.LookPath("gradle")
	if err == nil {
		installed, err = filepath.EvalSymlinks(installed)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-rL", filepath.Dir(filepath.Dir(installed)), filepath.Join(dir, at[2])).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, at[2]+"-bin.zip.ok"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}
