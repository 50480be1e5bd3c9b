package ci

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// status of a test case in a report.
type status int

const (
	passed status = iota
	failed
	skipped
	flaked // failed, then passed when run again
)

// report is one TEST-*.xml: one launched class, and its tests in the order in which they ran.
type report struct {
	path    string
	class   string        // the launched class
	seconds time.Duration // duration of the class
	stamp   time.Time     // when it began, if the report has that (Surefire's never have)
	written time.Time     // the file's time: when the class ended
	run     string        // the plugin execution that wrote it, if the report names it
	cases   []testCase
	reruns  bool // failing tests were run again, out of order
	cut     bool // the file ends early
	long    int  // tests that are left out, since their names are too long
	suites  int  // <testsuite>s with tests; above 1 if another tool merged files
	jest    bool // jest-junit or another reporter of Jest wrote it
}

type testCase struct {
	id     string
	status status
}

// report reads one report file.
func (r reader) report(path string, spent *budget) (*report, error) {
	src, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	out, err := parseReport(path, src, spent)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		out.written = info.ModTime()
	}
	return out, nil
}

// parseReport reads a report. It charges the budget for what it keeps.
func parseReport(path string, src io.Reader, spent *budget) (*report, error) {
	b := reportBuilder{r: &report{path: path}, spent: spent}
	cut, err := tagsOf(src, b.tag)
	if errors.Is(err, errTooLong) {
		return nil, fmt.Errorf("%s is larger than %d GiB; delete it and run the tests again", path, spent.limits.Bytes>>30)
	}
	if errors.Is(err, ErrTooMuch) {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a test report: %w", path, err)
	}
	if !b.suite {
		return nil, fmt.Errorf("%s is not a test report: it has no <testsuite>; "+
			"give Surefire's TEST-*.xml files, or the file of jest-junit",
			path)
	}
	b.r.cut = cut
	return b.r, nil
}

// reportBuilder builds a report from tags.
type reportBuilder struct {
	r     *report
	suite bool   // a <testsuite> was seen
	class string // of the <testsuite> that began last
	fresh bool   // no test of it has been read yet
	open  bool   // inside a <testcase>
	spent *budget
}

func (b *reportBuilder) tag(t tag, _ int) error {
	if t.closing {
		b.open = b.open && t.name != "testcase"
		return nil
	}
	switch t.name {
	case "testsuites":
		b.r.jest = b.r.jest || t.attrs["name"] == "jest tests"
	case "testsuite":
		return b.begin(t)
	case "property":
		if t.attrs["name"] == "sun.java.command" {
			b.r.run = runToken(t.attrs["value"])
		}
	case "testcase":
		return b.testcase(t)
	case "failure", "error", "skipped", "flakyFailure", "flakyError", "rerunFailure", "rerunError":
		if b.open {
			b.outcome(t.name)
		}
	}
	return nil
}

func (b *reportBuilder) begin(t tag) error {
	name := atMost(t.attrs["name"], maxName)
	b.class, b.fresh = withoutSuffix(name), true
	if !b.suite {
		b.suite = true
		b.r.class = b.class
		b.r.stamp = parseStamp(t.attrs["timestamp"])
	}
	b.r.seconds += seconds(t.attrs["time"])
	if !b.spent.add(len(name)) {
		return b.spent.err()
	}
	return nil
}

// atMost is a text, or nothing if it is too long to be a name.
func atMost(s string, most int) string {
	if len(s) > most {
		return ""
	}
	return s
}

// seconds reads a number of seconds: "1,234.5" in the reports of old versions of Surefire. If it is
// no plausible time of a test class, seconds returns zero.
func seconds(text string) time.Duration {
	s, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || s >= mostTook.Seconds() {
		return 0
	}
	return plausible(time.Duration(s * float64(time.Second)))
}

// mostTook is more than any class or file of tests takes.
const mostTook = 240 * time.Hour

