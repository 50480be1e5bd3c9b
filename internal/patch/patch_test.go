package patch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names are paths that are difficult for some tools.
var names = []string{
	"src/test/java/a/BTest.java", "with space/T est.java", "ä/Größe.java", "日本.java",
	`quo"te.java`, `tab` + "\t" + `.java`, "-dash.java", "a/b/a/b.java", "latin\xe9.java",
}

// TestGitAppliesRandomEdits checks random patches with git itself: each applies, and gives the
// requested bytes.
func TestGitAppliesRandomEdits(t *testing.T) {
	git(t, t.TempDir(), "version")
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			edits := randomEdits(r)
			patch := Unified(edits...)
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			for _, e := range edits {
				write(t, filepath.Join(dir, e.Path), e.Before)
			}
			if patch != "" {
				file := filepath.Join(t.TempDir(), "p.patch")
				write(t, file, patch)
				git(t, dir, "apply", "--check", file)
				git(t, dir, "apply", file)
			}
			for _, e := range edits {
				got, err := os.ReadFile(filepath.Join(dir, e.Path))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(e.After, string(got)); d != "" {
					t.Errorf("%q after git apply (-want +got):\n%s\npatch:\n%s", e.Path, d, patch)
				}
			}
		})
	}
}

// TestApplyRandomEdits checks the same for Apply, without git and therefore more often.
func TestApplyRandomEdits(t *testing.T) {
	for seed := range uint64(3000) {
		edits := randomEdits(rand.New(rand.NewPCG(seed, 2)))
		patch := Unified(edits...)
		if patch == "" {
			continue
		}
		before := map[string]string{}
		for _, e := range edits {
			before[e.Path] = e.Before
		}
		after, err := ApplyAll(patch, func(p string) (string, error) { return before[p], nil })
		if err != nil {
			t.Fatalf("seed %d: %v\n%q", seed, err, patch)
		}
		if bad := wrongStart(patch); bad != "" {
			t.Fatalf("seed %d: %s begins elsewhere in the new file\n%s", seed, bad, patch)
		}
		for _, e := range edits {
			got, touched := after[e.Path]
			if !touched {
				got = e.Before
			}
			if got != e.After {
				t.Fatalf("seed %d, %q: want %q, got %q, patch\n%q", seed, e.Path, e.After, got, patch)
			}
		}
	}
}

var header = regexp.MustCompile(`(?m)^(?:diff --git .*|@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@)\n`)

// wrongStart returns a header whose first line in the new file is not what the hunks before it make
// of its first line in the old file.
func wrongStart(patch string) string {
	added := 0
	for _, m := range header.FindAllStringSubmatch(patch, -1) {
		if m[1] == "" { // the next file
			added = 0
			continue
		}
		n := []int{0, 1, 0, 1} // first line and number of lines, old and new
		for i := range n {
			if m[1+i] != "" {
				n[i], _ = strconv.Atoi(m[1+i]) // digits
			}
		}
		if n[1] > 0 && n[3] > 0 && n[2] != n[0]+added {
			return strings.TrimSpace(m[0])
		}
		added += n[3] - n[1]
	}
	return ""
}

func randomEdits(r *rand.Rand) []Edit {
	var out []Edit
	for _, i := range r.Perm(len(names))[:1+r.IntN(3)] {
		before := randomLines(r)
		out = append(out, Edit{names[i], strings.Join(before, ""), strings.Join(change(r, before), "")})
	}
	return out
}

// randomLines chooses from few distinct lines, so that hunks are ambiguous.
func randomLines(r *rand.Rand) []string {
	ends := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}[r.IntN(3)]
	var out []string
	for range r.IntN(40) {
		out = append(out, randomLine(r)+ends[r.IntN(len(ends))])
	}
	return trimLast(r, out)
}

func randomLine(r *rand.Rand) string {
	return []string{"", "\t", "int x;", "é = \"ü\";", "caf\xe9", "-- a", "++ b", "}", "\\ No newline", "\u2028x", "a\rb"}[r.IntN(11)]
}

func change(r *rand.Rand, before []string) []string {
	out := append([]string(nil), before...)
	if n := len(out); n > 0 && !strings.HasSuffix(out[n-1], "\n") {
		out[n-1] += "\n"
	}
	for range r.IntN(5) {
		at := r.IntN(len(out) + 1)
		if r.IntN(2) == 0 && at < len(out) {
			out = append(out[:at], out[at+1:]...)
		} else {
			out = append(out[:at], append([]string{randomLine(r) + "\n"}, out[at:]...)...)
		}
	}
	return trimLast(r, out)
}

// trimLast sometimes removes the newline of the last line.
func trimLast(r *rand.Rand, lines []string) []string {
	if n := len(lines); n > 0 && r.IntN(3) == 0 {
		if last := strings.TrimRight(lines[n-1], "\r\n"); last != "" {
			lines[n-1] = last
		}
	}
	return lines
}

