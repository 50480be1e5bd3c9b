package ci

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// maxJSON bounds the JSON that is read of one source. One file of tests is in memory at a time.
const maxJSON = 256 << 20

// jestJSON matches the beginning of what `jest --json` writes.
var jestJSON = regexp.MustCompile(`"(?:numFailedTests|numTotalTests|numFailedTestSuites|testResults)"\s*:`)

// jestResults is a test file in the output of `jest --json`.
type jestResults struct {
	Name       string `json:"name"` // the file, absolute
	Status     string `json:"status"`
	Start      int64  `json:"startTime"` // milliseconds
	End        int64  `json:"endTime"`
	Assertions []struct {
		Ancestors   []string `json:"ancestorTitles"`
		Title       string   `json:"title"`
		Status      string   `json:"status"`
		Invocations int      `json:"invocations"` // above 1: jest.retryTimes() ran it again
	} `json:"assertionResults"`
}

// parseJestJSON reads what `jest --json` writes. It holds each file's tests in the order in which
// they ran, and the times at which files began and ended.
func parseJestJSON(path string, src io.Reader) (Evidence, error) {
	limited := &io.LimitedReader{R: src, N: maxJSON}
	var files []jestResults
	var spent budget
	err := eachJestFile(json.NewDecoder(limited), func(f jestResults) error {
		if f.Name = inCheckout(f.Name); f.Name == "" {
			return errors.New("a test file has no name")
		}
		for _, a := range f.Assertions {
			if !spent.spend(f.Name + a.Title + strings.Join(a.Ancestors, "")) {
				return fmt.Errorf("%s %s; keep only the results of one package", path, tooMuch)
			}
		}
		files = append(files, f)
		return nil
	})
	switch {
	case limited.N <= 0:
		return Evidence{}, fmt.Errorf("%s is larger than %d MiB; write the results without coverage", path, maxJSON>>20)
	case errors.Is(err, errTooLong):
		return Evidence{}, fmt.Errorf("%s is too large", path)
	case err != nil:
		return Evidence{}, fmt.Errorf("%s is not what jest --json writes: %w", path, err)
	case len(files) == 0:
		return Evidence{}, fmt.Errorf("%s holds no test; give what jest --json --outputFile=FILE writes", path)
	}
	return jestEvidence(files, "results of Jest in "+path), nil
}

// eachJestFile reads the elements of testResults, and skips everything else.
func eachJestFile(d *json.Decoder, each func(jestResults) error) error {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("it is no JSON object"), err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		value, err := d.Token()
		if err != nil {
			return err
		}
		if key == "testResults" && value == json.Delim('[') {
			for d.More() {
				var f jestResults
				if err := d.Decode(&f); err != nil {
					return err
				}
				if err := each(f); err != nil {
					return err
				}
			}
			if _, err := d.Token(); err != nil {
				return err
			}
		} else if err := skipRest(d, value); err != nil {
			return err
		}
	}
	return nil
}

// skipRest skips the value that begins with the token.
func skipRest(d *json.Decoder, begin json.Token) error {
	depth := 0
	for t := begin; ; {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if t, err = d.Token(); err != nil {
			return err
		}
	}
}

func jestEvidence(files []jestResults, source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Exact, Tool: Jest}
	slices.SortStableFunc(files, func(a, b jestResults) int { return int(min(max(a.Start-b.Start, -1), 1)) })
	part := Part{Execution: "jest"}
	var failures, flakes set
	side := false
	for i, f := range files {
		side = side || i > 0 && f.Start < files[i-1].End
		if f.Status == "failed" && len(f.Assertions) == 0 {
			failures.add(f.Name) // the file as a whole failed, such as by a missing import
			part.Tests = append(part.Tests, f.Name)
		}
		for _, a := range f.Assertions {
			id := f.Name + "#" + strings.Join(append(slices.Clone(a.Ancestors), a.Title), jestBetween)
			part.Tests = append(part.Tests, id)
			switch {
			case a.Status == "failed":
				failures.add(id)
			case a.Status == "passed" && a.Invocations > 1:
				flakes.add(id)
			}
		}
	}
	if side {
		ev.Provenance = suite.Inferred
		ev.note("%s", jestSideBySide)
	}
	part.Failed = failures.list
	ev.Parts, ev.Flaked = []Part{part}, flakes.list
	ev.join()
	return ev
}

// inCheckout is an absolute path on the machine of CI, relative to the checkout if that is
// known: GitHub Actions names the folder of the checkout and the folder around it after the
// repository.
func inCheckout(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	parts := strings.Split(path, "/")
	if len(parts) < 2 || parts[0] != "" && !strings.HasSuffix(parts[0], ":") {
		return path // it is relative
	}
	for i := 2; i < len(parts)-1; i++ {
		if parts[i] == parts[i-1] {
			return strings.Join(parts[i+1:], "/")
		}
	}
	return path
}
