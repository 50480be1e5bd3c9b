package kube

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/odfix/odfix/internal/work"
)

// The labels and annotations of Jobs and pods. NetworkPolicies of the chart select by Component.
const (
	labelApp       = "app.kubernetes.io/name"
	labelComponent = "app.kubernetes.io/component"
	labelInstall   = "odfix.dev/installation"
	noteTask       = "odfix.dev/task"

	appName       = "odfix"
	componentName = "runner"
	selector      = labelApp + "=" + appName + "," + labelComponent + "=" + componentName
)

// What a pod gets of its task. The token is in the environment and not in the file, since the code of
// the pull request can read files of the pod, but not the environment of its runner.
const (
	EnvServer = "ODFIX_SERVER"
	EnvToken  = "ODFIX_TASK_TOKEN"
	EnvFile   = "ODFIX_TASK_FILE"
	EnvCA     = "ODFIX_TASK_SERVER_CA" // Options.ServerCA; it is no secret
)

const (
	container = "runner"
	workAt    = "/work"
	cacheAt   = "/cache"
	taskAt    = "/task"
	tokenKey  = "token"
	taskKey   = "claim.json.gz"
	passwdKey = "passwd"
)

// Each task has a user of its own, and none has the server's. The kernel counts some resources, such as
// epoll and inotify watches, for each user of a node: a pod that uses them up takes them from no
// other task. The group is that of all pods of odfix, so that they can read volumes.
const (
	firstUser = 20000
	users     = 40000
	group     = 10001
)

func userOf(t work.Claim) int64 {
	sum := sha256.Sum256([]byte(t.ID))
	return firstUser + int64(binary.BigEndian.Uint64(sum[:])%users)
}

// passwd is the pod's /etc/passwd. Without an entry for their user, some programs, such as old
// releases of Java, do not find their home folder.
func passwd(t work.Claim) []byte {
	return fmt.Appendf(nil, "root:x:0:0::/root:/bin/sh\nodfix:x:%d:%d::%s:/bin/sh\n", userOf(t), group, workAt)
}

// name is the name of the Job and the Secret of an attempt. It says nothing about the token.
func name(t work.Claim) string {
	sum := sha256.Sum256([]byte(t.ID + " " + t.Token))
	return "odfix-" + hex.EncodeToString(sum[:10])
}

func (c *cluster) labels(t work.Claim) map[string]string {
	out := maps.Clone(c.o.Labels)
	if out == nil {
		out = map[string]string{}
	}
	out[labelApp], out[labelComponent] = appName, componentName
	out[labelInstall] = strconv.FormatInt(t.Installation, 10)
	return out
}

// job is the Job of a task. It has one pod, which Kubernetes does not replace. If the pod was moved
// away (a drained node, a node without memory, a more important pod), the Job fails, and the server
// offers the task again.
func (c *cluster) job(t work.Claim, now time.Time) *batchv1.Job {
	left := max(int64(math.Ceil(t.Deadline.Sub(now).Seconds())), 1)
	labels, notes := c.labels(t), map[string]string{noteTask: t.ID}
	podNotes := maps.Clone(c.o.Annotations)
	if podNotes == nil {
		podNotes = map[string]string{}
	}
	podNotes[noteTask] = t.ID
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name(t), Namespace: c.o.Namespace, Labels: labels, Annotations: notes},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32), ActiveDeadlineSeconds: &left,
			TTLSecondsAfterFinished: new(int32(c.o.Keep.or(DefaultKeep).Seconds())),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: podNotes},
				Spec:       c.pod(t),
			},
		},
	}
}

