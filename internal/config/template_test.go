package config

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestTemplate checks that the new file is valid as it is, and with each comment as a setting.
func TestTemplate(t *testing.T) {
	text := Template()
	if _, problems := Decode("new", []byte(text)); len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
	_, settings, _ := strings.Cut(text, "version: 1\n")
	used := "version: 1\n" + regexp.MustCompile(`(?m)^# ?`).ReplaceAllString(settings, "")
	got, problems := Decode("new", []byte(used))
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, used)
	}
	want := Defaults()
	for _, c := range []*Config{&got, &want} { // a list without items is empty in one, and missing in the other
		c.CI, c.Tests, c.Environment, c.Ignore, c.NeverPatch, c.Comments.AlsoOn = CI{}, Tests{}, nil, nil, nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for line := range strings.Lines(text) {
		if len(line) > templateWidth+1 && !strings.Contains(line, "$schema") {
			t.Errorf("a long line: %s", line)
		}
	}
}
