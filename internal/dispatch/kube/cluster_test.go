package kube

import (
	"context"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/kubetest"
	"github.com/odfix/odfix/internal/work"
)

// TestKubernetes runs tasks on a real control plane. Its node runs pods as processes. The worker has
// the rights of the chart's Role, and the namespaces enforce the Pod Security level restricted.
func TestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a control plane, which make test-all prepares")
	}
	p := newPlane(t)
	t.Run("conformance", func(t *testing.T) {
		dispatchtest.Conformance(t, func(t *testing.T, limits dispatchtest.Limits) dispatch.Dispatcher {
			l := p.lab(t, func(o *Options) { o.Env[envQuiet], o.Env[envGrace] = limits.Quiet.String(), limits.Grace.String() })
			l.work()
			return l
		})
	})
	t.Run("fates", p.fates)
	t.Run("no room", p.noRoom)
	t.Run("deadline", p.deadline)
	t.Run("cancelled while it waits", p.cancelled)
	t.Run("a drained node", p.drained)
	t.Run("a lost node", p.lostNode)
	t.Run("pods that go on without their task", p.silent)
	t.Run("another worker takes over", p.takenOver)
	t.Run("refused by the cluster", p.refused)
	t.Run("many tasks", func(t *testing.T) { p.many(t, 60) })
	t.Run("the API server is away", p.away) // last, since it disturbs everything
}

func (p *plane) fates(t *testing.T) {
	evicted := corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "Usage of EmptyDir volume \"work\" exceeds the limit \"2Gi\"."}
	for name, c := range map[string]struct {
		status     corev1.PodStatus
		code, says string
	}{
		"image":         {kubetest.Waiting("ImagePullBackOff", "no such image"), CodeImage, "no such image"},
		"image name":    {kubetest.Waiting("InvalidImageName", "bad name"), CodeImage, "bad name"},
		"configuration": {kubetest.Waiting("CreateContainerConfigError", "a secret is missing"), CodeWaiting, "a secret is missing"},
		"memory":        {kubetest.Failed("OOMKilled", 137, ""), dispatch.CodeGreedy, "memory"},
		"disk":          {evicted, CodeEvicted, "EmptyDir"},
		"status 3":      {kubetest.Failed("Error", 3, "panic: out of cheese"), dispatch.CodeDied, "out of cheese"},
	} {
		t.Run(name, func(t *testing.T) {
			l := p.lab(t, func(o *Options) { o.StartWithin = Duration(time.Second) })
			l.fateful(c.status)
			l.work()
			_, err := l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil)
			l.wantError(err, c.code, c.says)
		})
	}
}

func (p *plane) noRoom(t *testing.T) {
	l := p.lab(t, func(o *Options) {
		o.StartWithin, o.NodeSelector = Duration(time.Second), map[string]string{"pool": "none"}
	})
	l.work()
	_, err := l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil)
	l.wantError(err, CodeWaiting, "didn't match Pod's node affinity/selector")
	p.Await("the end of the Job", func(context.Context) bool { return len(l.jobs()) == 0 })
}

