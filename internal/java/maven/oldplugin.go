package maven

import (
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/java/build"
)

// oldestPlugin is the first Surefire and Failsafe whose test JVM can be recorded.
const oldestPlugin = "2.12"

// tooOldPlugin names the first test plugin older than oldestPlugin, or returns "".
func tooOldPlugin(records []*mojoRecord) string {
	for _, r := range records {
		if older(r.Version, oldestPlugin) {
			return r.Plugin + " " + r.Version
		}
	}
	return ""
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
