package jest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/odfix/odfix/internal/harness"
)

// TestFailsIn: a command whose process does not end by itself is stopped after its results, and is known to stay.
func TestFailsIn(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	stub, result := filepath.Join(dir, "jest.cjs"), filepath.Join(dir, "result.json")
	const text = `
const status = process.argv.includes('passes') ? 'passed' : 'failed';
const file = process.argv.find(a => a.startsWith('--outputFile=')).slice('--outputFile='.length);
require('fs').writeFileSync(file, JSON.stringify({testResults: [{assertionResults: [{fullName: 'a b', status}]}]}));
process.exitCode = status === 'failed' ? 1 : 0;
if (!process.argv.includes('--coverage=false')) require('fs').mkdirSync('coverage');
if (process.argv.includes('stays') && !process.argv.includes('--forceExit')) setInterval(() => {}, 1000);
`
	if err := os.WriteFile(stub, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args          []string
		failed, stays bool
	}{
		{[]string{"fails"}, true, false},
		{[]string{"passes"}, false, false},
		{[]string{"stays"}, true, true},
		{[]string{"stays", "--forceExit"}, true, false},
	} {
		failed, stays, err := failsIn(t.Context(), harness.Spec{Dir: dir, Env: os.Environ()}, result, append([]string{node, stub}, c.args...), "a b")
		if err != nil || failed != c.failed || stays != c.stays {
			t.Errorf("%q: fails %v, stays %v, %v", c.args, failed, stays, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "coverage")); err == nil {
			t.Errorf("%q: a report of coverage was written", c.args)
		}
	}
}
