package java

import (
	"regexp"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/patch"
)

// restores reports whether the statements of a patch without a helper have forms that odfix writes: each is
// one statement without blocks. Only a close of what may be null is in an if. A report of somebody
// else may hold others, such as a block with one statement that restores state and others that do not.
func restores(made *patch.Made) bool {
	if made == nil {
		return true
	}
	for _, s := range made.Statements {
		if !oneStatement(s) {
			return false
		}
	}
	for _, f := range made.Fields { // each keeps a value that a statement puts back
		m := keeps.FindStringSubmatch(f)
		used := m != nil && slices.ContainsFunc(made.Statements, func(s string) bool {
			return regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(literals.ReplaceAllString(s, `""`))
		})
		if !used || !oneStatement(f+";") {
			return false
		}
	}
	return true
}

var (
	literals  = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'`)
	escapes   = regexp.MustCompile(`\\u+00(0[aAdD]|22|27|5[cC])`) // of a quotation mark, a backslash, or a line end
	arrays    = regexp.MustCompile(`new [\w.]+(\[\])+ ?\{[^{};]*\}`)
	closes    = regexp.MustCompile(`^if \(([\w.]+) != null\) \{ ([\w.]+)\.\w+\([^{};]*\); \}$`)
	keeps     = regexp.MustCompile(`^(?:final )?[\w.<>\[\], ?]+ (\w+) = .+$`)
	label     = regexp.MustCompile(`^\w+\s*:`)
	several   = regexp.MustCompile(`^[\w.<>\[\]]+ \w+ = [^()]*(\([^()]*(\([^()]*\)[^()]*)*\)[^()]*)*, *\w+ =`) // int a = f(), b = g()
	others    = regexp.MustCompile(`[{}\\]|//|/\*|->`)                                                         // blocks, escapes, comments and lambdas
	compounds = regexp.MustCompile(`^(if|for|while|do|try|switch|synchronized|throw|return|assert|break|continue|yield|class|interface|enum)\b`)
)

// oneStatement reports whether a text is one statement without a block.
func oneStatement(s string) bool {
	if escapes.MatchString(s) || strings.Contains(s, `"""`) {
		return false
	}
	plain := strings.TrimSpace(arrays.ReplaceAllString(literals.ReplaceAllString(s, `""`), "x"))
	if m := closes.FindStringSubmatch(plain); m != nil {
		return m[1] == m[2]
	}
	if compounds.MatchString(plain) || label.MatchString(plain) || several.MatchString(plain) || others.MatchString(plain) {
		return false
	}
	return strings.Count(plain, ";") == 1 && strings.HasSuffix(plain, ";")
}
