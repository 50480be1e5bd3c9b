package kubetest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	"github.com/odfix/odfix/internal/child"
)

// Node is a node whose kubelet runs the first container of each pod as a process of this machine,
// without a container around it. Volumes are folders; environment variables that begin with the path
// of a mount get the folder's path instead.
type Node struct {
	Name string
	// Command maps a container's command to the one of the process.
	Command func(pod *corev1.Pod, command []string) []string
	// Env is added to the environment of the process.
	Env []string
	// Fate, if it is set and returns a status, is what becomes of a pod instead of a process.
	Fate func(pod *corev1.Pod) *corev1.PodStatus

	c    *Cluster
	mu   sync.Mutex
	pods map[types.UID]*process
	all  sync.WaitGroup
}

type process struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// Join adds the node to the cluster until the test ends.
func (n *Node) Join(t testing.TB, c *Cluster) {
	t.Helper()
	c.AddNode(t, n.Name)
	n.Run(t, c)
}

// Run runs the pods of a node that the cluster has already, until the test ends.
func (n *Node) Run(t testing.TB, c *Cluster) {
	t.Helper()
	n.c, n.pods = c, map[types.UID]*process{}
	ctx, cancel := context.WithCancel(context.Background())
	pods := cache.NewListWatchFromClient(c.Client.CoreV1().RESTClient(), "pods", "", fields.OneTermEqualSelector("spec.nodeName", n.Name))
	informer := cache.NewSharedInformer(pods, &corev1.Pod{}, 0)
	see := func(obj any) { n.see(ctx, obj.(*corev1.Pod)) }
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, obj any) { see(obj) }}); err != nil {
		t.Fatal(err)
	}
	n.all.Go(func() { informer.RunWithContext(ctx) })
	t.Cleanup(func() { cancel(); n.all.Wait() })
}

// AddNode adds a node with much room until the test ends. Nobody runs its pods.
func (c *Cluster) AddNode(t testing.TB, name string) {
	t.Helper()
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"), corev1.ResourcePods: resource.MustParse("200")}
	ctx, nodes := t.Context(), c.Client.CoreV1().Nodes()
	_, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}},
		metav1.CreateOptions{})
	if err == nil {
		err = retry.RetryOnConflict(retry.DefaultBackoff, func() error { // controllers change nodes, too
			node, err := nodes.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			node.Status = corev1.NodeStatus{Capacity: room, Allocatable: room, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady,
				Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(), Reason: "KubeletReady"}}}
			_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	// Later tests have no use for a node whose pods nobody runs. It may be gone.
	t.Cleanup(func() { _ = nodes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
}

// see starts a new pod, and stops one that is being deleted.
func (n *Node) see(ctx context.Context, pod *corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.pods[pod.UID]
	switch {
	case pod.DeletionTimestamp != nil && p == nil:
		n.all.Go(func() { n.remove(ctx, pod) })
	case pod.DeletionTimestamp != nil:
		p.cancel()
		n.all.Go(func() { <-p.ended; n.remove(ctx, pod) })
	case p == nil && pod.Status.Phase == corev1.PodPending:
		p = &process{ended: make(chan struct{})}
		var own context.Context
		own, p.cancel = context.WithCancel(ctx)
		n.pods[pod.UID] = p
		n.all.Go(func() { defer close(p.ended); n.start(own, ctx, pod) })
	}
}

func (n *Node) remove(ctx context.Context, pod *corev1.Pod) {
	_ = n.c.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0)) // it may be gone
}

// start runs a pod to its end. own ends when the pod is deleted.
func (n *Node) start(own, ctx context.Context, pod *corev1.Pod) {
	if n.Fate != nil {
		if s := n.Fate(pod); s != nil {
			n.say(ctx, pod, *s)
			return
		}
	}
	dir, err := os.MkdirTemp(n.c.dir, "pod-")
	if err != nil {
		n.say(ctx, pod, Failed("CannotRun", 128, err.Error()))
		return
	}
	cmd, err := n.process(own, pod, dir)
	if err != nil {
		n.say(ctx, pod, Failed("CannotRun", 128, err.Error()))
		return
	}
	log := &child.Tail{Size: 8 << 10}
	cmd.Stdout, cmd.Stderr = log, log
	n.say(ctx, pod, corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name,
		Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}}}})
	if err = child.Start(cmd); err == nil {
		err = cmd.Wait()
		child.Kill(cmd) // what it left
	}
	end, _ := log.End(2 << 10)
	var exit *exec.ExitError
	switch {
	case err == nil:
		n.say(ctx, pod, Succeeded())
	case errors.As(err, &exit):
		n.say(ctx, pod, Failed("Error", int32(exit.ExitCode()), end))
	default:
		n.say(ctx, pod, Failed("CannotRun", 128, err.Error()))
	}
}