func TestUnified(t *testing.T) {
	got := Unified(Edit{"t/A.java", "a\r\nb\r\n", "a\r\nx\r\nb\r\n"}, Edit{"same", "a", "a"}, Edit{"ö x", "a", "b"})
	want := "diff --git a/t/A.java b/t/A.java\n--- a/t/A.java\n+++ b/t/A.java\n@@ -1,2 +1,3 @@\n a\r\n+x\r\n b\r\n" +
		`diff --git "a/\303\266 x" "b/\303\266 x"` + "\n" + `--- "a/\303\266 x"` + "\n" + `+++ "b/\303\266 x"` + "\n" +
		"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestQuoteAsGit compares the headers with those that git writes.
func TestQuoteAsGit(t *testing.T) {
	for _, name := range names {
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		write(t, filepath.Join(dir, name), "a\n")
		git(t, dir, "add", ".")
		write(t, filepath.Join(dir, name), "b\n")
		var theirs []string
		for l := range strings.Lines(git(t, dir, "-c", "core.quotePath=true", "diff")) {
			if !strings.HasPrefix(l, "index ") {
				theirs = append(theirs, l)
			}
		}
		if d := cmp.Diff(strings.Join(theirs, ""), Unified(Edit{name, "a\n", "b\n"})); d != "" {
			t.Errorf("%q (-git +ours):\n%s", name, d)
		}
	}
}

func TestApplyElsewhere(t *testing.T) {
	patch := Unified(Edit{"f", "1\n2\n3\n4\n5\n", "1\n2\nx\n3\n4\n5\n"})
	for _, c := range []struct{ name, text, want, err string }{
		{"as it was", "1\n2\n3\n4\n5\n", "1\n2\nx\n3\n4\n5\n", ""},
		{"moved", "0\n0\n1\n2\n3\n4\n5\n", "0\n0\n1\n2\nx\n3\n4\n5\n", ""},
		{"twice", "0\n1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n", "", "several places"},
		{"changed", "1\n2\n3!\n4\n5\n", "", "around line 1"},
		{"applied already", "1\n2\nx\n3\n4\n5\n", "", "around line 1"},
		{"other line ends", "1\r\n2\r\n3\r\n4\r\n5\r\n", "", "around line 1"},
		{"gone", "", "", "around line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ApplyAll(patch, func(string) (string, error) { return c.text, nil })
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("want an error with %q, got %v", c.err, err)
				}
				return
			}
			if err != nil || got["f"] != c.want {
				t.Errorf("got %q, %v", got["f"], err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	hunk := "@@ -1 +1 @@\n-a\n+b\n"
	for name, diff := range map[string]string{
		"nothing":         "",
		"prose":           "hello\n",
		"absolute":        "--- a//etc/passwd\n+++ b//etc/passwd\n" + hunk,
		"outside":         "--- a/../x\n+++ b/../x\n" + hunk,
		"hidden outside":  "--- a/x/../../y\n+++ b/x/../../y\n" + hunk,
		"git folder":      "--- a/.git/config\n+++ b/.git/config\n" + hunk,
		"backslash":       "--- a/..\\x\n+++ b/..\\x\n" + hunk,
		"two names":       "--- a/x\n+++ b/y\n" + hunk,
		"new file":        "new file mode 100644\n--- a/x\n+++ b/x\n" + hunk,
		"rename":          "rename from x\n",
		"no second name":  "--- a/x\n",
		"no hunk":         "--- a/x\n+++ b/x\n",
		"hunk first":      hunk,
		"cut short":       "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n",
		"wrong counts":    "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n+c\n",
		"huge count":      "--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n-a\n",
		"bad quote":       "--- \"a/\\9\"\n+++ \"b/\\9\"\n" + hunk,
		"empty hunk":      "--- a/x\n+++ b/x\n@@ -0,0 +0,0 @@\n",
		"lonely backlash": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline\n",
	} {
		t.Run(name, func(t *testing.T) {
			if files, err := Parse(diff); err == nil {
				t.Errorf("accepted as %v", files)
			}
		})
	}
}

// FuzzParse checks that reading any patch ends and returns no path outside, and that applying the
// patch to its own lines never panics.
func FuzzParse(f *testing.F) {
	f.Add(Unified(Edit{"ö x", "a", "b"}, Edit{"y", "1\n2\n", "2\n3\n"}))
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n-c\n+b\n\\ No newline at end of file\n")
	f.Add("--- \"a/\\303\\266\"\n+++ \"b/\\303\\266\"\n@@ -0,0 +1 @@\n+b\n")
	f.Fuzz(func(t *testing.T, diff string) {
		files, err := Parse(diff)
		if err != nil {
			return
		}
		for _, file := range files {
			if !filepath.IsLocal(file.Path) {
				t.Errorf("path %q leads outside", file.Path)
			}
			_, _ = file.Apply(strings.Join(file.Hunks[0].Before, ""))
		}
	})
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
