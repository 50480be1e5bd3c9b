package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/odfix/odfix/internal/dispatch/kube"
	"github.com/odfix/odfix/internal/kubetest"
)

// TestChart: the chart sets only variables that serve and worker read, and the file that it writes for
// the worker can be used.
func TestChart(t *testing.T) {
	if testing.Short() {
		t.Skip("needs helm, which make test-all prepares")
	}
	objects := kubetest.Render(t, "--set", "app.clientId=Iv1.x,app.url=https://odfix.example.com,runner.cacheClaim=maven-{installation}",
		"--set", "runner.images.21=registry/runner:21,runner.runtimeClassName=gvisor,runner.nodeSelector.pool=tests,runner.env.A=b",
		"--set-json", `runner.tolerations=[{"key":"tests","operator":"Exists"}]`)
	known := map[string][]string{"serve": nil, "worker": nil}
	var s serveOptions
	var w workerOptions
	for command, register := range map[string]func(*pflag.FlagSet){"serve": s.register, "worker": w.register} {
		flags := pflag.NewFlagSet(command, pflag.ContinueOnError)
		register(flags)
		flags.VisitAll(func(f *pflag.Flag) { known[command] = append(known[command], variable(f.Name)) })
	}
	seen := 0
	for _, d := range kubetest.All[*appsv1.Deployment](objects) {
		c := d.Spec.Template.Spec.Containers[0]
		for _, e := range c.Env {
			if seen++; strings.HasPrefix(e.Name, "ODFIX_") && !slices.Contains(known[c.Args[0]], e.Name) {
				t.Errorf("odfix %s does not read %s", c.Args[0], e.Name)
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d variables", seen)
	}
	for _, m := range kubetest.All[*corev1.ConfigMap](objects) {
		if m.Name == "odfix-runner" {
			checkRunnerFile(t, m.Data["runner.yaml"])
			return
		}
	}
	t.Error("there is no file for the worker")
}

func checkRunnerFile(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runner.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := kubernetesOptions(file)
	if err == nil {
		_, err = kube.NewWorker(nil, &rest.Config{Host: "https://127.0.0.1:1"}, o)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if o.Namespace != "odfix-runners" || o.Server != "http://odfix-work.odfix.svc:8082" || o.Images[21] != "registry/runner:21" ||
		o.CacheClaim != "maven-{installation}" || o.RuntimeClass != "gvisor" || len(o.Tolerations) != 1 || time.Duration(o.Keep) != 10*time.Minute {
		t.Errorf("%+v", o)
	}
}

// TestKubernetesFile: mistakes in the file are said, and where it comes from.
func TestKubernetesFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runner.yaml")
	if err := os.WriteFile(file, []byte("namespace: a\nimagee: b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + ".missing"} {
		if _, err := kubernetesOptions(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v", err)
		}
	}
}

// TestWithoutTask: runners do not get what only the process around them needs.
func TestWithoutTask(t *testing.T) {
	got := withoutTask([]string{"PATH=/bin", kube.EnvToken + "=t", kube.EnvServer + "=s", kube.EnvFile + "=f", "HTTPS_PROXY=p"})
	if want := []string{"PATH=/bin", "HTTPS_PROXY=p"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
