package ci

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// maxJSON bounds the JSON that is read from one source, and foreignJSON that of strangers. A value is
// in memory as a whole, which takes four times its length.
const (
	maxJSON     = 24 << 20
	foreignJSON = 8 << 20
)

// jestJSON matches the beginning of what `jest --json` writes.
var jestJSON = regexp.MustCompile(`"(?:numFailedTests|numTotalTests|numFailedTestSuites|testResults)"\s*:`)

// jestResults is a test file in the output of `jest --json`.
type jestResults struct {
	name       string
	status     string
	start, end int64 // milliseconds
	tests      []jestResult
}

// jestResult is a test in a test file.
type jestResult struct {
	titles         string // those of describe blocks and its own
	failed, flaked bool
}

// parseJestJSON reads the output of `jest --json`. It has each file's tests in the order in which
// they ran, and the times at which files began and ended.
func parseJestJSON(path string, src io.Reader, spent *budget) (Evidence, error) {
	most := int64(foreignJSON)
	if spent.limits.Own {
		most = maxJSON
	}
	limited := &io.LimitedReader{R: src, N: most}
	r := &jestReader{d: json.NewDecoder(limited), spent: spent}
	err := r.read()
	switch {
	case limited.N <= 0:
		return Evidence{}, fmt.Errorf("%s is larger than %d MiB; write the results without coverage", path, most>>20)
	case errors.Is(err, ErrTooMuch):
		return Evidence{}, fmt.Errorf("%s %w; keep only the results of one package", path, err)
	case err != nil:
		return Evidence{}, fmt.Errorf("%s is not what jest --json writes: %w", path, err)
	case len(r.files) == 0:
		return Evidence{}, fmt.Errorf("%s holds no test; give what jest --json --outputFile=FILE writes", path)
	}
	ev := jestEvidence(r.files, "results of Jest in "+path)
	if r.long > 0 {
		ev.note("%s has %d tests with names of more than %d bytes; they are left out", path, r.long, maxID-maxName)
		ev.Provenance = ev.Provenance.AtBest(suite.Partial)
	}
	return ev, nil
}

// jestReader reads the output of `jest --json` value by value. It charges the budget before it
// reads each element of an array, because the element can take much more memory than its text.
type jestReader struct {
	d     *json.Decoder
	spent *budget
	files []jestResults
	long  int // tests that are left out, since their names are too long
}

// read reads the elements of testResults, and skips everything else.
func (r *jestReader) read() error {
	return r.object(func(key string) error {
		if key != "testResults" {
			return r.value(key, &unread{})
		}
		return r.array(func() error {
			if !r.spent.spend("") {
				return r.spent.err()
			}
			f, err := r.file()
			if err != nil {
				return err
			}
			if f.name == "" || len(f.name) > maxName {
				return fmt.Errorf("a test file has no name, or one of more than %d bytes", maxName)
			}
			f.name = inCheckout(f.name)
			if !r.spent.add(len(f.name) * (1 + len(f.tests))) { // the id of each test begins with it
				return r.spent.err()
			}
			r.files = append(r.files, f)
			return nil
		})
	})
}

func (r *jestReader) file() (f jestResults, err error) {
	err = r.object(func(key string) error {
		switch key {
		case "name": // absolute
			return r.value(key, &f.name)
		case "status":
			return r.value(key, &f.status)
		case "startTime":
			return r.value(key, &f.start)
		case "endTime":
			return r.value(key, &f.end)
		case "assertionResults":
			return r.array(func() error {
				if !r.spent.spend("") {
					return r.spent.err()
				}
				t, err := r.test()
				if len(t.titles) <= maxID-maxName {
					f.tests = append(f.tests, t)
				} else {
					r.long++
				}
				return err
			})
		}
		return r.value(key, &unread{})
	})
	return f, err
}

func (r *jestReader) test() (jestResult, error) {
	var ancestors strings.Builder
	var title, status string
	var invocations int // above 1: jest.retryTimes() ran it again
	err := r.object(func(key string) error {
		switch key {
		case "ancestorTitles":
			return r.array(func() error {
				var s string
				if err := r.value(key, &s); err != nil {
					return err
				}
				if !r.spent.add(len(s) + len(jestBetween)) {
					return r.spent.err()
				}
				ancestors.WriteString(s + jestBetween)
				return nil
			})
		case "title":
			return r.value(key, &title)
		case "status":
			return r.value(key, &status)
		case "invocations":
			return r.value(key, &invocations)
		}
		return r.value(key, &unread{})
	})
	if err == nil && !r.spent.add(len(title)) {
		err = r.spent.err()
	}
	if err != nil {
		return jestResult{}, err
	}
	return jestResult{titles: ancestors.String() + title,
		failed: status == "failed", flaked: status == "passed" && invocations > 1}, nil
}

// object calls a function for each key of an object. The function reads the key's value.
func (r *jestReader) object(read func(key string) error) error {
	return r.each('{', func() error {
		key, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		return read(name)
	})
}

// array calls a function for each element of an array. The function reads the element, which takes
// memory besides its text.
func (r *jestReader) array(read func() error) error {
	const each = 32
	return r.each('[', func() error {
		if !r.spent.add(each) {
			return r.spent.err()
		}
		return read()
	})
}

// each calls a function for each element of an array or each key of an object. It accepts null as
// an empty array.
func (r *jestReader) each(begin json.Delim, read func() error) error {
	t, err := r.d.Token()
	switch {
	case err != nil:
		return err
	case t == nil && begin == '[':
		return nil
	case t != begin:
		return fmt.Errorf("a value does not begin with %s", begin)
	}
	for r.d.More() {
		if err := read(); err != nil {
			return err
		}
	}
	_, err = r.d.Token()
	return err
}

// value reads the value of a key. Its error does not repeat the value, which may be long.
func (r *jestReader) value(key string, into any) error {
	err := r.d.Decode(into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("a value of %s is no %s", key, wrong.Type)
	}
	return err
}

// unread accepts any value and keeps nothing. The decoder bounds how deep values are nested.
type unread struct{}

func (*unread) UnmarshalJSON([]byte) error { return nil }

func jestEvidence(files []jestResults, source string) Evidence {
	ev := Evidence{Source: source, Provenance: suite.Exact, Tool: Jest}
	slices.SortStableFunc(files, func(a, b jestResults) int { return cmp.Compare(a.start, b.start) })
	part := Part{Execution: "jest"}
	var failures, flakes set
	side := false
	for i, f := range files {
		side = side || i > 0 && f.start < files[i-1].end
		if f.status == "failed" && len(f.tests) == 0 {
			failures.add(f.name) // the whole file failed, for example because of a missing import
			part.Tests = append(part.Tests, f.name)
		}
		part.Took += plausible(time.Duration(f.end-f.start) * time.Millisecond)
		for _, t := range f.tests {
			id := f.name + "#" + t.titles
			part.Tests = append(part.Tests, id)
			switch {
			case t.failed:
				failures.add(id)
			case t.flaked:
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

// inCheckout makes an absolute path of a CI machine relative to the checkout, if the checkout is
// known. GitHub Actions names the checkout's folder and its parent after the repository.
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
