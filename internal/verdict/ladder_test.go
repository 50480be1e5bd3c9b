package verdict

import (
	"maps"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
)

// counted is a Java-like text of n lines.
func counted(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString("    int field" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + ";\n")
	}
	return "package com.example.shop;\n\npublic class CatalogueImportTest {\n" + b.String() + "}\n"
}

// with replaces whole lines, counted from 1; a replacement may hold several.
func with(text string, lines map[int]string) string {
	all := strings.SplitAfter(text, "\n")
	for n, l := range lines {
		all[n-1] = l
	}
	return strings.Join(all, "")
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func lacking(s string) string { return strings.TrimSuffix(s, "\n") }

// changed is a pull request that touches some lines of a file, and a patch for others.
func changed(path, before string, pull, patch map[int]string) *pullRequest {
	head := with(before, pull)
	return &pullRequest{base: texts{path: before}, head: texts{path: head}, patched: texts{path: with(head, patch)}}
}

type step struct {
	name string
	s    *pullRequest
	rung config.Rung
	path string // of a file comment
	says string // somewhere in the first body
	n    int    // suggestions
}

func steps() []step {
	long := counted(60)
	elsewhere := func(s *pullRequest) *pullRequest {
		s.base[importerFile], s.head[importerFile] = importerText, importerText
		s.patched = texts{importerFile: withTeardown(importerText)}
		return s
	}
	moved := newPolluter()
	moved.base[receiptFile], moved.head[receiptFile] = "class ReceiptTest {\n}\n", "class ReceiptTest {\n    // new\n}\n"
	two := newPolluter()
	two.head[receiptFile] = "class ReceiptTest {\n}\n"
	two.patched[receiptFile] = "class ReceiptTest {\n    // too\n}\n"
	ranges := map[int]string{10: "    int ten;\n", 40: "    int forty;\n"}
	list := []step{
		{name: "new-file", s: newPolluter(), rung: config.Suggestion, n: 1},
		{name: "context-lines", s: changed(importerFile, long, map[int]string{20: "    int twenty;\n"},
			map[int]string{22: "    int afterwards;\n"}), rung: config.Suggestion, n: 1},
		{name: "insertion-in-context", s: changed(importerFile, long, map[int]string{20: "    int twenty;\n"},
			map[int]string{23: line(long, 23) + "\n    int inserted;\n"}), rung: config.Suggestion, n: 1},
		{name: "several-hunks", s: changed(importerFile, long, ranges,
			map[int]string{11: "    int eleven;\n", 41: line(long, 41) + "    int inserted;\n"}), rung: config.Suggestion, n: 2},
		{name: "several-files", s: two, rung: config.Suggestion, n: 2},
		{name: "removed-lines", s: changed(importerFile, long, map[int]string{20: "    int twenty;\n"},
			map[int]string{21: "", 22: ""}), rung: config.Suggestion, n: 1},
		{name: "lines-not-shown", s: changed(importerFile, long, map[int]string{20: "    int twenty;\n"},
			map[int]string{50: "    int fifty;\n"}), rung: config.FileComment, path: importerFile,
			says: "not among those the pull request shows"},
		{name: "one-of-two-hunks-not-shown", s: changed(importerFile, long, map[int]string{20: "    int twenty;\n"},
			map[int]string{21: "    int x;\n", 50: "    int fifty;\n"}), rung: config.FileComment, path: importerFile},
		{name: "across-hunks", s: changed(importerFile, long, map[int]string{20: "    int twenty;\n",
			28: "    int twentyeight;\n"}, map[int]string{23: "", 24: "", 25: ""}), rung: config.FileComment, path: importerFile},
		{name: "victim-in-diff", s: elsewhere(&pullRequest{base: texts{receiptFile: "a\n"}, head: texts{receiptFile: "b\n"}}),
			rung: config.FileComment, path: receiptFile, says: "does not change that file"},
		{name: "nothing-in-diff", s: elsewhere(&pullRequest{base: texts{"README": "a\n"}, head: texts{"README": "b\n"}}),
			rung: config.Comment, says: "does not change that file"},
		{name: "crlf", s: crlfPull(), rung: config.Suggestion, n: 1},
		{name: "crlf-pasted", s: elsewhereText(crlf(importerText), crlf(withTeardown(importerText))), rung: config.Comment, says: "tr '"},
		{name: "mixed-line-ends", s: &pullRequest{base: texts{}, head: texts{importerFile: "class A {\r\n" + long},
			patched: texts{importerFile: "class A {\r\n    int z;\r\n" + long}}, rung: config.FileComment,
			path: importerFile, says: "end in different ways"},
		{name: "tabs", s: elsewhereText("class A {\n\tint a;\n}\n", "class A {\n\tint a;\n\tint b;\n}\n"),
			rung: config.Comment, says: "tr '~' '\\t'"},
		{name: "tabs-suggested", s: changed(importerFile, "class A {\n\tint a;\n\tint b;\n}\n",
			map[int]string{2: "\tint c;\n"}, map[int]string{3: "\tint d;\n"}), rung: config.Suggestion, n: 1},
		{name: "no-newline-at-end", s: &pullRequest{base: texts{}, head: texts{importerFile: lacking(importerText)},
			patched: texts{importerFile: lacking(withTeardown(importerText))}}, rung: config.Suggestion, n: 1},
		{name: "no-newline-touched", s: &pullRequest{base: texts{}, head: texts{importerFile: "class A {\n}"},
			patched: texts{importerFile: "class A {\n}\n"}}, rung: config.FileComment, path: importerFile, says: "no newline"},
		{name: "no-newline-replaced", s: &pullRequest{base: texts{}, head: texts{importerFile: "class A {\n}"},
			patched: texts{importerFile: "class A {\n} // end"}}, rung: config.FileComment, path: importerFile, says: "no newline"},
		{name: "not-ascii", s: changed("src/test/java/Größe Test.java", "eins\nzwei ü\ndrei 😀\n",
			map[int]string{1: "EINS\n"}, map[int]string{2: "zwei äöü ✓\n"}), rung: config.Suggestion, n: 1},
		{name: "not-ascii-pasted", s: elsewhereAt("src/test/java/Größe Test.java", "eins\nzwei ü\ndrei 😀\n",
			"eins\nzwei ß\ndrei 😀\n"), rung: config.Comment},
		{name: "latin1", s: &pullRequest{base: texts{}, head: texts{importerFile: "// caf\xe9\nclass A {\n}\n"},
			patched: texts{importerFile: "// caf\xe9\nclass A {\n    int a;\n}\n"}}, rung: config.FileComment,
			path: importerFile, says: "base64"},
		{name: "form-feed", s: &pullRequest{base: texts{}, head: texts{importerFile: "class A {\n\f\n}\n"},
			patched: texts{importerFile: "class A {\n\f    int a;\n}\n"}}, rung: config.FileComment, path: importerFile, says: "base64"},
		{name: "hidden-direction", s: &pullRequest{base: texts{}, head: texts{importerFile: "class A {\n}\n"},
			patched: texts{importerFile: "class A {\n    // \u202eabc\n}\n"}}, rung: config.FileComment,
			path: importerFile, says: `\u202e`},
		{name: "fences", s: changed(importerFile, "/**\n * ```java\n * x();\n * ````\n */\nclass A {\n}\n",
			map[int]string{3: " * y();\n"}, map[int]string{4: " * `````\n"}), rung: config.Suggestion, n: 1, says: "``````suggestion"},
		{name: "suggestion-in-code", s: changed(importerFile, "a\nb\nc\n", map[int]string{1: "A\n"},
			map[int]string{2: "```suggestion\nevil\n```\n"}), rung: config.Suggestion, n: 1},
		{name: "renamed", s: renamed(), rung: config.Suggestion, n: 1},
		{name: "renamed-unchanged", s: renamedWhole(), rung: config.FileComment, path: importerFile},
		{name: "blank-lines", s: changed(importerFile, long, map[int]string{20: "\n"}, map[int]string{20: "\n\n"}),
			rung: config.Suggestion, n: 1},
		{name: "new-file-in-patch", s: makes(), rung: config.FileComment, path: receiptFile, says: "it is a new file"},
		{name: "removed-file-in-patch", s: removes(), rung: config.FileComment, path: importerFile, says: "cannot remove a file"},
	}
	return append(list, merged()...)
}

func line(text string, n int) string { return strings.SplitAfter(text, "\n")[n-1] }

func elsewhereText(before, after string) *pullRequest {
	return elsewhereAt(importerFile, before, after)
}

func elsewhereAt(path, before, after string) *pullRequest {
	return &pullRequest{base: texts{path: before, "README": "a\n"}, head: texts{path: before, "README": "b\n"}, patched: texts{path: after}}
}

func crlfPull() *pullRequest {
	return &pullRequest{base: texts{}, head: texts{importerFile: crlf(importerText)}, patched: texts{importerFile: crlf(withTeardown(importerText))}}
}

func renamed() *pullRequest {
	before := counted(30)
	after := with(before, map[int]string{10: "    int ten;\n"})
	return &pullRequest{base: texts{"old/CatalogueImportTest.java": before}, head: texts{importerFile: after},
		patched: texts{importerFile: with(after, map[int]string{12: "    int twelve;\n"})}}
}

func renamedWhole() *pullRequest {
	s := renamed()
	same, line := s.head[importerFile], "// renamed only\n"
	s.base["old/CatalogueImportTest.java"], s.head[importerFile] = same+line, same+line
	s.patched[importerFile] += line
	return s
}

// merged are pull requests whose base went on: what was tested is the merge.
func merged() []step {
	long := counted(60)
	fresh := func() *pullRequest {
		return changed(importerFile, long, map[int]string{30: "    int thirty;\n"}, map[int]string{32: "    int patched;\n"})
	}
	shifted := fresh()
	mergedText := with(shifted.head[importerFile],
		map[int]string{5: line(long, 5) + "    int cameWithTheBase;\n    int another;\n", 50: ""})
	shifted.tested = texts{importerFile: mergedText}
	shifted.patched = texts{importerFile: with(mergedText, map[int]string{34: "    int patched;\n"})}
	conflict := fresh()
	conflict.tested = texts{importerFile: with(conflict.head[importerFile], map[int]string{33: "    int changedInTheBase;\n"})}
	conflict.patched = texts{importerFile: with(conflict.tested[importerFile], map[int]string{32: "    int patched;\n"})}
	onlyBase := &pullRequest{base: texts{"README": "a\n"}, head: texts{"README": "b\n"}, tested: texts{importerFile: importerText},
		patched: texts{importerFile: withTeardown(importerText)}}
	twice := fresh() // the same lines stand twice: only the mapping tells them apart
	block := "    @Test\n    void same() {\n        call();\n    }\n"
	gap := strings.Repeat("// gap\n", 5)
	twice.base[importerFile] = gap + block + long
	twice.head[importerFile] = gap + with(block+long, map[int]string{2: "    void other() {\n"})
	twice.tested = texts{importerFile: block + "// more\n" + twice.head[importerFile]}
	twice.patched = texts{importerFile: strings.Replace(twice.tested[importerFile], "void other() {\n",
		"void other() {\n        reset();\n", 1)}
	return []step{
		{name: "merge-shifted", s: shifted, rung: config.Suggestion, n: 1},
		{name: "merge-shifted-twins", s: twice, rung: config.Suggestion, n: 1},
		{name: "merge-conflict", s: conflict, rung: config.FileComment, path: importerFile, says: "merge or rebase first"},
		{name: "merge-only", s: onlyBase, rung: config.Comment, says: "came with the base branch"},
	}
}

func makes() *pullRequest {
	s := &pullRequest{base: texts{receiptFile: "a\n"}, head: texts{receiptFile: "b\n"},
		patched: texts{receiptFile: "c\n", "src/test/java/Extra.java": "class Extra {\n}\n"}}
	s.diff = "diff --git a/" + receiptFile + " b/" + receiptFile + "\n--- a/" + receiptFile + "\n+++ b/" +
		receiptFile + "\n@@ -1 +1 @@\n-b\n+c\n" +
		"diff --git a/src/test/java/Extra.java b/src/test/java/Extra.java\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/src/test/java/Extra.java\n@@ -0,0 +1,2 @@\n+class Extra {\n+}\n"
	return s
}

func removes() *pullRequest {
	s := &pullRequest{base: texts{}, head: texts{importerFile: "a\nb\n"}, patched: texts{}}
	s.diff = "diff --git a/" + importerFile + " b/" + importerFile +
		"\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/" + importerFile + "\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
	return s
}

// TestLadder: the highest rung that is possible is taken, and every rung gives
// what was proved.
func TestLadder(t *testing.T) {
	for _, c := range steps() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.s.config = func(cfg *config.Config) { cfg.Ladder = append(cfg.Ladder, config.Stacked, config.Commit) }
			p := c.s.plan(t)
			if len(p.Comments) != 1 {
				t.Fatalf("%d comments", len(p.Comments))
			}
			k := p.Comments[0]
			body := k.Body
			if len(k.Inline) > 0 {
				body = k.Inline[0].Body
			}
			if k.Rung != c.rung || k.Path != c.path || len(k.Inline) != c.n || !strings.Contains(body, c.says) {
				t.Errorf("%s %q, %d inline, instead of %s %q, %d:\n%s", k.Rung, k.Path, len(k.Inline), c.rung, c.path, c.n, body)
			}
			c.s.mechanics(t, p, c.s.outcome(t))
			golden(t, "ladder-"+c.name, shownAs(p))
		})
	}
}

