package maven

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/harness"
	"github.com/odfix/odfix/internal/java/build"
)

func TestAttachListenerStartsWithTheJVM(t *testing.T) {
	const flag = "-XX:+StartAttachListener"
	for _, test := range []struct {
		launch build.Launch
		want   bool
	}{
		{build.Launch{ClassPath: []string{"/p/classes", "/m2/byte-buddy-agent-1.14.9.jar"}}, true},
		{build.Launch{Modules: harness.Modules{Path: []string{"/m2/byte-buddy-agent-1.9.10.jar"}}}, true},
		{build.Launch{ClassPath: []string{"/m2/jmockit-1.19.jar"}}, true},
		{build.Launch{ClassPath: []string{"/m2/byte-buddy-1.14.9.jar", "/byte-buddy-agent-x/classes"}}, false},
		{build.Launch{}, false},
	} {
		l := test.launch
		setArgs(&l, &fork{args: []string{"-XX:-StartAttachListener", "-jar", "surefirebooter.jar"}})
		if got := slices.Contains(l.JVMArgs, flag); got != test.want {
			t.Errorf("%v: %q", test.launch, l.JVMArgs)
		}
		if last := l.JVMArgs[len(l.JVMArgs)-1]; last != "-XX:-StartAttachListener" {
			t.Errorf("odfix's option comes after the build's: %q", l.JVMArgs)
		}
	}
}
