package maven

import (
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// raised notes on the launches that the module's pom has a test plugin too old to be recorded, so that a
// later version ran.
func raised(launches []build.Launch, session *sessionRecord) {
	for i := range launches {
		l := &launches[i]
		for _, m := range session.Modules {
			for _, old := range m.Raised {
				if m.Basedir == l.Basedir && strings.HasPrefix(old, l.Plugin+" ") {
					l.Notes = append(l.Notes, "The pom has "+old+", which is too old for odfix, so odfix runs these tests as version "+l.Version+" does.")
				}
			}
		}
	}
}

// selectsMethods is the first Surefire and Failsafe whose -Dtest selects methods of several classes.
const selectsMethods = "2.19"

// selectsMethodsOfClasses reports whether -Dtest=One#a,Two#b selects methods of several classes.
func selectsMethodsOfClasses(l build.Launch) bool { return !older(l.Version, selectsMethods) }

// older compares the first two numbers of versions such as "2.9" and "3.0.0-M5". A version without
// numbers is never older.
func older(version, than string) bool {
	a, b := strings.SplitN(version, ".", 3), strings.SplitN(than, ".", 3)
	for i := range min(2, len(a), len(b)) {
		m, err := strconv.Atoi(a[i])
		n, _ := strconv.Atoi(b[i])
		if err != nil || m != n {
			return err == nil && m < n
		}
	}
	return false
}
