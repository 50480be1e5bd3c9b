package main

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.time", Value: "2026-05-04T03:02:01Z"}, {Key: "vcs.modified", Value: "false"}}}
	v := describeBuild("v1.2.3", info)
	platform := runtime.GOOS + "/" + runtime.GOARCH
	want := buildVersion{Version: "v1.2.3", Commit: "0123456789abcdef", Date: "2026-05-04T03:02:01Z", Go: runtime.Version(), Platform: platform}
	if v != want {
		t.Errorf("%+v", v)
	}
	wantIn(t, v.String(), "odfix v1.2.3\n", "commit    0123456789abcdef\n", "date      2026-05-04T03:02:01Z\n", runtime.Version(), platform)
	info.Settings[2].Value = "true"
	wantIn(t, describeBuild("dev", info).String(), "0123456789abcdef, with uncommitted changes")
	wantIn(t, describeBuild("dev", nil).String(), "odfix dev\ncommit    unknown\ndate      unknown\n")

	made, err := exec.Command("make", "-C", "..", "-n", "-W", "go.mod", "bin/odfix").Output()
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, string(made), "go build -trimpath -buildvcs=auto ") // whatever GOFLAGS says

	d := newWorkspace(t)
	var printed buildVersion
	if code := d.run(t.Context(), "version", "--format", "json"); code != exitOK {
		t.Fatalf("status %d: %s", code, &d.stderr)
	}
	if err := json.Unmarshal(d.stdout.Bytes(), &printed); err != nil || printed.Version != version || printed.Go != runtime.Version() {
		t.Errorf("%v, %+v", err, printed)
	}
	if code := d.run(t.Context(), "version", "--format", "xml"); code != exitUsage {
		t.Errorf("--format xml: status %d", code)
	}
}
