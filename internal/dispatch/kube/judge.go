package kube

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/work"
)

// pullWithin is how long an image may fail to be pulled before its task fails: a registry can be away
// for a moment.
const pullWithin = 2 * time.Minute

// state is what the cluster says of a task.
type state struct {
	ended bool
	err   *job.Error // why there is no report; nil: the pod has ended well
	// patience bounds how long this state may last; zero: until the deadline. Then late is the error.
	patience time.Duration
	late     *job.Error
}

// judge reads the state of a task from its Job and its last pod, which may be nil.
func judge(j *batchv1.Job, pod *corev1.Pod, startWithin time.Duration) state {
	for _, c := range j.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete, batchv1.JobSuccessCriteriaMet:
			return state{ended: true}
		case batchv1.JobFailed, batchv1.JobFailureTarget:
			return state{ended: true, err: failure(c, pod)}
		}
	}
	switch {
	case pod == nil:
		return state{patience: startWithin, late: waiting("the cluster created no pod",
			"a quota or an admission policy may forbid it: see `kubectl describe job "+j.Name+"`")}
	case pod.Status.Phase == corev1.PodPending:
		return pending(pod, startWithin)
	}
	return state{}
}

// failure says why a Job failed. pod may be nil.
func failure(c batchv1.JobCondition, pod *corev1.Pod) *job.Error {
	if c.Reason == batchv1.JobReasonDeadlineExceeded {
		return overdue()
	}
	if pod == nil {
		return gone("the runner's pod was deleted")
	}
	if e := evicted(pod); e != nil { // first: such a pod can have the condition, too
		return e
	}
	for _, p := range pod.Status.Conditions {
		if p.Type == corev1.DisruptionTarget && p.Status == corev1.ConditionTrue {
			e := gone("the runner's pod was moved away from its node")
			e.Detail = p.Message
			return e
		}
	}
	if pod.Status.Reason == "DeadlineExceeded" {
		return overdue()
	}
	return exit(pod)
}

// What the kubelet says when it evicts a pod: see evictionMessage in pkg/kubelet/eviction of
// Kubernetes. beyondRequest can follow lowOn; it is about logs and the root file system. The others
// begin a message.
const (
	lowOn           = "The node was low on resource: "
	beyondRequest   = "Container " + container + " was using "
	beyondVolume    = "Usage of EmptyDir volume "
	beyondPod       = "Pod ephemeral local storage usage exceeds the total limit of containers "
	beyondContainer = "Container " + container + " exceeded its local ephemeral storage limit "
)

// evicted is why the kubelet has evicted or refused a pod; nil: it has not. A pod that used more disk
// than its limit or its request, as the kubelet says, would do so on the next node, too. Otherwise
// others may have filled the node, and the task is offered again.
func evicted(pod *corev1.Pod) *job.Error {
	if pod.Status.Reason != "Evicted" {
		return nil
	}
	says := pod.Status.Message
	what, node := strings.CutPrefix(says, lowOn)
	disk := strings.HasPrefix(what, string(corev1.ResourceEphemeralStorage))
	const more = "the operator of odfix can give the nodes more disk, or raise the request of ephemeral-storage in the chart"
	var e *job.Error
	switch {
	case strings.HasPrefix(says, beyondVolume), strings.HasPrefix(says, beyondPod), strings.HasPrefix(says, beyondContainer):
		e = &job.Error{Code: CodeEvicted, Message: "the runner used more disk than a pod may, and was evicted",
			Hint: "the operator of odfix can allow more: runner.disk and the limit of ephemeral-storage in the chart"}
	case node && disk && strings.Contains(what, beyondRequest):
		e = &job.Error{Code: CodeEvicted, Hint: more,
			Message: "the runner's node had no disk left, and the runner used more than its request"}
	case node && (disk || strings.HasPrefix(what, "inodes")):
		e = gone("the runner's node had no disk left, and the runner was evicted")
		e.Hint = more
	case node:
		e = gone("the runner's node had too little memory or too many processes, and the runner was evicted")
	default: // such as one that was refused: "The node had condition: [DiskPressure]. "
		e = gone("the runner's node evicted the runner, or refused it")
	}
	e.Detail = says
	return e
}

// exit says how the container of a failed pod ended.
func exit(pod *corev1.Pod) *job.Error {
	for _, s := range pod.Status.ContainerStatuses {
		ended := s.State.Terminated
		switch {
		case s.Name != container || ended == nil:
		case ended.Reason == "OOMKilled":
			return &job.Error{Code: dispatch.CodeGreedy, Message: "the build or its tests used more memory than a pod may",
				Hint: "the operator of odfix can allow more: runner.resources.limits.memory in the chart", Detail: ended.Message}
		default:
			return &job.Error{Code: dispatch.CodeDied, Message: fmt.Sprintf("the runner's pod ended with status %d and left no report", ended.ExitCode),
				Hint: "if the detail does not explain it, please report it as a defect of odfix", Detail: ended.Message}
		}
	}
	e := gone("the runner's pod failed before its end was known")
	e.Detail = pod.Status.Message
	return e
}

// pending says what a pod waits for, and for how long it may.
func pending(pod *corev1.Pod, startWithin time.Duration) state {
	for _, s := range pod.Status.ContainerStatuses {
		w := s.State.Waiting
		if w == nil {
			continue
		}
		image := &job.Error{Code: CodeImage, Message: "the image of the runner cannot be pulled: " + s.Image,
			Hint: "the operator of odfix sets it with runner.image in the chart, and access with runner.imagePullSecrets", Detail: w.Message}
		switch w.Reason {
		case "InvalidImageName", "ErrImageNeverPull":
			return state{ended: true, err: image}
		case "ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable":
			return state{patience: min(pullWithin, startWithin), late: image}
		case "ContainerCreating", "PodInitializing":
		default:
			e := waiting("the container of the runner does not start ("+w.Reason+")", "see `kubectl describe pod "+pod.Name+"`")
			e.Detail = w.Message
			return state{patience: startWithin, late: e}
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			e := waiting("no node of the cluster has room for the runner",
				"the operator of odfix can add nodes, or lower runner.resources.requests in the chart")
			e.Detail = c.Message
			return state{patience: startWithin, late: e}
		}
	}
	return state{patience: startWithin, late: waiting("the runner's pod does not start", "see `kubectl describe pod "+pod.Name+"`")}
}

func waiting(message, hint string) *job.Error {
	return &job.Error{Code: CodeWaiting, Message: message, Hint: hint}
}

// gone is the error of a pod that ended for a reason that has nothing to do with its task. The server
// offers the task again.
func gone(message string) *job.Error {
	return &job.Error{Code: work.CodeStopping, Message: message, Hint: "`/odfix retry` asks again"}
}

func overdue() *job.Error {
	return &job.Error{Code: dispatch.CodeOverdue, Message: "the runner did not answer before its deadline, and was ended",
		Hint: "budgets.job-minutes in .odfix.yml gives it more time"}
}
