package build

import (
	"slices"
	"testing"
)

func TestCoverageIsNotWritten(t *testing.T) {
	for arg, want := range map[string]string{
		"-javaagent:/m2/org.jacoco.agent-0.8.3-runtime.jar=destfile=/p/target/jacoco.exec":                          "-javaagent:/m2/org.jacoco.agent-0.8.3-runtime.jar=output=none",
		"-javaagent:/m2/org.jacoco.agent-0.8.12-runtime.jar=destfile=/p/jacoco.exec,append=true,excludes=a.*:b.*":   "-javaagent:/m2/org.jacoco.agent-0.8.12-runtime.jar=excludes=a.*:b.*,output=none",
		"-javaagent:/m2/org.jacoco.agent-0.8.3-runtime.jar=output=tcpserver,address=*,port=6300,includes=com.acme*": "-javaagent:/m2/org.jacoco.agent-0.8.3-runtime.jar=includes=com.acme*,output=none",
		"-javaagent:/m2/org.jacoco.agent-0.8.8-runtime.jar=destfile=/p/jacoco.exec,classdumpdir=/p/target/dumped":   "-javaagent:/m2/org.jacoco.agent-0.8.8-runtime.jar=output=none",
		"-javaagent:/m2/org.jacoco.agent-0.7.0.201403182114-runtime.jar":                                            "-javaagent:/m2/org.jacoco.agent-0.7.0.201403182114-runtime.jar=output=none",
		"-javaagent:/m2/org.jacoco.agent-0.6.2.201302030002-runtime.jar=destfile=/p/jacoco.exec":                    "-javaagent:/m2/org.jacoco.agent-0.6.2.201302030002-runtime.jar=output=none",
		"-javaagent:/m2/org.jacoco.agent-0.6.1.201212231917-runtime.jar=destfile=/p/jacoco.exec":                    "",
		"-javaagent:/m2/mockito-core-5.14.2.jar":                                                                    "",
		"-javaagent:/m2/jmockit-1.49.jar=destfile=/p/other":                                                         "",
		"-Dargs=-javaagent:org.jacoco.agent-0.8.3-runtime.jar=":                                                     "",
		"-Xmx1g": "",
	} {
		if want == "" {
			want = arg
		}
		if got := WithoutCoverageFile(arg); got != want {
			t.Errorf("%s became %s, want %s", arg, got, want)
		}
	}
}

func TestQuickArgsMeasureNoCoverage(t *testing.T) {
	l := Launch{JVMArgs: []string{"-ea", "-javaagent:/m2/org.jacoco.agent-0.8.3-runtime.jar=output=none",
		"-Xmx1g", "-javaagent:/m2/mockito-core-5.14.2.jar"}}
	if got, want := l.QuickArgs(), []string{"-ea", "-Xmx1g", "-javaagent:/m2/mockito-core-5.14.2.jar"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(l.JVMArgs) != 4 {
		t.Errorf("the build's own arguments were changed: %q", l.JVMArgs)
	}
}
