package kubetest

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/odfix/odfix/internal/child"
)

// Shell runs commands of an administrator, with kubectl and helm. It fails the test if one of them
// fails, and returns their output.
func (c *Cluster) Shell(t testing.TB, dir, commands string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", commands)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "PATH="+c.programs+":"+filepath.Dir(helmPath(t))+":/usr/local/bin:/usr/bin:/bin",
		"KUBECONFIG="+c.Kubeconfig, "HELM_CACHE_HOME="+c.path("helm"), "HELM_CONFIG_HOME="+c.path("helm"), "HELM_DATA_HOME="+c.path("helm"), "HOME="+c.dir)
	log := &child.Tail{Size: 64 << 10}
	cmd.Stdout, cmd.Stderr = log, log
	if err := child.Run(cmd); err != nil {
		t.Fatalf("%v\n%s\n%s", err, commands, log)
	}
	return log.String()
}

// Volume makes a folder of this machine the volume of a claim, which may not exist yet.
func (c *Cluster) Volume(t testing.TB, namespace, claim, folder string) {
	t.Helper()
	_, err := c.Client.CoreV1().PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + claim},
		Spec: corev1.PersistentVolumeSpec{Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Ti")},
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany},
			ClaimRef:               &corev1.ObjectReference{Namespace: namespace, Name: claim},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: folder}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// Claim creates a claim that pods only read.
func (c *Cluster) Claim(t testing.TB, namespace, name string) {
	t.Helper()
	_, err := c.Client.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// Pods are the pods of a namespace.
func (c *Cluster) Pods(t testing.TB, namespace string) []corev1.Pod {
	t.Helper()
	list, err := c.Client.CoreV1().Pods(namespace).List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}
