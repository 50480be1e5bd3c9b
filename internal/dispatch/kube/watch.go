package kube

import (
	"cmp"
	"context"
	"slices"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// watched holds the Jobs and pods of all tasks, from one watch of each kind. It survives an API
// server that is away for a while.
type watched struct {
	jobs, pods cache.SharedIndexInformer

	change chan struct{} // holds a value after a change of anything

	mu sync.Mutex
	// followers are the channels of the goroutines that follow a Job, by its name. They hold a value
	// after a change.
	followers map[string]chan struct{}
	follow    func(name string, changes <-chan struct{}) // starts a goroutine; set before run
}

const byJob = "job"

func newWatched(jobs *jobClient, pods *podClient) *watched {
	w := &watched{change: make(chan struct{}, 1), followers: map[string]chan struct{}{}}
	w.jobs = cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return jobs.List(ctx, ours(o))
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return jobs.Watch(ctx, ours(o))
		},
	}, &batchv1.Job{}, 0, nil)
	w.pods = cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return pods.List(ctx, ours(o))
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return pods.Watch(ctx, ours(o))
		},
	}, &corev1.Pod{}, 0, cache.Indexers{byJob: func(obj any) ([]string, error) { return []string{jobOf(obj)}, nil }})
	// Handlers can be added as long as the informers have not ended.
	_, _ = w.jobs.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: w.appeared, UpdateFunc: func(_, obj any) { w.changed(obj) }, DeleteFunc: w.left})
	_, _ = w.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: w.changed, UpdateFunc: func(_, obj any) { w.changed(obj) }, DeleteFunc: w.changed})
	return w
}

// ours limits a list to the objects of runners.
func ours(o metav1.ListOptions) metav1.ListOptions {
	o.LabelSelector = selector
	return o
}

// run watches until ctx ends.
func (w *watched) run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { w.jobs.RunWithContext(ctx) })
	both.Go(func() { w.pods.RunWithContext(ctx) })
	both.Wait()
}

// jobOf is the name of the Job that an object is, or belongs to.
func jobOf(obj any) string {
	if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	switch o := obj.(type) {
	case *batchv1.Job:
		return o.Name
	case *corev1.Pod:
		return o.Labels[batchv1.JobNameLabel]
	}
	return ""
}

// appeared starts to follow a Job, also one that failed while no worker ran.
func (w *watched) appeared(obj any) {
	j, ok := obj.(*batchv1.Job)
	if !ok {
		return
	}
	w.mu.Lock()
	if w.followers[j.Name] == nil {
		c := make(chan struct{}, 1)
		w.followers[j.Name] = c
		w.follow(j.Name, c)
	}
	w.mu.Unlock()
	w.changed(obj)
}

// left ends the record of a Job.
func (w *watched) left(obj any) {
	w.changed(obj)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.followers, jobOf(obj))
}

func (w *watched) changed(obj any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range []chan struct{}{w.change, w.followers[jobOf(obj)]} {
		select {
		case c <- struct{}{}:
		default: // also without a follower
		}
	}
}

// attempt is what the watch knows about the Job of a task's attempt.
type attempt struct {
	job *batchv1.Job
	pod *corev1.Pod // the last one; nil: none
}

// look returns nil if the watch does not have the Job.
func (w *watched) look(namespace, name string) *attempt {
	obj, found, err := w.jobs.GetIndexer().GetByKey(namespace + "/" + name)
	j, ok := obj.(*batchv1.Job)
	if err != nil || !found || !ok {
		return nil
	}
	list, _ := w.pods.GetIndexer().ByIndex(byJob, name) // the index exists
	var pods []*corev1.Pod
	for _, p := range list {
		pods = append(pods, p.(*corev1.Pod))
	}
	return &attempt{j, newest(pods)}
}

// newest is the pod that was created last; nil: there is none.
func newest(pods []*corev1.Pod) *corev1.Pod {
	if len(pods) == 0 {
		return nil
	}
	return slices.MaxFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
}

// others are the names of a task's Jobs that have not ended, without one of them.
func (w *watched) others(task, but string) (names []string) {
	for _, obj := range w.jobs.GetIndexer().List() {
		if j, ok := obj.(*batchv1.Job); ok && j.Annotations[noteTask] == task && j.Name != but && !judge(j, nil, 0).ended {
			names = append(names, j.Name)
		}
	}
	return names
}

// active counts the Jobs that have not ended.
func (w *watched) active() int {
	n := 0
	for _, obj := range w.jobs.GetIndexer().List() {
		if j, ok := obj.(*batchv1.Job); ok && !judge(j, nil, 0).ended {
			n++
		}
	}
	return n
}
