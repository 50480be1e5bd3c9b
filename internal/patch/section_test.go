package patch

import (
	"strings"
	"testing"
)

const (
	made = "diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..257cc56\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 " +
		"@@\n+foo\n"
	removed = "diff --git a/old.txt b/old.txt\ndeleted file mode 100644\nindex 257cc56..0000000\n--- a/old.txt\n+++ /dev/null\n@@ -1 " +
		"+0,0 @@\n-foo\n"
	changes = "diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n+b\n"
)

func TestSections(t *testing.T) {
	got, err := Sections(made + removed + changes)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got[0].Kind != Makes || got[0].Path != "new.txt" || got[0].Made != "foo\n" {
		t.Errorf("%+v", got[0])
	}
	if got[1].Kind != Removes || got[1].Path != "old.txt" {
		t.Errorf("%+v", got[1])
	}
	if got[2].Kind != Edits || got[2].Path != "f.txt" || len(got[2].File.Hunks) != 1 {
		t.Errorf("%+v", got[2])
	}
}

func TestSectionsRefuse(t *testing.T) {
	for name, diff := range map[string]string{
		"nothing":       "",
		"rename":        "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
		"mode":          "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
		"link":          strings.Replace(made, "100644", "120000", 1),
		"outside":       strings.ReplaceAll(made, "new.txt", "../new.txt"),
		"git folder":    strings.ReplaceAll(made, "new.txt", ".git/config"),
		"binary":        "diff --git a/a b/a\nindex 1..2 100644\nBinary files a/a and b/a differ\n",
		"made from one": strings.Replace(made, "/dev/null", "a/other", 1),
		"made, removes": strings.Replace(made, "@@ -0,0 +1 @@\n+foo", "@@ -1 +1 @@\n-x\n+foo", 1),
		"two hunks":     made + "@@ -1 +1 @@\n-x\n+foo\n",
		"cut":           strings.TrimSuffix(made, "+foo\n"),
		"no name":       "diff --git a/e b/e\nnew file mode 100644\nindex 0..1\n",
		"path mismatch": strings.Replace(changes, "+++ b/f.txt", "+++ b/g.txt", 1),
	} {
		if got, err := Sections(diff); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzSections(f *testing.F) {
	f.Add(made + removed + changes)
	f.Add("prose\n" + changes)
	f.Add("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n\\ no\n\\ no\n+b\n c\n")
	f.Fuzz(func(t *testing.T, diff string) {
		got, err := Sections(diff)
		if err != nil {
			return
		}
		for _, s := range got {
			if !Local(s.Path) || s.Kind == Edits && len(s.File.Hunks) == 0 {
				t.Errorf("%+v", s)
			}
		}
		text := Render(got...)
		again, err := Sections(text)
		if err != nil || len(again) != len(got) || Render(again...) != text {
			t.Errorf("%q becomes %q, and then %+v, %v", diff, text, again, err)
		}
		for i, s := range again {
			if s.Path != got[i].Path || s.Kind != got[i].Kind || s.Made != got[i].Made || len(s.File.Hunks) != len(got[i].File.Hunks) {
				t.Errorf("%+v becomes %+v", got[i], s)
			}
		}
	})
}
