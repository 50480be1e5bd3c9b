package kube

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"
	authv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/kubetest"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/store/storetest"
	"github.com/odfix/odfix/internal/work"
)

// plane is a control plane with one node.
type plane struct {
	*kubetest.Cluster
	token string // of the worker's service account
	role  *rbacv1.Role
	node  *kubetest.Node
	last  atomic.Int64

	mu    sync.Mutex
	fated map[string][]corev1.PodStatus // by namespace: what becomes of its next pods instead of a container
	// played are the namespaces whose pods are all played.
	played map[string]func(*corev1.Pod) *corev1.PodStatus
}

func newPlane(t testing.TB) *plane {
	p := &plane{Cluster: kubetest.Start(t), fated: map[string][]corev1.PodStatus{}, played: map[string]func(*corev1.Pod) *corev1.PodStatus{}}
	p.role = kubetest.All[*rbacv1.Role](kubetest.Render(t))[0]
	p.namespace(t, "odfix")
	_, err := p.Client.CoreV1().ServiceAccounts("odfix").Create(t.Context(), &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "odfix-worker"}}, metav1.CreateOptions{})
	must(t, err)
	token, err := p.Client.CoreV1().ServiceAccounts("odfix").CreateToken(t.Context(), "odfix-worker", &authv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, err)
	p.token = token.Status.Token
	p.node = p.join(t, "first")
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// join adds a node on which the test binary is odfix.
func (p *plane) join(t testing.TB, name string) *kubetest.Node {
	n := &kubetest.Node{Name: name, Env: []string{envPod + "=1"}, Fate: p.fate,
		Image: func(string) kubetest.Image { return kubetest.System(os.Args[0]) }}
	n.Join(t, p.Cluster)
	return n
}

// fate takes the next status that a test has prepared for a namespace.
func (p *plane) fate(pod *corev1.Pod) *corev1.PodStatus {
	p.mu.Lock()
	play := p.played[pod.Namespace]
	p.mu.Unlock()
	if play != nil {
		return play(pod)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.fated[pod.Namespace]
	if len(all) == 0 {
		return nil
	}
	p.fated[pod.Namespace] = all[1:]
	return &all[0]
}

func (p *plane) namespace(t testing.TB, name string) {
	t.Helper()
	_, err := p.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}, metav1.CreateOptions{})
	must(t, err)
	p.Await("the service account of pods", func(ctx context.Context) bool {
		_, err := p.Client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
}

// lab is a namespace for runners, and a server.
type lab struct {
	t      testing.TB
	p      *plane
	o      Options
	http   *httptest.Server
	server *work.Server
	store  *store.Store
}

const credential = "the workers' credential"

func (p *plane) lab(t testing.TB, change func(*Options)) *lab {
	t.Helper()
	return p.labOf(t, work.ServerOptions{Beat: time.Second, Poll: 50 * time.Millisecond}, nil, change)
}

// labOf is a lab with a server of its own. around may wrap the server's tasks.
func (p *plane) labOf(t testing.TB, o work.ServerOptions, around func(work.Tasks) work.Tasks, change func(*Options)) *lab {
	t.Helper()
	l := &lab{t: t, p: p, o: options()}
	l.o.Namespace = fmt.Sprintf("runners-%d", p.last.Add(1))
	l.o.Env = map[string]string{envQuiet: dispatchtest.NeverQuiet.String(), envGrace: dispatchtest.Grace.String()}
	l.o.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("1Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Gi")}
	p.namespace(t, l.o.Namespace)
	role := p.role.DeepCopy()
	role.Namespace = l.o.Namespace
	_, err := p.Client.RbacV1().Roles(role.Namespace).Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
	_, err = p.Client.RbacV1().RoleBindings(role.Namespace).Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "odfix-worker", Namespace: "odfix"}}}, metav1.CreateOptions{})
	must(t, err)
	o.Store, o.Silence, o.Source = storetest.Open(t, storetest.SQLite(t), store.Options{}), cmp.Or(o.Silence, 10*time.Minute), sources
	l.server, l.store = work.NewServer(o), o.Store
	var tasks work.Tasks = l.server
	if around != nil {
		tasks = around(tasks)
	}
	l.http = httptest.NewServer(work.NewHandler(work.HandlerOptions{Tasks: tasks, Tokens: func() []string { return []string{credential} }}))
	t.Cleanup(l.http.Close)
	l.o.Server = l.http.URL
	if change != nil {
		change(&l.o)
	}
	return l
}

// sources are an archive as GitHub makes them.
func sources(_ context.Context, _ int64, _ job.Source, w io.Writer) error {
	z := gzip.NewWriter(w)
	a := tar.NewWriter(z)
	text := "<project/>"
	err := a.WriteHeader(&tar.Header{Name: "owner-name-abc/pom.xml", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = io.WriteString(a, text)
	}
	return errors.Join(err, a.Close(), z.Close())
}

// work starts a worker with the rights of the chart's role. It ends with the test, or before.
func (l *lab) work() (stop func()) {
	l.t.Helper()
	client, err := work.NewClient(l.http.URL, func() (string, error) { return credential, nil })
	must(l.t, err)
	w, err := NewWorker(client, l.p.As(l.p.token), l.o)
	must(l.t, err)
	w.Runners, w.Log = 4, zaptest.NewLogger(l.t)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := w.Run(ctx); err != nil {
			l.t.Error(err)
		}
	})
	stop = func() { cancel(); done.Wait() }
	l.t.Cleanup(stop)
	return stop
}

// Run implements dispatch.Dispatcher: the job's folder is a commit's.
func (l *lab) Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error) {
	dir := j.Dir
	j.Dir, j.Source = ".", job.Source{Repository: 1, Owner: "owner", Name: "name", SHA: "abc"}
	report, err := l.server.Run(ctx, j, on)
	if report != nil && report.Project.Dir == "." {
		report.Project.Dir = dir
	}
	return report, err
}

// fateful prepares what becomes of the namespace's next pods.
func (l *lab) fateful(all ...corev1.PodStatus) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.p.fated[l.o.Namespace] = all
}

func (l *lab) wantError(err error, code, says string) {
	l.t.Helper()
	if e, ok := errors.AsType[*job.Error](err); !ok || e.Code != code || !strings.Contains(e.Message+e.Detail, says) {
		l.t.Errorf("want error %s with %q, got %+v", code, says, err)
	}
}

func (l *lab) wantReport(r *job.Report, err error) {
	l.t.Helper()
	if err != nil || r == nil || !r.Finished {
		l.t.Errorf("want a report, got %+v, %v", r, err)
	}
}

func (l *lab) jobs() []batchv1.Job {
	l.t.Helper()
	list, err := l.p.Client.BatchV1().Jobs(l.o.Namespace).List(l.t.Context(), metav1.ListOptions{})
	must(l.t, err)
	return list.Items
}

// runningPod waits for the namespace's only pod to run.
func (l *lab) runningPod() corev1.Pod {
	l.t.Helper()
	var pod corev1.Pod
	l.p.Await("a running pod", func(ctx context.Context) bool {
		list, err := l.p.Client.CoreV1().Pods(l.o.Namespace).List(ctx, metav1.ListOptions{})
		for _, pod = range list.Items {
			if err == nil && pod.Status.Phase == corev1.PodRunning {
				return true
			}
		}
		return false
	})
	return pod
}

// running is the status of a pod that does nothing.
func running() corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: container, Ready: true,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}
}
