package importtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestIDsAreOpaque: the algorithms ask the suite's tree, and read no test id. order/arguments.go
// writes command lines for build tools, and is the one exception.
func TestIDsAreOpaque(t *testing.T) {
	reads := regexp.MustCompile(`\.(Class|Method|MethodName|Visit)\(\)|suite\.ByVisit`)
	seen := 0
	for _, room := range []string{"cohort", "ddmin", "detect", "diagnose", "ledger", "order", "repair", "state"} {
		files, err := filepath.Glob("../" + room + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "order/arguments.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			if found := reads.Find(text); found != nil {
				t.Errorf("%s reads test ids: %s", file, found)
			}
		}
	}
	if seen < 50 {
		t.Fatalf("only %d files seen", seen)
	}
}
