package java

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// Two copies of a project give one failure, which names the file that a person has.
func TestRelocate(t *testing.T) {
	failed := func(folder string) *suite.Run {
		return &suite.Run{Results: []suite.Result{{Outcome: suite.Pass}, {Outcome: suite.Fail, Failure: &suite.Failure{
			Type: "E", Message: "no file " + folder + "/a.txt", Stack: "E: no file " + folder + "/a.txt\n\tat a.A.b(A.java:1)\n"}}}}
	}
	want := failed("/home/me/project").Results[1].Failure
	for _, at := range []string{"/cache/job/copy-0/project", "/cache/job/copy-1/project", "/home/me/project"} {
		run := failed(at)
		relocate(run, at, "/home/me/project")
		if got := run.Results[1].Failure; *got != *want {
			t.Errorf("in %s: %+v, want %+v", at, got, want)
		}
	}
	ended := &suite.Run{Crash: &suite.Crash{Detail: "a hang in /copy/a"}, ClassFailures: []suite.ClassFailure{{Failure: suite.Failure{Message: "/copy/b"}}}}
	relocate(ended, "/copy", "/home/me/project")
	if ended.Crash.Detail != "a hang in /home/me/project/a" || ended.ClassFailures[0].Failure.Message != "/home/me/project/b" {
		t.Errorf("%+v, %+v", ended.Crash, ended.ClassFailures)
	}
	relocate(nil, "/a", "/b") // a run that failed
	run := failed("/x")
	if relocate(run, "", "/b"); run.Results[1].Failure.Message != "no file /x/a.txt" {
		t.Error("without a copy the text has changed")
	}
}
