//go:build linux

package dispatch_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

// BenchmarkIsolation does one job on the demo by turns: as a plain process with
// an empty work folder, isolated and offline, isolated in two steps. Reported
// are the medians in seconds, and the medians of each round's ratio to the plain one.
func BenchmarkIsolation(b *testing.B) {
	runner := realRunner(b)
	dir, err := filepath.Abs("../../examples/demo")
	if err != nil {
		b.Fatal(err)
	}
	kinds := map[string]job.Job{
		"run": {Kind: job.KindRun, Orders: [][]string{{"CatalogueImportTest#readsThePriceListOfAGermanSupplier",
			"ReceiptTest#printsTheTotal"}}},
		"fix": {Kind: job.KindFix, Tests: []string{"ReceiptTest#printsTheTotal"}},
	}
	for name, j := range kinds {
		b.Run(name, func(b *testing.B) {
			isolated := &dispatch.Isolated{Sandbox: sandbox(b, runner, b.TempDir(), isolate.Limits{}),
				Runner: runner, Maven: machineMaven(b)}
			plain := &dispatch.Local{Runner: runner}
			seconds, ratios := map[string][]float64{}, map[string][]float64{}
			for b.Loop() {
				j.Dir, j.Budget, j.Offline, j.Work = dir, 5*time.Minute, true, b.TempDir()
				base := took(b, plain, j)
				seconds["plain"] = append(seconds["plain"], base)
				for way, offline := range map[string]bool{"offline": true, "online": false} {
					j.Offline = offline
					s := took(b, isolated, j)
					seconds[way], ratios[way] = append(seconds[way], s), append(ratios[way], s/base)
				}
			}
			for way, s := range seconds {
				b.ReportMetric(median(s), way+"-s")
			}
			for way, r := range ratios {
				b.ReportMetric(median(r), way+"/plain")
			}
		})
	}
}

func took(b *testing.B, d dispatch.Dispatcher, j job.Job) float64 {
	b.Helper()
	begun := time.Now()
	r, err := d.Run(b.Context(), j, nil)
	if err != nil || r.Error != nil {
		b.Fatal(err, r)
	}
	return time.Since(begun).Seconds()
}

func median(s []float64) float64 {
	s = slices.Sorted(slices.Values(s))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
