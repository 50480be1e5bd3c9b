package page_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest/page"
)

const suggested = "Repair **it**.\n\n```suggestion\n    int one;\n    int three;\n```\n\n<details>\n" +
	"<summary>More &amp; more</summary>\n\n- a `list`\n\n</details>\n"

func TestConversation(t *testing.T) {
	w := newWorld(t, "Why `it` matters.")
	id := w.review("<!-- hidden: marker -->\n" + suggested)
	c := w.check("One thing", "Reported by [all checks]("+w.WebURL+"/acme/demo/runs/7).")
	text := w.page()
	want(t, text,
		"A &lt;b&gt;bold&lt;/b&gt; title", "<p>Why <code>it</code> matters.</p>", "<p>Repair <strong>it</strong>.</p>",
		"lines 2 to 3", "odfix[bot]",
		`<span class="same">     int one;`, `<span class="del">-    int two;`, `<span class="add">+    int three;`,
		"<details><summary>More &amp; more</summary>", "<li>a <code>list</code></li>", fmt.Sprintf(`name="comment" value="%d"`, id),
		fmt.Sprintf(`id="check-%d"`, c.GetID()), `href="#check-7"`, "README.md:1", `<span class="add">+class ATest {`)
	for _, no := range []string{"hidden: marker", "http-equiv"} {
		if strings.Contains(text, no) {
			t.Errorf("%q is on the page", no)
		}
	}
	w.busy.Store("CI runs")
	want(t, w.page(), `http-equiv="refresh"`, `role="status">CI runs<`)
}

// TestFile checks the page without forms.
func TestFile(t *testing.T) {
	w := newWorld(t, "x")
	w.review(suggested)
	var b bytes.Buffer
	w.must(page.Write(w.ctx, &b, w.pull))
	want(t, b.String(), `http-equiv="Content-Security-Policy"`, `<span class="add">+    int three;`)
	if strings.Contains(b.String(), "<form") {
		t.Error("it has a form, which nobody answers")
	}
}

// TestCommitSuggestion: the button's form commits, once.
func TestCommitSuggestion(t *testing.T) {
	w := newWorld(t, "x")
	id := w.review(suggested)
	form := fmt.Sprintf("comment=%d", id)
	resp, _ := w.get("POST", "/acme/demo/pull/1", form, "Origin", w.WebURL)
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/acme/demo/pull/1" {
		t.Fatal(resp.Status)
	}
	text, err := w.repo.File(w.ctx, w.pull.HeadSha(), source)
	w.must(err)
	if text != "class ATest {\n    int one;\n    int three;\n}\n" {
		t.Errorf("%q", text)
	}
	want(t, w.page(), "Apply suggestions from code review", ">outdated<")
	resp, again := w.get("POST", "/acme/demo/pull/1", form, "Origin", w.WebURL)
	if resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("again: %s", resp.Status)
	}
	want(t, again, `role="alert">The suggestion was not committed: `, "this suggestion is outdated")
}

