package kube

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/work"
)

// start creates the Job of a task and the Secret with its token. While the API server is away, it
// tries again until ctx or the task ends. Its errors are of type *job.Error.
//
// The Job comes first, so that the Secret is never without an owner that removes it. A pod waits for
// its Secret.
func (c *cluster) start(ctx context.Context, t work.Claim) error {
	ctx, cancel := context.WithDeadline(ctx, t.Deadline)
	defer cancel()
	var owner *batchv1.Job
	err := insist(ctx, "the runner's Job cannot be created", func(ctx context.Context) (err error) {
		owner, err = c.jobs.Create(ctx, c.job(t, time.Now()), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) { // an answer was lost
			owner, err = c.jobs.Get(ctx, name(t), metav1.GetOptions{})
		}
		return err
	})
	if err != nil {
		return err
	}
	s, err := secret(c.forPod(t), owner)
	if err == nil {
		err = insist(ctx, "the runner's Secret cannot be created", func(ctx context.Context) error {
			_, err := c.secrets.Create(ctx, s, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
	}
	return err
}

// remove deletes a Job with its pod and Secret. The pod gets the time Stop to end.
func (c *cluster) remove(ctx context.Context, name string) error {
	return insist(ctx, "the runner's Job cannot be deleted", func(ctx context.Context) error {
		err := c.jobs.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// task reads the task of a Job, without the work.Claim's Job, from its Secret. At a worker's start,
// all tasks are read, one at a time.
func (c *cluster) task(ctx context.Context, name string) (work.Claim, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	s, err := c.secrets.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return work.Claim{}, err
	}
	return unpackHead(s.Data[taskKey], string(s.Data[tokenKey]))
}

// backoff is how the API server is asked again while it does not answer.
var backoff = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: .2, Steps: 8, Cap: 10 * time.Second}

// doubt is how long an API server may deny access before that counts: one that has just started does
// not know all rights and tokens yet, and a quota may have room again.
const doubt = 20 * time.Second

// insist repeats a request until the API server has accepted or refused it, or ctx ends. Its errors
// are of type *job.Error.
func insist(ctx context.Context, what string, ask func(context.Context) error) error {
	var last error
	var since time.Time // of the first denial
	err := backoff.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		last = ask(ctx)
		if denied(last) && since.IsZero() {
			since = time.Now()
		}
		if refused(last) || denied(last) && time.Since(since) > doubt {
			return false, last
		}
		return last == nil, nil
	})
	if err == nil {
		return nil
	}
	return &job.Error{Code: CodeCluster, Message: what, Hint: "see the log of odfix worker, and what its service account may do",
		Detail: fmt.Sprint(last)}
}

// refused reports whether the same request would be refused again.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err)
}

// denied reports whether the worker may not do this, at least now.
func denied(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) }
