package kube

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/work"
)

func TestJudge(t *testing.T) {
	job := func(kind batchv1.JobConditionType, reason string) *batchv1.Job {
		return &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: kind, Status: corev1.ConditionTrue, Reason: reason}}}}
	}
	failed := job(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded)
	terminated := func(reason string, code int32) *corev1.Pod {
		return pod(corev1.PodFailed, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code, Message: "last words"}})
	}
	waits := func(reason string) *corev1.Pod {
		return pod(corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "last words"}})
	}
	evicted := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "Usage of EmptyDir volume exceeds the limit"}}
	moved := terminated("Error", 143)
	moved.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Message: "node drained"}}
	homeless := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available"}}}}
	const within = 10 * time.Minute
	for name, c := range map[string]struct {
		job    *batchv1.Job
		pod    *corev1.Pod
		ended  bool
		code   string // of the error, now or later; empty: none
		within time.Duration
		says   string
	}{
		"complete":        {job: job(batchv1.JobComplete, ""), ended: true},
		"runs":            {job: &batchv1.Job{}, pod: pod(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})},
		"deadline":        {job: job(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded), ended: true, code: dispatch.CodeOverdue, says: "deadline"},
		"fails early":     {job: job(batchv1.JobFailureTarget, batchv1.JobReasonBackoffLimitExceeded), pod: terminated("Error", 3), ended: true, code: dispatch.CodeDied, says: "status 3"},
		"memory":          {job: failed, pod: terminated("OOMKilled", 137), ended: true, code: dispatch.CodeGreedy, says: "memory"},
		"evicted":         {job: failed, pod: evicted, ended: true, code: CodeEvicted, says: "disk"},
		"moved":           {job: failed, pod: moved, ended: true, code: work.CodeStopping, says: "moved away"},
		"deleted":         {job: failed, ended: true, code: work.CodeStopping, says: "deleted"},
		"no status":       {job: failed, pod: &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed}}, ended: true, code: work.CodeStopping, says: "failed"},
		"no pod":          {job: &batchv1.Job{}, code: CodeWaiting, within: within, says: "no pod"},
		"no room":         {job: &batchv1.Job{}, pod: homeless, code: CodeWaiting, within: within, says: "room"},
		"image":           {job: &batchv1.Job{}, pod: waits("ImagePullBackOff"), code: CodeImage, within: pullWithin, says: "test/runner"},
		"impossible name": {job: &batchv1.Job{}, pod: waits("InvalidImageName"), ended: true, code: CodeImage, says: "test/runner"},
		"no secret":       {job: &batchv1.Job{}, pod: waits("CreateContainerConfigError"), code: CodeWaiting, within: within, says: "CreateContainerConfigError"},
		"creating":        {job: &batchv1.Job{}, pod: waits("ContainerCreating"), code: CodeWaiting, within: within, says: "does not start"},
	} {
		t.Run(name, func(t *testing.T) {
			s := judge(c.job, c.pod, within)
			if s.ended != c.ended || s.patience != c.within {
				t.Errorf("ended %v, patience %s; want %v, %s", s.ended, s.patience, c.ended, c.within)
			}
			e := s.err
			if s.patience > 0 {
				e = s.late
			}
			switch {
			case e == nil && c.code != "":
				t.Errorf("no error; want %s", c.code)
			case e != nil && (e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Hint == ""):
				t.Errorf("error %+v; want %s with %q", e, c.code, c.says)
			}
		})
	}
}

func pod(phase corev1.PodPhase, s corev1.ContainerState) *corev1.Pod {
	return &corev1.Pod{Status: corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: container, Image: "test/runner", State: s}}}}
}

// TestNewest: after a pod was moved away, the last one counts.
func TestNewest(t *testing.T) {
	at := func(name string, minute int) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(int64(60*minute), 0))}}
	}
	if got := newest([]*corev1.Pod{at("b", 2), at("a", 3), at("c", 1)}); got.Name != "a" {
		t.Errorf("newest is %s", got.Name)
	}
	if newest(nil) != nil {
		t.Error("a pod out of nothing")
	}
}

// TestAttackEvictedPods: a pod that used more disk than its limit or its request is not offered
// again, also if it has the condition of pods that were moved. If the kubelet says nothing like that,
// it is: another pod may have used up the node. The messages are those of the kubelet.
func TestAttackEvictedPods(t *testing.T) {
	failed := batchv1.JobCondition{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}
	const (
		disk   = "The node was low on resource: ephemeral-storage. Threshold quantity: 10738640000, available: 9Gi. "
		memory = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 91Mi. "
		runner = "Container runner was using 5Gi, request is 4Gi, has larger consumption of ephemeral-storage. "
		other  = "Container mesh was using 2Gi, request is 1Gi, has larger consumption of ephemeral-storage. "
	)
	for message, want := range map[string]string{
		"Pod ephemeral local storage usage exceeds the total limit of containers 12Gi. ": CodeEvicted,
		`Container runner exceeded its local ephemeral storage limit "12Gi". `:           CodeEvicted,
		`Usage of EmptyDir volume "work" exceeds the limit "8Gi". `:                      CodeEvicted,
		disk + runner:         CodeEvicted,
		disk + other + runner: CodeEvicted,
		disk + "Container runner was using 5Gi, which exceeds its request of 4Gi. ": CodeEvicted, // of older kubelets

		disk: work.CodeStopping,
		"The node was low on resource: ephemeral-storage. ": work.CodeStopping,
		disk + other: work.CodeStopping,
		"The node was low on resource: inodes. Threshold quantity: 48826, available: 48000. ": work.CodeStopping,
		memory: work.CodeStopping,
		memory + "Container runner was using 3Gi, request is 2Gi, has larger consumption of memory. ":      work.CodeStopping,
		memory + "Pod ephemeral-storage was using 3Gi, request is 2Gi, has larger consumption of memory. ": work.CodeStopping,
		"The node was low on resource: pids. Threshold quantity: 3276, available: 3000. ":                  work.CodeStopping,
		"The node had condition: [DiskPressure]. ":                                                         work.CodeStopping,
		"Pod was rejected: The node had condition: [DiskPressure]. ":                                       work.CodeStopping,
		"": work.CodeStopping,
	} {
		for _, conditions := range [][]corev1.PodCondition{nil, {{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "TerminationByKubelet"}}} {
			p := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: message, Conditions: conditions}}
			if e := failure(failed, p); e.Code != want || e.Detail != message || e.Hint == "" {
				t.Errorf("%q: %+v", message, e)
			}
		}
	}
}
