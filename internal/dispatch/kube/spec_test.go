package kube

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/kubetest"
	"github.com/odfix/odfix/internal/work"
)

// options are the smallest that work.
func options() Options {
	return Options{Namespace: "runners", Server: "http://odfix-work:8082", Image: "odfix-runner:1", Disk: resource.MustParse("2Gi"),
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"),
			corev1.ResourceMemory: resource.MustParse("4Gi"), corev1.ResourceEphemeralStorage: resource.MustParse("12Gi")}}}
}

func claim() work.Claim {
	return work.Claim{ID: "task-1", Token: "the-token", Installation: 4711, Beat: 30, Deadline: time.Now().Add(time.Hour),
		Job: job.Job{Version: job.Version, Dir: "module", Tests: []string{"a.B#c"}}}
}

func TestJobOfATask(t *testing.T) {
	now, c := time.Now(), claim()
	c.Deadline = now.Add(90 * time.Second)
	o := options()
	o.Images, o.CacheClaim, o.RuntimeClass, o.Seccomp = map[int]string{21: "odfix-runner:jdk21"}, "maven-{installation}", "gvisor", "profiles/odfix.json"
	o.Labels = map[string]string{labelComponent: "server"} // a mistake that must not make a runner look like a server
	c.JDK = 21
	j := (&cluster{o: o}).job(c, now)
	if *j.Spec.ActiveDeadlineSeconds != 90 || *j.Spec.BackoffLimit != 0 || *j.Spec.TTLSecondsAfterFinished != 600 {
		t.Errorf("deadline %d, retries %d, kept %d", *j.Spec.ActiveDeadlineSeconds, *j.Spec.BackoffLimit, *j.Spec.TTLSecondsAfterFinished)
	}
	p := j.Spec.Template
	run := p.Spec.Containers[0]
	if run.Image != "odfix-runner:jdk21" || *p.Spec.RuntimeClassName != "gvisor" || *p.Spec.SecurityContext.SeccompProfile.LocalhostProfile != "profiles/odfix.json" {
		t.Errorf("image %s, runtime class %s, seccomp %+v", run.Image, *p.Spec.RuntimeClassName, p.Spec.SecurityContext.SeccompProfile)
	}
	if p.Labels[labelComponent] != componentName || p.Annotations[noteTask] != "task-1" {
		t.Errorf("labels %v, annotations %v", p.Labels, p.Annotations)
	}
	if *p.Spec.AutomountServiceAccountToken || *p.Spec.EnableServiceLinks || p.Spec.ServiceAccountName != "" || p.Spec.HostNetwork || p.Spec.HostPID {
		t.Error("the pod has more than it needs of the cluster")
	}
	if s := run.SecurityContext; !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || *s.Privileged ||
		!reflect.DeepEqual(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0 || !*p.Spec.SecurityContext.RunAsNonRoot {
		t.Errorf("security context %+v", s)
	}
	for _, v := range p.Spec.Volumes {
		switch {
		case v.EmptyDir != nil && v.EmptyDir.SizeLimit == nil:
			t.Errorf("volume %s has no limit", v.Name)
		case v.PersistentVolumeClaim != nil && (v.PersistentVolumeClaim.ClaimName != "maven-4711" || !v.PersistentVolumeClaim.ReadOnly):
			t.Errorf("cache %+v", v.PersistentVolumeClaim)
		case v.HostPath != nil:
			t.Errorf("volume %s is a folder of the node", v.Name)
		}
	}
	if text, _ := j.Marshal(); strings.Contains(string(text), c.Token) {
		t.Error("the Job holds the token")
	}
}

// TestAttackUserOfANode: tests that use up what the kernel counts for their user on a node, such as
// epoll watches, neither keep another task nor the server from working. The pod's files name the
// user.
func TestAttackUserOfANode(t *testing.T) {
	if testing.Short() {
		t.Skip("needs helm, which make test-all prepares")
	}
	used := map[int64]string{}
	for _, d := range kubetest.All[*appsv1.Deployment](kubetest.Render(t)) {
		used[*d.Spec.Template.Spec.SecurityContext.RunAsUser] = d.Name
	}
	c := cluster{o: options()}
	for _, id := range []string{"task-1", "task-2", "task-3"} {
		pod := c.pod(work.Claim{ID: id})
		user := *pod.SecurityContext.RunAsUser
		if used[user] != "" || user < firstUser || user >= firstUser+users {
			t.Errorf("%s has user %d, as %q", id, user, used[user])
		}
		used[user] = id
		again := c.pod(work.Claim{ID: id, Token: "another attempt"})
		if *again.SecurityContext.RunAsUser != user || *pod.SecurityContext.RunAsGroup != *pod.SecurityContext.FSGroup {
			t.Errorf("%s: %+v", id, again.SecurityContext)
		}
		s, err := secret(work.Claim{ID: id}, &batchv1.Job{})
		must(t, err)
		if want := fmt.Sprintf("\nodfix:x:%d:10001::/work:", user); !strings.Contains(string(s.Data[passwdKey]), want) {
			t.Errorf("%s lacks %q", s.Data[passwdKey], want)
		}
	}
}

// TestServerCA: a pod knows the authority that its worker trusts.
func TestServerCA(t *testing.T) {
	for _, ca := range []string{"", "PEM"} {
		o := options()
		o.ServerCA = ca
		got := ""
		for _, e := range (&cluster{o: o}).container(claim()).Env {
			if e.Name == EnvCA {
				got = e.Value
			}
		}
		if got != ca {
			t.Errorf("the pod trusts %q, want %q", got, ca)
		}
	}
	c := claim()
	s, err := secret(c, &batchv1.Job{})
	file := filepath.Join(t.TempDir(), taskKey)
	if err := errors.Join(err, os.WriteFile(file, s.Data[taskKey], 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvFile, file)
	t.Setenv(EnvServer, "https://server:8082")
	t.Setenv(EnvToken, c.Token)
	t.Setenv(EnvCA, "no certificate")
	if err := Do(t.Context(), work.Worker{}); err == nil || !strings.Contains(err.Error(), EnvCA) {
		t.Errorf("a broken authority: %v", err)
	}
}

func TestCacheOnlyOfItsInstallation(t *testing.T) {
	o := options()
	o.CacheClaim = "maven-{installation}"
	if got := (&cluster{o: o}).cache(work.Claim{}); got != "" {
		t.Errorf("a task of no installation gets %q", got)
	}
	o.CacheClaim = "maven"
	if got := (&cluster{o: o}).cache(work.Claim{}); got != "maven" {
		t.Errorf("a cache of all is %q", got)
	}
}

// TestForPod: only a release of Java without an image is still to be asked for.
func TestForPod(t *testing.T) {
	c := &cluster{o: Options{Images: map[int]string{21: "test/jdk21"}}}
	for jdk, want := range map[int]int{0: 0, 21: 0, 17: 17} {
		if got := c.forPod(work.Claim{JDK: jdk}).JDK; got != want {
			t.Errorf("JDK %d: the pod asks for %d, want %d", jdk, got, want)
		}
	}
}

// TestNames: each attempt of a task has a Job of its own, which does not reveal the token.
func TestNames(t *testing.T) {
	first, second := claim(), claim()
	second.Token = "another"
	if name(first) == name(second) || name(first) != name(claim()) || len(name(first)) > 40 {
		t.Errorf("names %s and %s", name(first), name(second))
	}
}

// TestAttackLongJobs: a worker keeps nothing of the jobs that it follows. Orders of many MiB, of which a
// Secret holds some KiB, would fill its memory.
func TestAttackLongJobs(t *testing.T) {
	c := claim()
	c.Deadline, c.Beat = time.Now().Add(time.Hour).Round(0), 7
	c.Job.Orders = [][]string{slices.Repeat([]string{"a.VeryLongTest#name"}, 300_000)}
	text, err := pack(c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpackHead(text, "x")
	want := work.Claim{ID: c.ID, Token: "x", Deadline: c.Deadline, Beat: 7}
	if err != nil || !got.Deadline.Equal(want.Deadline) {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Deadline = want.Deadline; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if _, err := unpackHead(text, ""); err == nil {
		t.Error("a task without a token is read")
	}
}

// TestGiven: a pod reads what the worker wrote, and its children do not see the token.
func TestGiven(t *testing.T) {
	c := claim()
	s, err := secret(c, &batchv1.Job{})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := unpack(s.Data[taskKey], "x"); text.Token != "x" {
		t.Errorf("the file holds the token %q", text.Token)
	}
	file := filepath.Join(t.TempDir(), taskKey)
	if err := os.WriteFile(file, s.Data[taskKey], 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvFile, file)
	t.Setenv(EnvServer, "http://server:8082")
	t.Setenv(EnvToken, string(s.Data[tokenKey]))
	server, got, err := given()
	got.Deadline = c.Deadline // its zone differs
	if err != nil || server != "http://server:8082" || !reflect.DeepEqual(got, c) {
		t.Errorf("%s, %+v, %v; want %+v", server, got, err, c)
	}
	if _, found := os.LookupEnv(EnvToken); found {
		t.Error("the token is still in the environment")
	}
	if _, _, err := given(); err == nil {
		t.Error("a task without a token")
	}
}

func TestOptions(t *testing.T) {
	for what, change := range map[string]func(*Options){
		"namespace": func(o *Options) { o.Namespace = "" },
		"image":     func(o *Options) { o.Image = "" },
		"address":   func(o *Options) { o.Server = "" },
		"work":      func(o *Options) { o.Disk = resource.Quantity{} },
		"memory":    func(o *Options) { delete(o.Resources.Limits, corev1.ResourceMemory) },
	} {
		o := options()
		change(&o)
		if err := o.check(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("without %s: %v", what, err)
		}
	}
	o := options()
	if err := o.check(); err != nil {
		t.Error(err)
	}
}
