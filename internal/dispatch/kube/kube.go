// Package kube runs tasks on Kubernetes: one Job with one pod for each task that a worker has claimed.
// The pod fetches the sources from the server, and posts messages and report there, with the token of
// this task. This package creates the Job, watches it, and says in words for people why a pod failed.
//
// Invariants:
//   - A Job ends and is removed without this process: it has a deadline and a time to live.
//   - What runs is known from the cluster alone. So each worker watches all Jobs, whichever worker
//     created them, and a restart loses nothing.
//   - A pod is removed soon after its token has lost the task, so a task has two pods only for
//     moments.
//   - A pod has no credentials but the token of its task, and no service account.
//   - Only Jobs, Secrets and Pods of one namespace are used.
package kube

import (
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/rest"
)

// Options say where pods run and what they look like. Its JSON is the file of `odfix worker
// --kubernetes`, which the chart writes.
type Options struct {
	// Namespace is where the Jobs are.
	Namespace string `json:"namespace"`
	// Server is the address at which pods reach the server's work endpoint.
	Server string `json:"server"`
	// ServerCA holds the authorities that sign the server's certificate, in PEM; empty: those of the
	// image. It is that of `odfix worker --server-ca`.
	ServerCA string `json:"-"`
	// Image is the runner's image. Images has others by release of Java, for `jdk` in .odfix.yml.
	Image  string         `json:"image"`
	Images map[int]string `json:"images,omitempty"`
	// PullPolicy and PullSecrets are those of the image.
	PullPolicy  corev1.PullPolicy `json:"pullPolicy,omitempty"`
	PullSecrets []string          `json:"pullSecrets,omitempty"`
	// Resources are the requests and limits of a pod. Disk limits its work folder.
	Resources corev1.ResourceRequirements `json:"resources"`
	Disk      resource.Quantity           `json:"disk"`
	// RuntimeClass is the name of a RuntimeClass, such as one of gVisor or Kata; empty: the default.
	RuntimeClass string `json:"runtimeClass,omitempty"`
	// Seccomp is a Localhost profile's path; empty: RuntimeDefault.
	Seccomp      string              `json:"seccomp,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	Affinity     *corev1.Affinity    `json:"affinity,omitempty"`
	// CacheClaim is the name of a PersistentVolumeClaim with a Maven repository, which pods only
	// read. "{installation}" in it is the id of the task's installation. Empty: none.
	CacheClaim string `json:"cacheClaim,omitempty"`
	// Env is the runner's environment beyond the image's, such as the address of a proxy.
	Env map[string]string `json:"env,omitempty"`
	// Labels and Annotations are added to the pods.
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// StartWithin is how long a pod may take to start; zero: DefaultStartWithin.
	StartWithin Duration `json:"startWithin,omitempty"`
	// Keep is how long an ended Job stays for people who look at it; zero: DefaultKeep.
	Keep Duration `json:"keep,omitempty"`
}

// The times that Options do not set. Stop is how long a pod has to give its task back when it
// is stopped.
const (
	DefaultStartWithin = 10 * time.Minute
	DefaultKeep        = 10 * time.Minute
	Stop               = 30 * time.Second
)

// Codes of the errors of pods, beside those of packages dispatch and work.
const (
	CodeImage   = "runner-image"   // the image cannot be pulled
	CodeWaiting = "runner-waiting" // the pod did not start in time
	CodeEvicted = "runner-evicted" // the node had to remove the pod
	CodeCluster = "runner-cluster" // the cluster refuses the Job, or does not answer
)

// cluster creates and watches the Jobs of tasks.
type cluster struct {
	o       Options
	jobs    *jobClient
	secrets *secretClient
	seen    *watched
	reading sync.Mutex
}

func newCluster(config *rest.Config, o Options) (*cluster, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 50, 100 // two requests for each task
	c, err := newClients(config, o.Namespace)
	if err != nil {
		return nil, err
	}
	return &cluster{o: o, jobs: c.jobs, secrets: c.secrets, seen: newWatched(c.jobs, c.pods)}, nil
}

func (o *Options) check() error {
	switch {
	case o.Namespace == "":
		return errors.New("there is no namespace for runners")
	case o.Image == "":
		return errors.New("there is no image for runners")
	case o.Server == "":
		return errors.New("there is no address at which runners reach the server")
	case o.Disk.Sign() <= 0:
		return errors.New("there is no size for the runners' work folders")
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceCPU, corev1.ResourceEphemeralStorage} {
		if _, ok := o.Resources.Limits[name]; !ok {
			return fmt.Errorf("there is no limit of %s for runners", name)
		}
	}
	return nil
}

// Duration is a time.Duration that is written as in Go: "10m".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d Duration) or(otherwise time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return otherwise
}
