package kubetest

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestInstall installs the chart into a control plane, in namespaces that enforce the Pod Security
// level restricted, upgrades it, and removes it.
func TestInstall(t *testing.T) {
	long(t)
	c := Start(t)
	ctx := t.Context()
	if _, err := c.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "odfix",
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	helm := func(args ...string) string {
		t.Helper()
		out, err := Helm(t, append(args, "--kubeconfig", c.Kubeconfig, "--namespace", "odfix")...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	notes := helm("install", "odfix", ChartDir(), "--set", "app.id=7")
	for _, says := range []string{"/webhook", "Runners reach no package registry yet", "odfix-runners"} {
		if !strings.Contains(notes, says) {
			t.Errorf("the notes do not say %q:\n%s", says, notes)
		}
	}
	c.Await("the pods of server and worker", func(ctx context.Context) bool { return len(c.podsOf(ctx, "odfix")) == 2 })
	helm("upgrade", "odfix", ChartDir(), "--set", "app.id=7,worker.replicas=2")
	c.Await("a second worker", func(ctx context.Context) bool { return len(c.podsOf(ctx, "odfix")) >= 3 })
	helm("uninstall", "odfix")
	if _, err := c.Client.CoreV1().PersistentVolumeClaims("odfix").Get(ctx, "odfix-data", metav1.GetOptions{}); err != nil {
		t.Errorf("the database is gone with the chart: %v", err)
	}
	_, err := c.Client.RbacV1().RoleBindings("odfix-runners").Get(ctx, "odfix-worker", metav1.GetOptions{})
	if err == nil {
		t.Error("the worker's rights are left")
	}
}

// podsOf are the components of a namespace's pods.
func (c *Cluster) podsOf(ctx context.Context, namespace string) []string {
	list, err := c.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	var out []string
	for _, p := range list.Items {
		if err == nil && p.DeletionTimestamp == nil {
			out = append(out, p.Labels["app.kubernetes.io/component"])
		}
	}
	return out
}
