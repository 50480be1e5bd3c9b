package java

import (
	"fmt"
	"regexp"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// release matches failures of code that was written for another release of Java: reflection on the
// JDK's own classes, which is refused since 16; class files of a newer release; methods that are
// gone.
var release = regexp.MustCompile(`java\.lang\.reflect\.InaccessibleObjectException|java\.lang\.UnsupportedClassVersionError|` +
	`[Uu]nsupported class file (major )?version|The Security Manager is deprecated|java\.lang\.NoSuchMethodError: .*\b(sun|java)[./]`)

var _ project.FailureExplainer = (*Project)(nil)

// ExplainFailure implements project.FailureExplainer.
func (p *Project) ExplainFailure(f *suite.Failure) string {
	if f == nil || !release.MatchString(f.Type+"\n"+f.Message+"\n"+f.Stack) {
		return ""
	}
	return fmt.Sprintf("The failure comes from the release of Java that runs the tests, which is %s here. Where CI uses another one, name it "+
		"with --java-home (in .odfix.yml: jdk).", p.info.Java)
}