func TestRefusals(t *testing.T) {
	w := newWorld(t, "x")
	id := w.review(suggested)
	head := w.pull.HeadSha()
	form := fmt.Sprintf("comment=%d", id)
	for name, c := range map[string]struct {
		method, path, form, key, value string
		status                         int
	}{
		"another site's form":    {"POST", "/acme/demo/pull/1", form, "Origin", "http://evil.example", http.StatusForbidden},
		"a framed site's form":   {"POST", "/acme/demo/pull/1", form, "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		"another name":           {"GET", "/acme/demo/pull/1", "", "Host", "evil.example", http.StatusMisdirectedRequest},
		"another name's form":    {"POST", "/acme/demo/pull/1", form, "Host", "evil.example:80", http.StatusMisdirectedRequest},
		"no such pull request":   {"GET", "/acme/demo/pull/2", "", "", "", http.StatusNotFound},
		"no number":              {"GET", "/acme/demo/pull/x", "", "", "", http.StatusNotFound},
		"no such repository":     {"POST", "/acme/other/pull/1", form, "", "", http.StatusNotFound},
		"no comment":             {"POST", "/acme/demo/pull/1", "comment=", "", "", http.StatusBadRequest},
		"a comment of elsewhere": {"POST", "/acme/demo/pull/1", "comment=5", "", "", http.StatusUnprocessableEntity},
		"an endless form":        {"POST", "/acme/demo/pull/1", "comment=" + strings.Repeat("1", 1<<16), "", "", http.StatusBadRequest},
		"no check":               {"GET", "/acme/demo/runs/x", "", "", "", http.StatusNotFound},
		"a check":                {"GET", "/acme/demo/runs/9", "", "", "", http.StatusSeeOther},
		"the top":                {"GET", "/", "", "", "", http.StatusSeeOther},
	} {
		if resp, text := w.get(c.method, c.path, c.form, c.key, c.value); resp.StatusCode != c.status {
			t.Errorf("%s: %s %s", name, resp.Status, text)
		}
	}
	if w.pull.HeadSha() != head {
		t.Error("something was committed")
	}
}

var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b onclick=alert(1)>b</b>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))",
	"[x](data:text/html,<script>)", "![x](http://evil.example/x.png)",
	"<details>\n<summary><script>x</script></summary>\n\n</details>\n</details>\n</article></main>",
	"<details>\n<details>\n<summary>a</summary>\n<style>*{}</style>", "```suggestion\n</code></pre><script>\n```",
	"```diff\n+</span><script>\n```", "<!-- x --><script>y</script>",
	"<!-- open", "<http://evil.example/\"onmouseover=x>", "`</code><script>`", "| a |\n|---|\n| <script> |",
	"<summary>x</summary>", "<?php x ?>", "<![CDATA[ <script> ]]>",
	"[x]: javascript:alert(1)\n\n[x]", "<a href=javascript:alert(1)>", "\x00<scr\x00ipt>", "javascript:alert(1) https://a.example/<script>",
}

// TestHostileText checks that texts of people and programs are shown and have no other effect.
func TestHostileText(t *testing.T) {
	w := newWorld(t, strings.Join(hostile, "\n\n"))
	w.review(strings.Join(hostile, "\n\n"))
	w.check(hostile[0], strings.Join(hostile, "\n\n"))
	w.pull.Comment(w.ctx, w.dev, strings.Join(hostile, "\n\n"))
	harmless(t, w.page())
}

var (
	tag     = regexp.MustCompile(`<(/?)([a-zA-Z!?][^\s>/]*)([^>]*)>`)
	allowed = regexp.MustCompile(`^(!doctype|html|head|meta|title|style|body|a|header|span|strong|main|h[1-6]|p|code|nav|ul|ol|li|section|article|time|details|summary|div|form|input|button|pre|em|del|blockquote|hr|br|table|thead|tbody|tr|th|td)$`)
	given   = regexp.MustCompile(`\s([a-zA-Z-]+)=`)
	bad     = regexp.MustCompile(`(?i)^(on.*|src|srcset|style|action|formaction|background|poster|ping)$`)
)

// harmless checks that a page has only expected tags and attributes, and that every fold is closed.
func harmless(t *testing.T, text string) {
	t.Helper()
	folds := 0
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(m[2])
		if !allowed.MatchString(name) {
			t.Errorf("the tag %s", m[0])
		}
		for _, a := range given.FindAllStringSubmatch(m[3], -1) {
			if bad.MatchString(a[1]) && m[0] != `<form method="post" action="/acme/demo/pull/1">` {
				t.Errorf("the attribute in %s", m[0])
			}
		}
		switch {
		case name == "details" && m[1] == "":
			folds++
		case name == "details":
			folds--
		}
		if folds < 0 {
			t.Error("a fold ends that never began")
		}
	}
	if folds != 0 || strings.Contains(strings.ToLower(text), `href="javascript`) || strings.Contains(text, `href="data:`) {
		t.Errorf("%d folds are open, or a link runs something:\n%s", folds, text)
	}
}
