//go:build sandbox

package main

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/odfix/odfix/internal/browsertest"
)

var picture = flag.String("picture", "", "write the README's picture of a comment into this file")

// maxPicture is the largest size of the README's picture.
const maxPicture = 150 << 10

// TestPicture takes the README's picture: odfix's comment on the sandbox's page of a recorded run.
// docs/picture.sh calls it.
func TestPicture(t *testing.T) {
	if testing.Short() && *picture == "" {
		t.Skip("it needs a browser, and TestRecordedSandbox checks the text of the comment")
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if code, _ := playSandbox(t, replayed(t, recordingOf("victim")), "--scenario", "victim", "--page", page); code != exitOK {
		t.Fatalf("status %d", code)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, page) }))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	b := browsertest.New(ctx, t)
	browsertest.Show(b, t, server.URL, 900, "light")
	const clean = `document.querySelectorAll("article time").forEach(e => e.remove()); document.querySelectorAll("article.inline").length`
	if n := browsertest.Eval[int](b, t, clean); n != 1 {
		t.Fatalf("%d comments on lines", n)
	}
	shot := smaller(t, browsertest.Ask(b, t, chromedp.ScreenshotScale("//article[@class='inline']", 1.5)))
	if len(shot) > maxPicture || len(shot) < 10<<10 {
		t.Errorf("%d bytes", len(shot))
	}
	if *picture != "" {
		if err := os.WriteFile(*picture, shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// smaller encodes a screenshot again, with the 256 colours that it has most.
func smaller(t *testing.T, shot []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	at := img.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			count[img.At(x, y)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	out := image.NewPaletted(at, most[:min(256, len(most))])
	draw.Draw(out, at, img, at.Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