// TestMostSuggestions: a review holds maxInline suggestions. A change that takes more is a file
// comment, which says so.
func TestMostSuggestions(t *testing.T) {
	for _, c := range []struct {
		n      int
		rung   config.Rung
		inline int
		says   string
	}{{30, config.Suggestion, 30, ""}, {31, config.FileComment, 0, "it would take 31 suggestions, and a review can hold 30"}} {
		pull, fix := map[int]string{}, map[int]string{}
		for i := range c.n { // each far enough from the next for a hunk of its own
			pull[10*i+5], fix[10*i+7] = "    int pulled;\n", "    int patched;\n"
		}
		k := changed(importerFile, counted(10*c.n), pull, fix).plan(t).Comments[0]
		if k.Rung != c.rung || len(k.Inline) != c.inline || !strings.Contains(k.Body, c.says) {
			t.Errorf("%d: %s with %d suggestions:\n%s", c.n, k.Rung, len(k.Inline), k.Body)
		}
	}
}

// TestLongPatch: a comment shows only the beginning of a long patch, but brings all of it to be
// pasted as long as there is room.
func TestLongPatch(t *testing.T) {
	for _, c := range []struct {
		lines int
		paste bool
	}{{100, true}, {1400, true}, {2500, false}} {
		added := strings.Repeat("    int aLongerName;\n", c.lines)
		s := elsewhereText("class A {\n}\n", "class A {\n"+added+"}\n")
		k := s.plan(t).Comments[0]
		if strings.Contains(k.Body, "paste this into a shell") != c.paste || len(k.Body) > maxBody {
			t.Errorf("%d lines: %d bytes:\n%s", c.lines, len(k.Body), k.Body)
		}
		_, left := cut(s.wanted(), 50, maxBody)
		if all := strings.Count(s.wanted(), "\n") - 1; left != all-50 { // all but "diff --git"
			t.Errorf("%d of %d lines are left out", left, all)
		}
	}
}

