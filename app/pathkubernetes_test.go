//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/investigate/investigatetest"
	"github.com/odfix/odfix/internal/kubetest"
)

// TestKubernetesFromInstallToComment runs the commands of docs/install.md on a real control plane. Its
// node runs the pods of server, worker and runners with the program that is built here. Then a red
// build of the stand-in GitHub becomes a suggestion.
//
// Not covered: images, the limits of pods, file permissions between users (all files of a pod are its
// user's), NetworkPolicies, the Ingress's controller, and probes other than readiness.
func TestKubernetesFromInstallToComment(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a control plane, which make test-all prepares, and runs Maven")
	}
	h := &hub{Hub: investigatetest.New(t, githubtest.Config{}), t: t}
	c := kubetest.Start(t)
	program := buildStatic(t)
	(&kubetest.Node{Name: "node", Image: func(name string) kubetest.Image {
		if strings.Contains(name, "runner") {
			return kubetest.System(program)
		}
		return kubetest.Scratch(program)
	}}).Join(t, c)
	home, err := os.UserHomeDir()
	h.Must(err)
	data, cache := t.TempDir(), "maven-"+fmt.Sprint(h.Inst.ID)
	c.Volume(t, "odfix", "odfix-data", data)
	c.Volume(t, "odfix-runners", cache, filepath.Join(home, ".m2"))

	blocks := blocksOf(t, "../docs/install.md", "## On Kubernetes")
	dir := h.installation(blocks[1])
	c.Shell(t, dir, strings.Replace(blocks[0], "-f values.yaml", "-f values.yaml -f test.yaml", 1))
	c.Claim(t, "odfix-runners", cache)
	c.Shell(t, dir, blocks[2])
	h.until("a worker that watches", func() bool {
		return strings.Contains(c.Shell(t, dir, "kubectl -n odfix logs deployment/odfix-worker"), "watching the runners of the namespace")
	})
	h.App.SetWebhookURL(c.Forward(t, "odfix.odfix.svc:80") + "/webhook")
	h.App.Release(nil)

	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.Must(h.Drain(h.Ctx))
	h.until("the answer", func() bool {
		s := h.Posted(p)
		return len(s.Checks) == 1 && s.Checks[0].GetStatus() == "completed"
	})
	s := h.Posted(p)
	if s.Reviews != 1 || s.Checks[0].GetConclusion() != "neutral" {
		t.Fatalf("%d reviews: %s\n%s", s.Reviews, s.Checks[0].GetOutput().GetTitle(), s.Checks[0].GetOutput().GetSummary())
	}
	h.accept(p, s)
	c.Await("the ends of both runners", func(ctx context.Context) bool {
		out := c.Shell(t, dir, blocks[3])
		return strings.Count(out, "Complete") == 2 && strings.Count(out, "odfix-") == 2
	})
	for _, pod := range c.Pods(t, "odfix-runners") {
		if n := planted(t, filepath.Join(c.PodDir(&pod), "work", ".m2", "repository")); n == 0 || pod.Status.Phase != corev1.PodSucceeded {
			t.Errorf("%s is %s and has %d files of the cache", pod.Name, pod.Status.Phase, n)
		}
	}
	if _, err := os.Stat(filepath.Join(data, "odfix.db")); err != nil {
		t.Error(err)
	}
}

// buildStatic builds odfix as the Dockerfile does.
func buildStatic(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "odfix")
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// installation is a folder with all that the commands need: the App's files, the chart, the settings
// of the page, and others for this machine.
func (h *hub) installation(values string) string {
	h.t.Helper()
	dir := h.t.TempDir()
	o := manifestOptions{out: dir, api: h.URL}
	h.Must(o.keep(&github.Created{ID: h.App.ID, Key: string(h.App.PEM()), WebhookSecret: investigatetest.Secret}))
	charts, err := filepath.Abs("../charts")
	h.Must(err)
	h.Must(os.Symlink(charts, filepath.Join(dir, "charts")))
	h.Must(os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(values), 0o600))
	own := fmt.Sprintf("app: {id: %q, githubApi: %q}\nrunner: {env: {HTTPS_PROXY: '', MAVEN_OPTS: ''}, cacheClaim: 'maven-{installation}'}\n",
		fmt.Sprint(h.App.ID), h.URL)
	h.Must(os.WriteFile(filepath.Join(dir, "test.yaml"), []byte(own), 0o600))
	return dir
}

var block = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")

// blocksOf are the code blocks of a page's section.
func blocksOf(t *testing.T, page, section string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := bytes.Cut(text, []byte(section+"\n"))
	if text, _, _ = bytes.Cut(text, []byte("\n## ")); !found {
		t.Fatalf("%s has no section %q", page, section)
	}
	var out []string
	for _, m := range block.FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

// planted counts the files of a Maven repository that are links to those of the cache.
func planted(t *testing.T, repository string) (n int) {
	t.Helper()
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type() == fs.ModeSymlink {
			if to, _ := os.Readlink(path); strings.HasPrefix(to, cacheInPod+"/") {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return n
}
