package kube

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/odfix/odfix/internal/work"
)

// answer is what odfix's server, or a proxy before it, says about a task.
type answer struct {
	status int
	text   string // of the error; empty: a page that is not odfix's
}

var (
	hasTask  = answer{http.StatusNoContent, ""}
	noTask   = answer{http.StatusUnauthorized, "no"}
	hasEnded = answer{http.StatusGone, "no"}
)

// rig is a worker without a control plane: the watch has what a test puts into it, and the API server
// knows Secrets and deletes Jobs.
type rig struct {
	*Worker
	t       *testing.T
	changes chan struct{}

	mu       sync.Mutex
	requests []string // to odfix's server
	answers  []answer // the last one counts for all further requests
	asked    func(n int)
	secrets  map[string]*corev1.Secret
	deleted  []string
}

func newRig(t *testing.T, answers ...answer) *rig {
	t.Helper()
	r := &rig{t: t, changes: make(chan struct{}, 1), answers: answers, asked: func(int) {}, secrets: map[string]*corev1.Secret{}}
	api, server := httptest.NewServer(http.HandlerFunc(r.api)), httptest.NewServer(http.HandlerFunc(r.server))
	t.Cleanup(api.Close)
	t.Cleanup(server.Close)
	client, err := work.NewClient(server.URL, nil)
	must(t, err)
	r.Worker, err = NewWorker(client, &rest.Config{Host: api.URL}, options())
	must(t, err)
	return r
}

func (r *rig) server(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q.Method+" "+q.URL.Path)
	a := r.answers[min(len(r.requests), len(r.answers))-1]
	r.asked(len(r.requests))
	w.WriteHeader(a.status)
	if a.text != "" {
		_ = json.NewEncoder(w).Encode(work.Problem{Error: a.text})
	}
}

func (r *rig) api(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := path.Base(q.URL.Path)
	var body any = apierrors.NewNotFound(schema.GroupResource{Resource: "jobs"}, name).Status()
	status := http.StatusNotFound
	switch {
	case q.Method == http.MethodGet && r.secrets[name] != nil:
		status, body = http.StatusOK, r.secrets[name]
	case q.Method == http.MethodDelete && strings.HasSuffix(path.Dir(q.URL.Path), "/jobs") && !slices.Contains(r.deleted, name):
		r.deleted = append(r.deleted, name)
		status, body = http.StatusOK, metav1.Status{Status: metav1.StatusSuccess}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// runs puts a Job of a task and its running pod into the watch.
func (r *rig) runs(c work.Claim, conditions ...batchv1.JobCondition) string {
	r.t.Helper()
	j := r.cluster.job(c, c.Deadline)
	j.TypeMeta, j.Status.Conditions = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, conditions
	s, err := secret(c, j)
	must(r.t, err)
	s.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}
	r.secrets[j.Name] = s
	p := &corev1.Pod{Status: running(),
		ObjectMeta: metav1.ObjectMeta{Name: j.Name, Namespace: j.Namespace, Labels: map[string]string{batchv1.JobNameLabel: j.Name}}}
	must(r.t, r.cluster.seen.jobs.GetIndexer().Add(j))
	must(r.t, r.cluster.seen.pods.GetIndexer().Add(p))
	return j.Name
}

var complete = batchv1.JobCondition{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}

// TestAttackPodWithoutItsTask: tests that stop the worker in their pod do not keep the pod when the
// task was offered again or has ended. Only the server's clear answers count.
func TestAttackPodWithoutItsTask(t *testing.T) {
	away, page := answer{http.StatusBadGateway, ""}, answer{http.StatusUnauthorized, ""}
	busy, broken := answer{http.StatusTooManyRequests, "busy"}, answer{http.StatusInternalServerError, "a problem"}
	refused := answer{http.StatusBadRequest, "no"}
	older := answer{http.StatusNotFound, ""} // a server that does not know the request
	for name, c := range map[string]struct {
		answers []answer
		after   int // beats; 0: never
	}{
		"has its task":     {[]answer{hasTask}, 0},
		"offered again":    {[]answer{noTask}, refusals},
		"has ended":        {[]answer{hasEnded}, refusals},
		"lost, then ended": {[]answer{noTask, hasEnded, hasEnded}, refusals},
		"has it after all": {[]answer{noTask, noTask, hasTask, noTask, noTask, hasTask}, 0},
		"a busy server":    {[]answer{noTask, busy, noTask, busy, noTask}, refusals + 2},
		"only busy":        {[]answer{busy}, 0},
		"server away":      {[]answer{noTask, noTask, away}, 0},
		"broken server":    {[]answer{broken}, 0},
		"a proxy's page":   {[]answer{page}, 0},
		"refused":          {[]answer{refused}, 0},
		"older server":     {[]answer{older}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.answers...)
			f := &follower{w: r.Worker, log: r.Log, task: claim()}
			after := 0
			for beat := 1; beat <= 10 && after == 0; beat++ {
				if f.disowned(t.Context()) {
					after = beat
				}
			}
			if after != c.after {
				t.Errorf("removed after %d beats, want %d", after, c.after)
			}
			for _, q := range r.requests {
				if q != "GET /work/v1/tasks/task-1" {
					t.Errorf("request %s is a sign of life", q)
				}
			}
		})
	}
}

// TestFollowWithoutTheTask: the Job is removed, and nothing is reported about the task. A Job that ends
// well meanwhile stays for people.
func TestFollowWithoutTheTask(t *testing.T) {
	for name, ends := range map[string]bool{"runs on": false, "ends well": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, hasTask, hasEnded)
			c := claim()
			c.Beat = 1
			job := r.runs(c)
			r.asked = func(n int) {
				if ends && n == refusals { // the last but one, since the first request was answered otherwise
					r.runs(c, complete)
					r.changes <- struct{}{}
				}
			}
			r.follow(t.Context(), job, r.changes)
			want := []string{job}
			if ends {
				want = nil
			}
			if !slices.Equal(r.deleted, want) || slices.ContainsFunc(r.requests, func(q string) bool { return !strings.HasPrefix(q, "GET ") }) {
				t.Errorf("deleted %v, want %v; requests %v", r.deleted, want, r.requests)
			}
		})
	}
}

// TestAttackPodsOfOneTask: a task's next attempt ends the pods of those before it, so that one task
// has one pod. An attempt that does not have the task any more ends none.
func TestAttackPodsOfOneTask(t *testing.T) {
	for name, c := range map[string]struct {
		answer  answer
		removes bool
	}{
		"has the task": {hasTask, true},
		"too late":     {noTask, false},
		"server away":  {answer{http.StatusBadGateway, ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.answer)
			of := func(id, token string) work.Claim {
				c := claim()
				c.ID, c.Token = id, token
				return c
			}
			now := of("task-1", "now")
			r.runs(now)
			r.runs(of("task-1", "ended"), complete)
			r.runs(of("task-2", "another task"))
			var want []string
			for _, token := range []string{"first", "second"} {
				if job := r.runs(of("task-1", token)); c.removes {
					want = append(want, job)
				}
			}
			for range 2 { // another worker may have been faster
				r.replace(t.Context(), r.Log, now)
			}
			slices.Sort(want)
			if slices.Sort(r.deleted); !slices.Equal(r.deleted, want) {
				t.Errorf("deleted %v, want %v", r.deleted, want)
			}
		})
	}
}
