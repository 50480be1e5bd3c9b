package patch

import (
	"bytes"
	"math/rand"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestRender: what odfix writes is the same after it was read.
func TestRender(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	text := func() string {
		var b strings.Builder
		for range random.Intn(20) {
			b.WriteString([]string{"a", "b", "", "é\t"}[random.Intn(4)] + []string{"\n", "\n", "\n", "\r\n"}[random.Intn(4)])
		}
		if random.Intn(3) == 0 {
			b.WriteString("end")
		}
		return b.String()
	}
	names := []string{"A.java", "a b/C.java", "é/\"x\".java"}
	for range 2000 {
		diff := Unified(Edit{names[random.Intn(3)], text(), text()}, Edit{"other/D.java", text(), text()})
		if diff == "" {
			continue
		}
		got, err := Sections(diff)
		if again := Render(got...); err != nil || again != diff {
			t.Fatalf("%v\n%s\nbecomes\n%s", err, diff, again)
		}
	}
	for _, diff := range []string{strings.Replace(made, "index 0000000..257cc56\n", "", 1), strings.Replace(removed, "index 257cc56..0000000\n", "", 1)} {
		got, err := Sections(diff)
		if again := Render(got...); err != nil || again != diff {
			t.Errorf("%v\n%s\nbecomes\n%s", err, diff, again)
		}
	}
}

const (
	tests = "src/test/java/a/"
	a, b  = tests + "A.java", tests + "B.java"
	own   = "diff --git a/" + a + " b/" + a + "\n"
	named = "--- a/" + a + "\n+++ b/" + a + "\n"
	pom   = "diff --git a/pom.xml b/pom.xml\n"
	hunk  = "@@ -1 +1 @@\n-a\n+b\n"
	newer = "new file mode 100644\n--- /dev/null\n+++ b/" + b + "\n@@ -0,0 +1 @@\n+class B {}\n"
	blobs = "index 0013f20b0013f20b0013f20b0013f20b0013f20b..1a3833201a3833201a3833201a3833201a383320"
)

// TestAttackRender: git reads other changes in a patch than odfix, such as a binary change of the pom, a
// rename, a mode, or a second patch in what odfix takes for a hunk. Nothing of that is in what goes on.
func TestAttackRender(t *testing.T) {
	for name, diff := range map[string]string{
		"binary change":          pom + blobs + "\nFiles a/pom.xml and b/pom.xml differ\n" + named + hunk,
		"hidden binary change":   strings.Repeat("#\n", 450) + pom + blobs + "\nFiles a/pom.xml and b/pom.xml differ\n" + named + hunk,
		"other hunks":            own + named + "@@ -1 +1 @@\n-a\n+b\n@@  -5 +5 @@\n--- a/pom.xml\n+++ b/pom.xml\n@@ -1 +1 @@\n-a\n+b\n",
		"binary patch":           pom + "index 0013f20..1a38332 100644\nGIT binary patch\nliteral 34\njcmcC1D9X=DO)\n\nodfix\n" + newer,
		"rename":                 "diff --git a/pom.xml b/" + b + "\nsimilarity index 100%\nrename from pom.xml\nrename to " + b + "\nodfix\n" + newer,
		"copy":                   "diff --git a/a b/.github/workflows/x.yml\ncopy from a\ncopy to .github/workflows/x.yml\nodfix\n" + newer,
		"mode":                   pom + "old mode 100644\nnew mode 100755\nodfix\n" + newer,
		"link":                   "diff --git a/" + b + " b/" + b + "\nnew mode 120000\n" + newer,
		"link's mode":            "diff --git a/" + b + " b/" + b + "\nindex 0000000..1a38332 120000\n" + newer,
		"other names":            pom + newer,
		"quoted names":           "diff --git \"a/pom.xml\" \"b/pom.xml\"\n" + newer,
		"executable":             strings.Replace(newer, "100644", "100755", 1),
		"time stamps":            strings.ReplaceAll(named, "\n", "\ty 2010-07-05 19:41:17 -0500\n") + hunk,
		"gone, with time stamps": strings.ReplaceAll(named, "\n", "\t1970-01-01 00:00:00 +0000\n") + "@@ -1 +0,0 @@\n-x\n",
	} {
		if taken := onlyNamed(t, name, diff); taken == (name == "other hunks") {
			t.Errorf("%s: that odfix reads it is %v", name, taken)
		}
	}
}

// TestAttackRandomPatches is TestAttackRender for lines of patches that are put together at random.
func TestAttackRandomPatches(t *testing.T) {
	parts := []string{
		own, pom, "diff --git a/pom.xml b/" + a + "\n", "--- a/" + a + "\n", "+++ b/" + a + "\n", named, newer,
		"--- a/pom.xml\n+++ b/pom.xml\n", "new file mode 100644\n", "new file mode 100644\r\n", "deleted file mode 100644\n",
		"old mode 100644\nnew mode 100755\n", "rename from pom.xml\nrename to x\n", "index 0013f20..1a38332 120000\n", blobs + "\n",
		"GIT binary patch\n", "literal 34\njcmcC1D9X=DO)\n\n", "Binary files a/pom.xml and b/pom.xml differ\n", "Files a/pom.xml and b/pom.xml differ\n",
		hunk, "@@ -1,2 +1,2 @@\n-a\n+b\n c\n", "@@ -0,0 +1 @@\n+x\n", "@@ -1 +0,0 @@\n-x\n", "@@ -5 +5 @@\n--- a/pom.xml\n+++ b/pom.xml\n",
		"@@ -1,1 +1,1 @@ foo\n-a\n+b\n", "@@ -0001 +0001 @@\n-a\n+b\n", "@@  -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@", "@@ -1 +1 @@\r\n-a\r\n+b\r\n",
		"\\ No newline at end of file\n", "\\x\n", " \n", "\n", "foo\n", "-\n", "+\n", "-- \n2.39\n", "--- x\n", "+++ y\n", "\r\n",
		strings.ReplaceAll(named, "\n", "\r\n"), strings.ReplaceAll(named, "\n", "\t\n"), strings.ReplaceAll(named, "\n", "\tx 2010-07-05 19:41:17 -0500\n"),
		strings.ReplaceAll(named, "\n", "\t1970-01-01 00:00:00 +0000\n"),
	}
	good := []string{own + named + hunk, "diff --git a/" + b + " b/" + b + "\n" + newer, named + hunk}
	random := rand.New(rand.NewSource(2))
	taken := 0
	for range 20_000 {
		var lines []string
		for range 1 + random.Intn(3) {
			if random.Intn(2) == 0 {
				lines = append(lines, strings.SplitAfter(good[random.Intn(len(good))], "\n")...)
			}
			for range random.Intn(4) {
				lines = append(lines, parts[random.Intn(len(parts))])
			}
		}
		for range random.Intn(3) {
			lines = slices.Insert(lines, random.Intn(len(lines)+1), parts[random.Intn(len(parts))])
		}
		if onlyNamed(t, "random", strings.Join(lines, "")) {
			taken++
		}
		if taken == 400 {
			return
		}
	}
	t.Errorf("odfix takes only %d of these patches", taken)
}

// onlyNamed checks that git reads in what odfix writes the changes that odfix has read, and no others. It
// reports whether odfix reads the patch, and names each file once.
func onlyNamed(t *testing.T, name, diff string) bool {
	t.Helper()
	list, err := Sections(diff)
	if err != nil {
		return false
	}
	want := map[string]Kind{}
	for _, s := range list {
		if _, twice := want[s.Path]; twice || s.Path == "pom.xml" { // neither is accepted
			return false
		}
		want[s.Path] = s.Kind
	}
	text := Render(list...)
	c := exec.Command("git", "apply", "--numstat", "--summary", "-z")
	c.Dir, c.Stdin = t.TempDir(), strings.NewReader(text)
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Run(); err != nil {
		t.Errorf("%s: git does not read %q, which odfix read in %q: %v", name, text, diff, err)
	}
	for _, l := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == 0 || r == '\n' }) {
		added, path, found := strings.Cut(l, "\t")
		_, path, _ = strings.Cut(path, "\t")
		_, mine := want[path]
		if !found {
			what, of, _ := strings.Cut(strings.TrimSpace(l), " mode 100644 ")
			kind, has := want[of]
			mine = has && (what == "create" && kind == Makes || what == "delete" && kind == Removes)
		}
		if !mine || added == "-" {
			t.Errorf("%s: git reads %q in %q", name, l, text)
		}
	}
	return true
}