func plausible(took time.Duration) time.Duration {
	if took < 0 || took > mostTook {
		return 0
	}
	return took
}

func (b *reportBuilder) testcase(t tag) error {
	id, jest := b.jestCase(t)
	if !jest {
		id = b.javaCase(t)
	}
	if len(id) > maxID {
		b.r.long, id = b.r.long+1, ""
	}
	b.open = !t.empty && id != ""
	if id == "" {
		return nil
	}
	if !b.spent.spend(id) {
		return b.spent.err()
	}
	if b.fresh {
		b.r.suites, b.fresh = b.r.suites+1, false
	}
	b.r.jest = b.r.jest || jest
	b.r.cases = append(b.r.cases, testCase{id: strings.Clone(id)}) // without the attribute that it is a part of
	return nil
}

func (b *reportBuilder) javaCase(t tag) string {
	class := withoutSuffix(atMost(t.attrs["classname"], maxName))
	class = cmp.Or(class, b.class)
	id := testID(class, t.attrs["name"])
	if id == "" {
		return ""
	}
	return viaSuite(b.class, id)
}

// jestCase returns the id of a test that Jest ran. A reporter can be configured to write the file
// to any of three attributes, and the titles of describe blocks into the name or a separate
// attribute.
func (b *reportBuilder) jestCase(t tag) (id string, jest bool) {
	class, name := strings.TrimSpace(t.attrs["classname"]), strings.TrimSpace(t.attrs["name"])
	for _, file := range []string{t.attrs["file"], b.class, class} {
		if len(file) > maxName {
			continue
		}
		file = inCheckout(file)
		if !strings.Contains(file, "\n") && jestSource.MatchString(file) {
			id, jest = file+"#", true
			break
		}
	}
	if !jest && !b.r.jest || name == "" {
		return "", jest
	}
	if class != "" && !jestSource.MatchString(class) && !strings.HasPrefix(name, class) {
		between := " "
		if strings.Contains(class, jestBetween) {
			between = jestBetween
		}
		name = class + between + name
	}
	return id + name, true
}

func (b *reportBuilder) outcome(name string) {
	c := &b.r.cases[len(b.r.cases)-1]
	switch name {
	case "failure", "error":
		c.status = failed
	case "skipped":
		c.status = skipped
	case "flakyFailure", "flakyError":
		c.status = flaked
	}
	b.r.reruns = b.r.reruns || strings.HasPrefix(name, "flaky") || strings.HasPrefix(name, "rerun")
}

// viaSuite returns the id of a test that another launched class ran.
func viaSuite(launched, id string) string {
	class, _, _ := strings.Cut(id, "#")
	if launched == "" || !isClass(launched) || !strings.Contains(launched, ".") || nestedIn(class, launched) {
		return id
	}
	if outer, _, _ := strings.Cut(launched, "$"); nestedIn(class, outer) {
		return id
	}
	return launched + ">" + id
}

// withoutSuffix drops Surefire's reportNameSuffix: "com.acme.FooTest(linux)".
func withoutSuffix(class string) string {
	if i := strings.IndexByte(class, '('); i > 0 && strings.HasSuffix(class, ")") && isClass(class[:i]) {
		return class[:i]
	}
	return class
}

var runMark = regexp.MustCompile(`\b(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d_\d{3})-jvmRun\d+\b`)

// runToken returns when the plugin execution began. Surefire (since 2.20) has it in the command
// line of its test JVM. All reports of the execution have the same token.
func runToken(command string) string {
	if g := runMark.FindStringSubmatch(command); g != nil {
		return strings.Clone(g[1]) // without the command line
	}
	return ""
}

func parseStamp(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// isReportName recognises the file names of Surefire, Failsafe and Gradle.
func isReportName(name string) bool {
	name = strings.TrimSuffix(name, ".gz")
	return strings.HasPrefix(name, "TEST-") && filepath.Ext(name) == ".xml"
}
