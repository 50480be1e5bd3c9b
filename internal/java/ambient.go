package java

import (
	"slices"
	"strconv"
	"strings"

	"github.com/odfix/odfix/internal/patch"
)

// saved is state of the process that has a getter and a setter.
type saved struct{ kind, name, get, set string }

// processState maps the name that an observation gives to state of the process to the getter and
// setter that restore it. A patch saves the state when JUnit creates the polluter's instance:
// before every test, but in JUnit 3 once before all tests.
var processState = map[string]saved{
	"java.util.Locale.defaultLocale": {"java.util.Locale", "savedLocale",
		"java.util.Locale.getDefault()", "java.util.Locale.setDefault"},
	"java.util.TimeZone.defaultTimeZone": {"java.util.TimeZone", "savedTimeZone",
		"java.util.TimeZone.getDefault()", "java.util.TimeZone.setDefault"},
	"java.lang.System.out": {"java.io.PrintStream", "savedOut", "System.out", "System.setOut"},
	"java.lang.System.err": {"java.io.PrintStream", "savedErr", "System.err", "System.setErr"},
	"java.lang.System.in":  {"java.io.InputStream", "savedIn", "System.in", "System.setIn"},
	"java.net.ProxySelector.theProxySelector": {"java.net.ProxySelector", "savedProxySelector",
		"java.net.ProxySelector.getDefault()", "java.net.ProxySelector.setDefault"},
	"java.lang.Thread.defaultUncaughtExceptionHandler": {set: "Thread.setDefaultUncaughtExceptionHandler(null);"},
	"java.net.Authenticator.theAuthenticator":          {set: "java.net.Authenticator.setDefault(null);"},
	"java.net.CookieHandler.cookieHandler":             {set: "java.net.CookieHandler.setDefault(null);"},
	"java.net.ResponseCache.theResponseCache":          {set: "java.net.ResponseCache.setDefault(null);"},
	"java.net.HttpURLConnection.followRedirects":       {set: "java.net.HttpURLConnection.setFollowRedirects(true);"},
	"javax.net.ssl.HttpsURLConnection.defaultSSLSocketFactory": {"javax.net.ssl.SSLSocketFactory", "savedSocketFactory",
		"javax.net.ssl.HttpsURLConnection.getDefaultSSLSocketFactory()", "javax.net.ssl.HttpsURLConnection.setDefaultSSLSocketFactory"},
	"javax.net.ssl.HttpsURLConnection.defaultHostnameVerifier": {"javax.net.ssl.HostnameVerifier", "savedHostnameVerifier",
		"javax.net.ssl.HttpsURLConnection.getDefaultHostnameVerifier()", "javax.net.ssl.HttpsURLConnection.setDefaultHostnameVerifier"},
}

// propertyPlace is the prefix of the name of a system property.
const propertyPlace = "system property "

// restoring returns the statement that restores state of the process, as a person would write it.
// It returns nil if place names no such state. set reports whether a system property is set before
// the first test.
func restoring(place string, set func(key string) bool) *patch.Made {
	if key, ok := strings.CutPrefix(place, propertyPlace); ok {
		return ofProperty(place, key, set(key))
	}
	s, ok := processState[place]
	if !ok {
		return nil
	}
	if s.get == "" {
		return &patch.Made{Statements: []string{s.set}, Resets: place}
	}
	return &patch.Made{
		Fields:     []string{s.kind + " " + s.name + " = " + s.get},
		Statements: []string{s.set + "(" + s.name + ");"}, Resets: place,
	}
}

func ofProperty(place, key string, set bool) *patch.Made {
	quoted := javaString(key)
	if !set {
		return &patch.Made{Statements: []string{"System.clearProperty(" + quoted + ");"}, Resets: place}
	}
	name := "saved" + camel(key)
	return &patch.Made{
		Fields:     []string{"String " + name + " = System.getProperty(" + quoted + ")"},
		Statements: []string{"System.setProperty(" + quoted + ", " + name + ");"}, Resets: place,
	}
}

// camel joins the last two parts of a property's name to a part of an identifier.
func camel(key string) string {
	parts := strings.FieldsFunc(key, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
	var b strings.Builder
	for _, p := range parts[max(0, len(parts)-2):] {
		b.WriteString(strings.ToUpper(p[:1]) + p[1:])
	}
	if b.Len() == 0 {
		return "Property"
	}
	return b.String()
}

// jvmProperties are the prefixes of properties that every JVM sets by itself.
var jvmProperties = []string{"java.", "user.", "os.", "file.", "line.", "path.", "sun.", "jdk.", "awt.", "native.", "stdout.", "stderr."}

// preset reports whether a system property is set before the first test runs.
func (p *Project) preset(key string) bool {
	if _, ok := p.launch.Properties[key]; ok {
		return true
	}
	return slices.ContainsFunc(p.launch.JVMArgs, func(a string) bool {
		return strings.HasPrefix(a, "-D"+key+"=") || a == "-D"+key || strings.HasPrefix(a, strconv.Quote("-D"+key))
	}) || slices.ContainsFunc(jvmProperties, func(s string) bool { return strings.HasPrefix(key, s) })
}
