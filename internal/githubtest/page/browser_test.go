package page_test

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/odfix/odfix/internal/browsertest"
)

// TestInBrowser reaches the button with the keyboard alone, and commits the suggestion with it. A
// screenshot before it shows the colours of a change.
func TestInBrowser(t *testing.T) {
	w := newWorld(t, strings.Join(hostile, "\n\n"))
	w.review(suggested)
	w.check("One thing", "Said.")
	ctx := browsertest.New(w.ctx, t)
	browsertest.Do(ctx, t, chromedp.Navigate(w.pull.URL()), chromedp.WaitVisible("#conversation"))
	title := browsertest.Ask(ctx, t, chromedp.Title())
	wide := browsertest.Ask(ctx, t, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > document.documentElement.clientWidth`))
	shot := browsertest.Ask(ctx, t, chromedp.FullScreenshot(100))
	focused := tabTo(ctx, t, "Commit suggestion")
	if title != "A <b>bold</b> title · #1 · acme/demo" || focused != "Commit suggestion" || wide {
		t.Fatalf("title %q, focus on %q, wider than the window: %v", title, focused, wide)
	}
	seen(t, shot)
	loaded := func(page.EventLoadEventFired) bool { return true }
	browsertest.Ask(ctx, t, chromedp.WaitEvent(page.LoadEventFired, loaded, chromedp.KeyEvent(kb.Enter)))
	want(t, browsertest.Ask(ctx, t, chromedp.Text("#conversation")), "Apply suggestions from code review", "outdated")
}

// tabTo presses Tab until an element with this text has the focus.
func tabTo(ctx context.Context, t *testing.T, text string) (focused string) {
	for n := 0; n < 60 && focused != text; n++ {
		browsertest.Do(ctx, t, chromedp.KeyEvent(kb.Tab))
		focused = browsertest.Ask(ctx, t, chromedp.Evaluate[string](`document.activeElement.textContent`))
	}
	return focused
}

// seen checks that the screenshot shows added and removed lines, and the button. If
// ODFIX_SCREENSHOTS names a folder, the screenshot is kept there for people.
func seen(t *testing.T, shot []byte) {
	t.Helper()
	if dir := os.Getenv("ODFIX_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "pull-request.png"), shot, 0o644); err != nil {
			t.Error(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	type rgb struct{ r, g, b uint8 }
	count := map[rgb]int{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			count[rgb{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
		}
	}
	for name, c := range map[string]rgb{"added lines": {0xda, 0xfb, 0xe1}, "removed lines": {0xff, 0xeb, 0xe9},
		"the button": {0x1f, 0x88, 0x3d}} {
		if count[c] < 1000 {
			t.Errorf("%s: %d pixels in a picture of %v", name, count[c], img.Bounds())
		}
	}
}