// deadline: Kubernetes ends a pod at the task's deadline, also without a worker.
func (p *plane) deadline(t *testing.T) {
	l := p.lab(t, nil)
	l.fateful(running())
	c := claim()
	c.Deadline = time.Now().Add(3 * time.Second)
	cl, err := newCluster(p.As(p.token), l.o)
	must(t, err)
	must(t, cl.start(t.Context(), c))
	must(t, cl.start(t.Context(), c)) // an answer was lost
	var j batchv1.Job
	p.Await("the deadline", func(context.Context) bool {
		j = l.jobs()[0]
		return judge(&j, nil, 0).ended
	})
	if e := judge(&j, nil, 0).err; e == nil || e.Code != dispatch.CodeOverdue {
		t.Errorf("error %+v", e)
	}
	got, err := cl.task(t.Context(), name(c))
	if err != nil || got.Token != c.Token || got.ID != c.ID {
		t.Errorf("task %+v, %v", got, err)
	}
	must(t, cl.remove(t.Context(), name(c)))
	must(t, cl.remove(t.Context(), name(c)))
	p.Await("the end of the Secret", func(ctx context.Context) bool {
		_, err := p.Client.CoreV1().Secrets(l.o.Namespace).Get(ctx, name(c), metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func (p *plane) cancelled(t *testing.T) {
	l := p.lab(t, func(o *Options) { o.NodeSelector = map[string]string{"pool": "none"} })
	l.work()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		l.p.Await("the Job", func(context.Context) bool { return len(l.jobs()) == 1 })
	}()
	_, err := l.Run(ctx, dispatchtest.Job(dispatchtest.Answers), nil)
	l.wantError(err, dispatch.CodeStopped, "")
	p.Await("the end of the Job", func(context.Context) bool { return len(l.jobs()) == 0 })
}

// drained: the pod of a drained node gives its task back, and another pod does it.
func (p *plane) drained(t *testing.T) {
	l := p.lab(t, nil)
	l.work()
	evict := func(pod corev1.Pod) {
		must(t, p.Client.CoreV1().Pods(pod.Namespace).EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}}))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	_, err := l.Run(ctx, dispatchtest.Job(dispatchtest.Stubborn), func(e job.Event) {
		if e.Message != dispatchtest.Ready {
			return
		}
		if seen++; seen == 1 {
			evict(l.runningPod())
		} else {
			cancel()
		}
	})
	l.wantError(err, dispatch.CodeStopped, "")
	if seen != 2 {
		t.Errorf("%d runners", seen)
	}
}

// lostNode: a node that is gone with its pods costs an attempt, not the task.
func (p *plane) lostNode(t *testing.T) {
	l := p.lab(t, func(o *Options) { o.NodeSelector = map[string]string{"kubernetes.io/hostname": "doomed"} })
	p.AddNode(t, "doomed")
	l.work()
	var report *job.Report
	var err error
	var done sync.WaitGroup
	done.Go(func() { report, err = l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil) })
	p.Await("a pod on the node", func(ctx context.Context) bool {
		list, err := p.Client.CoreV1().Pods(l.o.Namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 1 && list.Items[0].Spec.NodeName == "doomed"
	})
	must(t, p.Client.CoreV1().Nodes().Delete(t.Context(), "doomed", metav1.DeleteOptions{}))
	p.Await("another attempt", func(context.Context) bool { return len(l.jobs()) == 2 })
	p.AddNode(t, "doomed")
	(&kubetest.Node{Name: "doomed", Env: p.node.Env, Image: p.node.Image}).Run(t, p.Cluster)
	done.Wait()
	l.wantReport(report, err)
}

// silent: pods that run on after their worker was stopped are removed, also the last one, whose task
// has ended.
func (p *plane) silent(t *testing.T) {
	l := p.labOf(t, work.ServerOptions{Beat: time.Second, Poll: 50 * time.Millisecond, Silence: 5 * time.Second}, nil, nil)
	l.fateful(running(), running(), running())
	l.work()
	_, err := l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil)
	l.wantError(err, work.CodeLost, "")
	if all := l.jobs(); len(all) > 1 {
		t.Errorf("%d Jobs of one task", len(all))
	}
	p.Await("the end of the last Job", func(context.Context) bool { return len(l.jobs()) == 0 })
}

// takenOver: a worker that starts finds the Jobs of one that has ended, and reports them.
func (p *plane) takenOver(t *testing.T) {
	l := p.lab(t, nil)
	l.fateful(running())
	stop := l.work()
	var err error
	var done sync.WaitGroup
	done.Go(func() { _, err = l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil) })
	pod := l.runningPod()
	stop()
	l.work()
	pod.Status = kubetest.Failed("OOMKilled", 137, "")
	_, uerr := p.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(t.Context(), &pod, metav1.UpdateOptions{})
	must(t, uerr)
	done.Wait()
	l.wantError(err, dispatch.CodeGreedy, "")
}

// refused: what the cluster does not allow is said at once.
func (p *plane) refused(t *testing.T) {
	l := p.lab(t, func(o *Options) { o.RuntimeClass = "Not A Name" })
	l.work()
	_, err := l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil)
	l.wantError(err, CodeCluster, "runtimeClassName")
}

// away: tasks start and end although the API server is away in between.
func (p *plane) away(t *testing.T) {
	l := p.lab(t, nil)
	l.work()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	report, err := l.Run(ctx, dispatchtest.Job(dispatchtest.Stops), func(e job.Event) {
		if e.Message == dispatchtest.Ready {
			p.StopAPI()
			cancel() // the pod answers to the server without it
		}
	})
	if err != nil || report == nil {
		t.Errorf("report %+v, %v", report, err)
	}
	var done sync.WaitGroup
	done.Go(func() { report, err = l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil) })
	p.StartAPI()
	done.Wait()
	l.wantReport(report, err)
}
