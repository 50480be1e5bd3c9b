package page_test

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser is a headless Chromium with an empty profile.
func browser(t *testing.T, w *world) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewExecAllocator(w.ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)),
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1000, 1400), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true))...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(ctx)
	t.Cleanup(stop)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // before its folder is removed
	return ctx
}

// chromium returns the browser's program. `.ci/chromium` installs one if it is missing.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium: .ci/chromium installs one")
	return ""
}

// TestInBrowser reaches the button with the keyboard alone, and commits the suggestion with it. A
// screenshot before it shows the colours of a change.
func TestInBrowser(t *testing.T) {
	w := newWorld(t, strings.Join(hostile, "\n\n"))
	w.review(suggested)
	w.check("One thing", "Said.")
	ctx := browser(t, w)
	w.must(chromedp.Do(ctx, chromedp.Navigate(w.pull.URL()), chromedp.WaitVisible("#conversation")))
	title := ask(w, ctx, chromedp.Title())
	wide := ask(w, ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > document.documentElement.clientWidth`))
	shot := ask(w, ctx, chromedp.FullScreenshot(100))
	focused := tabTo(w, ctx, "Commit suggestion")
	if title != "A <b>bold</b> title · #1 · acme/demo" || focused != "Commit suggestion" || wide {
		t.Fatalf("title %q, focus on %q, wider than the window: %v", title, focused, wide)
	}
	seen(t, shot)
	loaded := func(page.EventLoadEventFired) bool { return true }
	ask(w, ctx, chromedp.WaitEvent(page.LoadEventFired, loaded, chromedp.KeyEvent(kb.Enter)))
	want(t, ask(w, ctx, chromedp.Text("#conversation")), "Apply suggestions from code review", "outdated")
}

func ask[T any](w *world, ctx context.Context, a chromedp.Action[T]) T {
	w.t.Helper()
	v, err := chromedp.Run(ctx, a)
	w.must(err)
	return v
}

// tabTo presses Tab until an element with this text has the focus.
func tabTo(w *world, ctx context.Context, text string) (focused string) {
	for n := 0; n < 60 && focused != text; n++ {
		w.must(chromedp.Do(ctx, chromedp.KeyEvent(kb.Tab)))
		focused = ask(w, ctx, chromedp.Evaluate[string](`document.activeElement.textContent`))
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
