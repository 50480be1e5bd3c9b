package kubetest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

// Node is a node whose kubelet runs the first container of each pod with bubblewrap. Volumes are
// folders of this machine. Of the probes, only the one for readiness counts.
type Node struct {
	Name string
	// Image finds an image by its name.
	Image func(name string) Image
	// Env is added to the environment of each container.
	Env []string
	// Fate, if it is set and returns a status, is what becomes of a pod instead of a container.
	Fate func(pod *corev1.Pod) *corev1.PodStatus

	c     *Cluster
	names string // a proxy that knows the names of Services
	mu    sync.Mutex
	pods  map[types.UID]*process
	all   sync.WaitGroup
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
	n.c, n.pods, n.names = c, map[types.UID]*process{}, c.Forward(t, "")
	c.serveLogs(t, n.Name)
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
	ip, dir := n.c.net.join(), n.c.PodDir(pod)
	c, err := n.prepare(own, pod, dir, ip)
	if err != nil {
		n.say(ctx, pod, Failed("CannotRun", 128, err.Error()))
		return
	}
	n.say(ctx, pod, running(pod, ip, false))
	beside, stop := context.WithCancel(ctx)
	var probe sync.WaitGroup
	probe.Go(func() {
		if n.ready(beside, pod, ip) {
			n.say(beside, pod, running(pod, ip, true))
		}
	})
	err = c.run()
	stop()
	probe.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		n.say(ctx, pod, Succeeded())
	case errors.As(err, &exit):
		n.say(ctx, pod, Failed("Error", int32(exit.ExitCode()), lastOf(filepath.Join(dir, logName))))
	default:
		n.say(ctx, pod, Failed("CannotRun", 128, err.Error()))
	}
}

// PodDir is the folder with the log of a pod and its volumes, by their names.
func (c *Cluster) PodDir(pod *corev1.Pod) string { return c.path("pods", pod.Namespace, pod.Name) }

// prepare makes a container that writes its log into the pod's folder.
func (n *Node) prepare(ctx context.Context, pod *corev1.Pod, dir, ip string) (*container, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, logName))
	if err != nil {
		return nil, err
	}
	c, err := n.contain(ctx, pod, dir, ip)
	if err != nil {
		log.Close()
		return nil, err
	}
	c.log, c.cmd.Stdout, c.cmd.Stderr = log, log, log
	return c, nil
}

// ready waits until the container answers its probe.
func (n *Node) ready(ctx context.Context, pod *corev1.Pod, ip string) bool {
	c := pod.Spec.Containers[0]
	if c.ReadinessProbe == nil {
		return true
	}
	get := c.ReadinessProbe.HTTPGet
	of := get.Port.IntVal
	for _, p := range c.Ports {
		if p.Name == get.Port.StrVal {
			of = p.ContainerPort
		}
	}
	_, err := until(ctx, func() (ok bool, err error) {
		local, err := n.c.net.at(ip, of)
		if err != nil {
			return false, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+local+get.Path, nil)
		if err != nil {
			return false, err
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			return false, err
		}
		defer a.Body.Close()
		if a.StatusCode != http.StatusOK {
			return false, errors.New(a.Status)
		}
		return true, nil
	})
	return err == nil
}

// running is the status of a pod whose container runs.
func running(pod *corev1.Pod, ip string, ready bool) corev1.PodStatus {
	s := corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Ready: ready,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}}}}
	if ready {
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	}
	return s
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
			_, err = pods.UpdateStatus(ctx, merge(now, s), metav1.UpdateOptions{})
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

// merge gives a pod another status. Conditions and addresses stay.
func merge(pod *corev1.Pod, s corev1.PodStatus) *corev1.Pod {
	before := pod.Status
	pod.Status.Phase, pod.Status.ContainerStatuses, pod.Status.Reason, pod.Status.Message = s.Phase, s.ContainerStatuses, s.Reason, s.Message
	if s.PodIP != "" {
		pod.Status.PodIP, pod.Status.PodIPs = s.PodIP, s.PodIPs
	}
	for i := range pod.Status.ContainerStatuses { // a fate does not know the pod
		pod.Status.ContainerStatuses[i].Name = pod.Spec.Containers[0].Name
	}
	pod.Status.Conditions = append(slices.DeleteFunc(before.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && (s.Phase != corev1.PodRunning || len(s.Conditions) > 0)
	}), s.Conditions...)
	return pod
}
