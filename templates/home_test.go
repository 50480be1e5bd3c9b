package templates

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// relative are links to other pages of the folder docs.
var relative = regexp.MustCompile(`href="([a-z-]+\.md)`)

// TestHome: the App's homepage is docs/what-is-odfix.md; go test -update renders it anew.
func TestHome(t *testing.T) {
	source, err := os.ReadFile("../docs/what-is-odfix.md")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(source, &b); err != nil {
		t.Fatal(err)
	}
	docs := strings.TrimSuffix(HelpPage, "what-is-odfix.md")
	want := relative.ReplaceAllString(b.String(), `href="`+docs+"$1")
	if *update {
		if err := os.WriteFile("home.body.html", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		homeBody = want
	}
	if d := cmp.Diff(want, homeBody); d != "" {
		t.Errorf("home.body.html is not docs/what-is-odfix.md (-want +got):\n%s", d)
	}
	page := Home()
	for _, want := range []string{"<h1>What odfix is</h1>", "prefers-color-scheme: dark", "/odfix ignore TEST"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, unwanted := range []string{"<script", "<img", "<link", "src=", "url(", "@import"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page has %q", unwanted)
		}
	}
}

// TestHomeExplainsTheWords: the page explains each command of a comment, and the words of verdicts.
func TestHomeExplainsTheWords(t *testing.T) {
	for _, word := range append(regexp.MustCompile("`/odfix [a-z]+").FindAllString(Commands(), -1),
		"polluter", "state-setter", "victim", "brittle", "cleaner", "genuine", "flaky", "proved", "enabled: false") {
		if !strings.Contains(homeBody, strings.TrimPrefix(word, "`")) {
			t.Errorf("the page does not explain %q", word)
		}
	}
}
