package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/kubetest"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/work"
)

// crowd is many tasks of several installations, which wait when the worker comes. Its pods are played:
// each answers when enough other tasks have been claimed after its own.
type crowd struct {
	*lab
	work.Tasks
	tasks int

	mu      sync.Mutex
	change  *sync.Cond     // of claimed
	claimed []*work.Claim  // in their order
	pods    map[string]int // by task
}

const (
	installations = 4
	atOnce        = 40 // pods
	held          = 8  // tasks that have not answered, at least
)

// installationOf is the installation of one of many tasks. The first one has most of them, and queues
// them before the others. The last one has one of a hundred.
func installationOf(n, all int) int64 {
	switch left := all - n; {
	case left <= max(all/100, 2):
		return installations
	case left <= max(all/20, 4):
		return 3
	case left <= all/5:
		return 2
	}
	return 1
}

// Claim implements work.Tasks.
func (c *crowd) Claim(ctx context.Context, worker string, wait time.Duration) (*work.Claim, error) {
	t, err := c.Tasks.Claim(ctx, worker, wait)
	if t != nil {
		c.mu.Lock()
		c.claimed = append(c.claimed, t)
		c.mu.Unlock()
		c.change.Broadcast()
	}
	return t, err
}

// play answers the server as the pod of a task would.
func (c *crowd) play(pod *corev1.Pod) *corev1.PodStatus {
	failed := func(err error) *corev1.PodStatus {
		c.t.Error(err)
		s := kubetest.Failed("Error", 1, err.Error())
		return &s
	}
	tasks, err := newCluster(c.p.As(c.p.token), c.o)
	if err != nil {
		return failed(err)
	}
	var t work.Claim
	c.p.Await("the Secret", func(ctx context.Context) bool {
		t, err = tasks.task(ctx, pod.Labels[batchv1.JobNameLabel])
		return err == nil
	})
	c.runs(t.ID)
	client, err := work.NewClient(c.http.URL, nil)
	if err == nil {
		_, err = client.Task(t).Send(context.Background(), work.Message{Report: &job.Report{Version: job.Version, Tool: "played", Finished: true}})
	}
	if err != nil {
		return failed(err)
	}
	s := kubetest.Succeeded()
	return &s
}

// runs counts a task's pod, and waits until it may answer.
func (c *crowd) runs(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pods[id]++
	at := slices.IndexFunc(c.claimed, func(t *work.Claim) bool { return t.ID == id })
	for len(c.claimed) < min(at+held, c.tasks) {
		c.change.Wait()
	}
}

// many queues tasks and checks that each of them runs once, and that no installation waits for the
// tasks of another.
func (p *plane) many(t testing.TB, tasks int) (c *crowd, mebibytes int) {
	c = &crowd{tasks: tasks, pods: map[string]int{}}
	c.change = sync.NewCond(&c.mu)
	c.lab = p.labOf(t, work.ServerOptions{Poll: 10 * time.Second}, func(tasks work.Tasks) work.Tasks { c.Tasks = tasks; return c }, nil)
	p.mu.Lock()
	p.played[c.o.Namespace] = c.play
	p.mu.Unlock()
	var all sync.WaitGroup
	for n := range tasks {
		j := dispatchtest.Job(dispatchtest.Answers)
		j.Key, j.Installation = fmt.Sprint("task ", n), installationOf(n, tasks)
		all.Go(func() {
			report, err := c.Run(t.Context(), j, nil)
			c.wantReport(report, err)
		})
		if n+1 == tasks || installationOf(n+1, tasks) != j.Installation {
			c.waits(n + 1)
		}
	}
	worker := c.worker(atOnce)
	all.Wait()
	mebibytes = peak(t, worker.Process.Pid)
	if len(c.pods) != tasks || len(c.claimed) != tasks {
		t.Errorf("%d tasks: %d claims, %d tasks in pods", tasks, len(c.claimed), len(c.pods))
	}
	for id, n := range c.pods {
		if n != 1 {
			t.Errorf("task %s had %d pods", id, n)
		}
	}
	for i, position := range c.last(t) {
		// Each claim goes to the installation with the fewest running tasks. So the others have at most
		// as many claims each; the rest is for pods that end at different times.
		if fair := installations*c.count(i) + 2*held; position > fair {
			t.Errorf("installation %d has its last task at position %d, want at most %d", i, position, fair)
		}
	}
	return c, mebibytes
}

// waits waits until this many tasks are queued.
func (c *crowd) waits(n int) {
	c.t.Helper()
	c.p.Await("the tasks", func(ctx context.Context) bool {
		counts, err := store.Read(ctx, c.store, (*store.Tx).TaskCounts)
		return err == nil && counts[store.TaskWaiting] == int64(n)
	})
}

func (c *crowd) count(installation int64) (n int) {
	for _, t := range c.claimed {
		if t.Installation == installation {
			n++
		}
	}
	return n
}

// last are the positions of the installations' last tasks in the order of claims, from 1.
func (c *crowd) last(t testing.TB) map[int64]int {
	out := map[int64]int{}
	for n, claim := range c.claimed {
		out[claim.Installation] = n + 1
	}
	if len(out) != installations {
		t.Errorf("the installations are %v", out)
	}
	return out
}

// worker starts a worker in a process of its own, which ends with the test.
func (l *lab) worker(runners int) *exec.Cmd {
	l.t.Helper()
	text, err := json.Marshal(workerFile{Options: l.o, Server: l.http.URL, API: l.p.Config.Host, CA: l.p.Config.CAFile,
		Token: l.p.token, Runners: runners})
	must(l.t, err)
	file := filepath.Join(l.t.TempDir(), "worker.json")
	must(l.t, os.WriteFile(file, text, 0o600))
	cmd := exec.Command(os.Args[0])
	log := &child.Tail{Size: 8 << 10}
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), envWorker+"="+file), log, log
	must(l.t, child.Start(cmd))
	l.t.Cleanup(func() {
		kubetest.Stop(cmd)
		if l.t.Failed() {
			l.t.Log("the worker: ", log)
		}
	})
	return cmd
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most memory that a process has had, in MiB; 0 where the system does not say it.
func peak(t testing.TB, pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if m := highWater.FindSubmatch(text); err == nil && m != nil {
		kib, err := strconv.Atoi(string(m[1]))
		must(t, err)
		return kib >> 10
	}
	return 0
}

// BenchmarkThousandTasks has 1,000 tasks run by one worker. Run it with -benchtime 1x.
func BenchmarkThousandTasks(b *testing.B) {
	p := newPlane(b)
	for b.Loop() {
		begun := time.Now()
		c, mebibytes := p.many(b, 1000)
		last := c.last(b)
		b.ReportMetric(float64(mebibytes), "MiB-of-worker")
		b.ReportMetric(float64(peak(b, os.Getpid())), "MiB-of-server-and-node")
		b.ReportMetric(float64(last[installations]), "position-of-last-of-10")
		b.ReportMetric(float64(last[3]), "position-of-last-of-40")
		b.ReportMetric(1000/time.Since(begun).Seconds(), "tasks/s")
		if most := 256; mebibytes > most {
			b.Errorf("the worker needs %d MiB; the chart allows %d", mebibytes, most)
		}
	}
}