// outcome is the checkout with the change: of the head, or of the merge where
// the change is for that.
func (pr *pullRequest) outcome(t *testing.T) texts {
	t.Helper()
	dir := t.TempDir()
	for _, with := range []texts{{}, pr.tested} {
		files := maps.Clone(pr.head)
		maps.Copy(files, with)
		write(t, dir, files)
		if got, ok := applied(t, dir, pr.wanted()); ok {
			return got
		}
	}
	t.Fatal("git does not apply the patch to head or merge")
	return nil
}

// TestAttackUnreadablePaste: a command that people cannot read stands only beside a diff that is shown whole.
func TestAttackUnreadablePaste(t *testing.T) {
	head := "class A {\n    // \u202eabc\n}\n"
	for name, c := range map[string]struct {
		lines int
		tone  config.Tone
		paste bool
	}{"whole": {3, config.Full, true}, "cut": {500, config.Full, false}, "short": {3, config.Short, false}} {
		s := elsewhereText(head, "class A {\n    // \u202eabc\n"+strings.Repeat("    // reset\n", c.lines)+"    static { reset(); }\n}\n")
		s.config = func(cfg *config.Config) { cfg.Comments.Tone = c.tone }
		body := s.plan(t).Comments[0].Body
		if strings.Contains(body, "base64") != c.paste || strings.Contains(body, "cannot be pasted") == c.paste {
			t.Errorf("%s: %s", name, body)
		}
	}
}