// pod fits the level "restricted" of the Pod Security Standards.
func (c *cluster) pod(t work.Claim) corev1.PodSpec {
	spec := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
		TerminationGracePeriodSeconds: new(int64(Stop.Seconds())),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(userOf(t)), RunAsGroup: new(int64(group)), FSGroup: new(int64(group)),
			SeccompProfile: c.seccomp(),
		},
		NodeSelector: c.o.NodeSelector, Tolerations: c.o.Tolerations, Affinity: c.o.Affinity,
		Containers: []corev1.Container{c.container(t)},
		Volumes: []corev1.Volume{scratch("work", c.o.Disk), scratch("tmp", resource.MustParse("1Gi")),
			{Name: "task", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name(t),
				DefaultMode: new(int32(0o440)), Items: []corev1.KeyToPath{{Key: taskKey, Path: taskKey}, {Key: passwdKey, Path: passwdKey}}}}}},
	}
	if c.o.RuntimeClass != "" {
		spec.RuntimeClassName = &c.o.RuntimeClass
	}
	for _, s := range c.o.PullSecrets {
		spec.ImagePullSecrets = append(spec.ImagePullSecrets, corev1.LocalObjectReference{Name: s})
	}
	if claim := c.cache(t); claim != "" {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "cache", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim, ReadOnly: true}}})
		runner := &spec.Containers[0]
		runner.VolumeMounts = append(runner.VolumeMounts, corev1.VolumeMount{Name: "cache", MountPath: cacheAt, ReadOnly: true})
	}
	return spec
}

func (c *cluster) seccomp() *corev1.SeccompProfile {
	if c.o.Seccomp == "" {
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	}
	return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &c.o.Seccomp}
}

func scratch(name string, size resource.Quantity) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &size}}}
}

func (c *cluster) container(t work.Claim) corev1.Container {
	env := []corev1.EnvVar{
		{Name: EnvServer, Value: c.o.Server}, {Name: EnvFile, Value: taskAt + "/" + taskKey},
		{Name: EnvToken, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: name(t)}, Key: tokenKey}}},
		{Name: "HOME", Value: workAt},
	}
	if c.o.ServerCA != "" {
		env = append(env, corev1.EnvVar{Name: EnvCA, Value: c.o.ServerCA})
	}
	for _, name := range slices.Sorted(maps.Keys(c.o.Env)) {
		env = append(env, corev1.EnvVar{Name: name, Value: c.o.Env[name]})
	}
	return corev1.Container{
		Name: container, Image: cmp.Or(c.o.Images[t.JDK], c.o.Image), ImagePullPolicy: c.o.PullPolicy,
		Command: []string{"odfix", "worker", "--task"}, WorkingDir: workAt, Env: env, Resources: c.o.Resources,
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true), Privileged: new(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "work", MountPath: workAt}, {Name: "tmp", MountPath: "/tmp"},
			{Name: "task", MountPath: taskAt, ReadOnly: true},
			{Name: "task", MountPath: "/etc/passwd", SubPath: passwdKey, ReadOnly: true}},
	}
}

// cache is the claim of the task's cache; empty: none.
func (c *cluster) cache(t work.Claim) string {
	const id = "{installation}"
	if strings.Contains(c.o.CacheClaim, id) && t.Installation <= 0 {
		return ""
	}
	return strings.ReplaceAll(c.o.CacheClaim, id, strconv.FormatInt(t.Installation, 10))
}

// forPod is the task as its pod gets it. A pod whose image was chosen for a release of Java asks for
// none: its report would say that odfix does not have it.
func (c *cluster) forPod(t work.Claim) work.Claim {
	if c.o.Images[t.JDK] != "" {
		t.JDK = 0
	}
	return t
}

// secret holds the task and its token. It is removed with the Job that owns it.
func secret(t work.Claim, owner *batchv1.Job) (*corev1.Secret, error) {
	file, err := pack(t)
	if err != nil {
		return nil, err
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: owner.Name, Namespace: owner.Namespace, Labels: owner.Labels,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: owner.Name, UID: owner.UID}}},
		Data: map[string][]byte{tokenKey: []byte(t.Token), taskKey: file, passwdKey: passwd(t)}, Immutable: new(true), Type: corev1.SecretTypeOpaque,
	}, nil
}