// Succeeded is the status of a pod that ended well.
func Succeeded() corev1.PodStatus {
	return ended(corev1.PodSucceeded, "Completed", 0, "")
}

// Failed is the status of a pod whose container ended like this.
func Failed(reason string, code int32, message string) corev1.PodStatus {
	return ended(corev1.PodFailed, reason, code, message)
}

func ended(phase corev1.PodPhase, reason string, code int32, message string) corev1.PodStatus {
	return corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: "runner", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, Message: message, FinishedAt: metav1.Now()}}}}}
}

// Waiting is the status of a pod whose container cannot start.
func Waiting(reason, message string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{Name: "runner", Image: "test/runner",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}}
}

// say updates the status of a pod.
func (n *Node) say(ctx context.Context, pod *corev1.Pod, s corev1.PodStatus) {
	pods := n.c.Client.CoreV1().Pods(pod.Namespace)
	for ctx.Err() == nil {
		now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err == nil {
			conditions := now.Status.Conditions
			now.Status.Phase, now.Status.ContainerStatuses, now.Status.Reason, now.Status.Message = s.Phase, s.ContainerStatuses, s.Reason, s.Message
			now.Status.Conditions = append(conditions, s.Conditions...)
			_, err = pods.UpdateStatus(ctx, now, metav1.UpdateOptions{})
		}
		if err == nil || now != nil && now.UID != pod.UID {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond): // a conflict, or the API server is away
		}
	}
}

// process is the process of a pod, which ends with ctx.
func (n *Node) process(ctx context.Context, pod *corev1.Pod, dir string) (*exec.Cmd, error) {
	c := pod.Spec.Containers[0]
	folders, err := n.volumes(ctx, pod, dir)
	if err != nil {
		return nil, err
	}
	at := func(path string) string {
		for mount, folder := range folders {
			if rest, ok := strings.CutPrefix(path, mount); ok && (rest == "" || rest[0] == '/') {
				return folder + rest
			}
		}
		return path
	}
	args := slices.Concat(c.Command, c.Args)
	if n.Command != nil {
		args = n.Command(pod, args)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	cmd.Dir, cmd.Env = at(c.WorkingDir), append([]string{"PATH=" + os.Getenv("PATH")}, n.Env...)
	for _, e := range c.Env {
		value := at(e.Value)
		if e.ValueFrom != nil {
			s, err := n.secret(ctx, pod, e.ValueFrom.SecretKeyRef.Name)
			if err != nil {
				return nil, err
			}
			value = string(s.Data[e.ValueFrom.SecretKeyRef.Key])
		}
		cmd.Env = append(cmd.Env, e.Name+"="+value)
	}
	return cmd, nil
}

// volumes makes the folders of a pod's mounts.
func (n *Node) volumes(ctx context.Context, pod *corev1.Pod, dir string) (map[string]string, error) {
	out := map[string]string{}
	for _, m := range pod.Spec.Containers[0].VolumeMounts {
		folder := filepath.Join(dir, m.Name)
		out[m.MountPath] = folder
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		from := pod.Spec.Volumes[i].Secret
		if from == nil {
			continue
		}
		s, err := n.secret(ctx, pod, from.SecretName)
		if err != nil {
			return nil, err
		}
		for _, item := range from.Items {
			if err := os.WriteFile(filepath.Join(folder, item.Path), s.Data[item.Key], 0o600); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// secret waits for a Secret, as a kubelet does.
func (n *Node) secret(ctx context.Context, pod *corev1.Pod, name string) (*corev1.Secret, error) {
	for {
		s, err := n.c.Client.CoreV1().Secrets(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
