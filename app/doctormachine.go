package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/doctor"
	"github.com/odfix/odfix/internal/java"
)

// examineMachine checks what jobs need on this machine. The kind of project in dir decides which
// tools are needed: those of Maven, of Gradle, of Jest, or of any of them.
func examineMachine(ctx context.Context, w world, dir string) []doctor.Finding {
	maven, jest := isThere(dir, "pom.xml"), isThere(dir, "package.json")
	gradle := !maven && java.Language{}.Recognises(dir)
	jdks, mvn := findJDKs(w), probe(ctx, doctor.Tool{Name: "Maven", Needed: "for Maven projects without a wrapper (mvnw)",
		Fix: "Install Maven, 3.6 or later."}, "mvn", "-B", "-version")
	node := probe(ctx, doctor.Tool{Name: "Node", Needed: "for projects with Jest", Fix: "Install Node, 18 or later."}, "node", "--version")
	gradles := probe(ctx, doctor.Tool{Name: "Gradle", Optional: !gradle || isThere(dir, "gradlew"),
		Needed: "for Gradle projects without a wrapper (gradlew)", Fix: "Install Gradle, 4 or later."}, "gradle", "--version")
	if !maven && !gradle && !jest { // no project here: any of them will do
		java := len(jdks) > 0 && jdks[0].Used != "" && mvn.Path+gradles.Path != ""
		maven, jest = !java && node.Path == "", !java && node.Path == ""
	}
	mvn.Optional, node.Optional = !maven || isThere(dir, "mvnw"), !jest
	runner := doctor.Tool{Name: "runner", Needed: "for every job",
		Fix: "odfix starts its own program file as the runner. See that the file is still there, and unset " + dispatch.RunnerEnv + "."}
	runner.Path, runner.Err = dispatch.Find()
	list := append(doctor.Tools([]doctor.Tool{runner}), doctor.JDKs(jdks, maven || gradle))
	tools := []doctor.Tool{mvn, gradles, node,
		probe(ctx, doctor.Tool{Name: "npm", Optional: true, Needed: "to install the packages of projects with Jest", Fix: "Install npm."}, "npm", "--version"),
		probe(ctx, doctor.Tool{Name: "git", Optional: true, Needed: "for --changed-since, and to apply patches", Fix: "Install git."}, "git", "--version"),
	}
	if runtime.GOOS == "linux" {
		tools = append(tools, probe(ctx, doctor.Tool{Name: "bubblewrap", Optional: true, Needed: "for odfix serve",
			Fix: "Install bubblewrap, 0.8 or later, to run odfix serve here."}, "bwrap", "--version"))
	}
	list = append(list, doctor.Tools(tools)...)
	v, err := viewCache(ctx, w)
	if free, ferr := doctor.Free(existing(v.Dir)); ferr == nil {
		list = append(list, doctor.Space("disk", existing(v.Dir), free))
	}
	return append(list, doctor.Cache(v.Dir, v.Size, v.Limit, err))
}

func findJDKs(w world) []doctor.JDK {
	home, _ := os.UserHomeDir() // without one, fewer places are looked at
	java, _ := exec.LookPath("java")
	return doctor.FindJDKs(home, w.getenv("JAVA_HOME"), java)
}

// existing is the nearest folder above that exists.
func existing(dir string) string {
	for dir != "" && dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

func isThere(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
