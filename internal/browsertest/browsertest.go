// Package browsertest opens pages in a headless Chromium, for tests, and checks what people need of
// every page: it fits the window, asks no other host, can be used with the keyboard alone, and has
// no fault that axe-core finds.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// New is a headless Chromium with an empty profile. It ends with the test.
func New(ctx context.Context, t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)),
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

// Do runs actions.
func Do(ctx context.Context, t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// Ask runs an action and returns its value.
func Ask[T any](ctx context.Context, t *testing.T, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Eval evaluates an expression of JavaScript in the page.
func Eval[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	return Ask(ctx, t, chromedp.Evaluate[T](expression))
}

// Keep stores a screenshot of the whole page where ODFIX_SCREENSHOTS names a folder.
func Keep(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	if dir := os.Getenv("ODFIX_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), Ask(ctx, t, chromedp.FullScreenshot(100)), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// Look opens a page in a narrow and in a wide window, light and dark, and checks it.
func Look(ctx context.Context, t *testing.T, name, url string) {
	t.Helper()
	for _, width := range []int64{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			Show(ctx, t, url, width, scheme)
			where := fmt.Sprintf("%s-%d-%s", name, width, scheme)
			if got := Eval[int64](ctx, t, "document.documentElement.scrollWidth"); got > width {
				t.Errorf("%s is %d pixels wide", where, got)
			}
			if got := Eval[[]string](ctx, t, "performance.getEntriesByType('resource').map(e => e.name)"); len(got) > 0 {
				t.Errorf("%s asks for %q", where, got)
			}
			checkAxe(ctx, t, where)
			Keep(ctx, t, where)
		}
	}
	checkKeyboard(ctx, t, name)
}

// Show opens a page in a window of a width, in the light or the dark scheme.
func Show(ctx context.Context, t *testing.T, url string, width int64, scheme string) {
	t.Helper()
	Do(ctx, t, chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}), chromedp.Navigate(url))
}

// axe returns axe-core's program.
func axe(t *testing.T) string {
	t.Helper()
	for dir, _ := os.Getwd(); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			if dir == filepath.Dir(dir) {
				t.Fatal("the test runs outside the repository")
			}
			continue
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, ".ci", "axe"))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal("axe-core is missing: ", err)
		}
		text, err := os.ReadFile(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// checkAxe runs axe-core in the page: contrast, labels, roles, order of headings.
func checkAxe(ctx context.Context, t *testing.T, where string) {
	t.Helper()
	if !Eval[bool](ctx, t, "!!window.axe") {
		Do(ctx, t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := chromedp.Evaluate[bool](axe(t)+";true")(ctx, target)
			return err
		}))
	}
	const run = `axe.run(document, {resultTypes: ["violations"], preload: false}).then(r =>
		r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + (n.any[0] || {}).message).join("\n")))`
	for _, fault := range Ask(ctx, t, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise)) {
		t.Errorf("%s: %s", where, fault)
	}
}

// checkKeyboard presses Tab until the focus returns. It must have been on every control.
func checkKeyboard(ctx context.Context, t *testing.T, where string) {
	t.Helper()
	const list = `window.controls = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
		.filter(e => e.checkVisibility()); document.activeElement.blur(); window.controls.length`
	n := Eval[int](ctx, t, list)
	var reached []int
	for range n + 5 {
		Do(ctx, t, chromedp.KeyEvent(kb.Tab))
		if at := Eval[int](ctx, t, "window.controls.indexOf(document.activeElement)"); at >= 0 && !slices.Contains(reached, at) {
			reached = append(reached, at)
		}
	}
	if len(reached) != n {
		t.Errorf("%s: the Tab key reaches %d of %d controls", where, len(reached), n)
	}
	if !slices.IsSorted(reached) {
		t.Errorf("%s: the Tab key does not follow the page", where)
	}
}
