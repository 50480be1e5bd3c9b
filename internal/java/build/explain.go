package build

import (
	"regexp"
	"strings"
)

// Symptom maps lines of a failed build to advice.
type Symptom struct {
	Code    string
	Pattern *regexp.Regexp
	Message string // $1 … are the pattern's groups
	Hint    string
}

// On returns a symptom. The pattern is a regular expression for one line.
func On(code, pattern, message, hint string) Symptom {
	return Symptom{Code: code, Pattern: regexp.MustCompile(pattern), Message: message, Hint: hint}
}

// FullDisk matches what programs print when the disk is full.
var FullDisk = Symptom{Code: CodeDisk, Pattern: fullDisk, Message: "the disk is full", Hint: diskHint}

var fullDisk = regexp.MustCompile(`(?i)no space left on device|not enough space on the disk|disk quota exceeded`)

// Messages is how a build tool says what went wrong.
type Messages struct {
	// ErrorLine reports whether a line is an error, and returns it without its mark.
	ErrorLine func(line string) (string, bool)
	Symptoms  []Symptom        // in the order of the search: causes before their consequences
	Failed    []*regexp.Regexp // find the part of the build that failed, in the first group
	Noise     *regexp.Regexp   // error lines that help nobody
	Tail      *regexp.Regexp   // the ends of error lines that help nobody; may be nil
}

// Bounds of the search for symptoms: lines from each end, bytes of a line.
const (
	maxLooked  = 300
	maxSymptom = 2 << 10
)

// explain turns the output of a failed build into an error for people.
func (m *Messages) explain(o *output, log string) *Error {
	errs := o.Errors()
	lines := append(append([]string(nil), errs[:min(len(errs), maxLooked)]...), strings.Split(o.Tail(maxLooked), "\n")...)
	for _, s := range m.Symptoms {
		for _, line := range lines {
			line = line[:min(len(line), maxSymptom)]
			if at := s.Pattern.FindStringSubmatchIndex(line); at != nil {
				expand := func(t string) string { return string(s.Pattern.ExpandString(nil, t, line, at)) }
				return &Error{Code: s.Code, Message: expand(s.Message), Hint: expand(s.Hint), Detail: m.detail(errs, o)}
			}
		}
	}
	e := &Error{Code: CodeBroken, Message: "the project's build fails", Detail: m.detail(errs, o),
		Hint: "Fix the build first; all it printed is in " + log}
	for _, failed := range m.Failed {
		if found := failed.FindStringSubmatch(strings.Join(errs, "\n")); found != nil {
			e.Part = found[1]
			e.Message = "the project's build fails in " + e.Part
			break
		}
	}
	return e
}

// Explain explains the output of a failed build, which is in the log.
func (m *Messages) Explain(text, log string) *Error {
	o := &output{isError: m.ErrorLine}
	_, _ = o.Write([]byte(text))
	return m.explain(o, log)
}

// maxDetail bounds the lines shown to people.
const maxDetail = 40

// detail returns each error line once, without noise. Without error lines, it returns the end of
// the output.
func (m *Messages) detail(errs []string, o *output) string {
	var out []string
	seen := map[string]bool{}
	for _, e := range errs {
		if m.Tail != nil {
			e = m.Tail.ReplaceAllString(e, "")
		}
		if seen[e] || m.Noise.MatchString(e) {
			continue
		}
		seen[e] = true
		if len(out) == maxDetail {
			out = append(out, "…")
			break
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return o.Tail(maxDetail)
	}
	return strings.Join(out, "\n")
}
