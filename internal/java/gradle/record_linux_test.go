package gradle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/build"
)

// Gradle builds in a process outside of its group if the project asks for options of the JVM. That
// process ends with the run, too.
func TestNothingOutlivesARun(t *testing.T) {
	needGradle(t)
	dir, pid := t.TempDir(), filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(pid, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "settings.gradle"), "")
	write(t, filepath.Join(dir, "gradle.properties"), "org.gradle.jvmargs=-Xmx300m\n")
	write(t, filepath.Join(dir, "build.gradle"), java+"task hang { doLast { new File('"+pid+
		"').text = java.lang.management.ManagementFactory.runtimeMXBean.name + '\\n'; Thread.sleep(Long.MAX_VALUE) } }\ncompileTestJava.dependsOn hang\n")
	p := open(t, dir, t.TempDir(), build.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Record(ctx)
		ended <- err
	}()
	text, err := os.ReadFile(pid)
	var process int
	if _, serr := fmt.Sscanf(string(text), "%d@", &process); err != nil || serr != nil {
		t.Fatalf("%q, %v, %v", text, err, serr)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	for syscall.Kill(process, 0) == nil { // it may still be dying
		time.Sleep(10 * time.Millisecond)
	}
}
