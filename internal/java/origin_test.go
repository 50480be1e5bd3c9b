package java

import (
	"testing"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

func TestOrigin(t *testing.T) {
	for _, c := range []struct {
		place string
		test  suite.TestID
		want  project.Origin
	}{
		{"com.acme.Settings.VALUES", "com.acme.bill.ReceiptTest#prints", project.Own},
		{"org.lib.A.cache", "com.acme.bill.ReceiptTest#prints", project.Library},
		{contextCache, "com.acme.ATest#a", project.Container},
		{"Settings.x", "ImportTest#i", project.Library}, // classes without packages show no relation
		{"java.util.Locale.defaultLocale", "com.acme.ATest#a", project.Process},
		{"system property a.b", "com.acme.ATest#a", project.Process},
		{"com.acme.ATest.shared", "com.acme.ATest#a", project.OwnGroup},
		{"com.acme.ATest.shared", "com.acme.ATest$Nested#a", project.OwnGroup},
		{"com.acme.ATest.shared", "com.acme.All>com.acme.ATest#a", project.OwnGroup},
		{"com.acme.ATest$Nested.x", "com.acme.ATest#a", project.Own},
	} {
		if got := origin(c.place, c.test); got != c.want {
			t.Errorf("%s for %s: %d, want %d", c.place, c.test, got, c.want)
		}
	}
}
