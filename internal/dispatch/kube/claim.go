package kube

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/work"
)

// Bounds of a task, in bytes: packed, since a Secret holds a MiB, and unpacked.
const (
	mostPacked = 1000 << 10
	mostPlain  = 128 << 20
)

// pack writes a task without its token, compressed.
func pack(t work.Claim) ([]byte, error) {
	t.Token = ""
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if err := errors.Join(json.NewEncoder(zip).Encode(t), zip.Close()); err != nil {
		return nil, &job.Error{Code: dispatch.CodeJob, Message: "the job cannot be written as JSON: " + err.Error()}
	}
	if out.Len() > mostPacked {
		return nil, &job.Error{Code: dispatch.CodeJob, Hint: "Ask about fewer tests at once.",
			Message: fmt.Sprintf("the job has %d KiB, more than a Secret of Kubernetes holds", out.Len()>>10)}
	}
	return out.Bytes(), nil
}

// unpack reads what pack wrote.
func unpack(text []byte, token string) (t work.Claim, err error) {
	err = decode(text, &t)
	if t.Token = token; err == nil && token == "" {
		err = errors.New("the task has no token")
	}
	return t, err
}

// unpackHead is unpack without the job, of which the one that follows a task needs nothing. A job can
// be of many MiB.
func unpackHead(text []byte, token string) (t work.Claim, err error) {
	var head struct {
		ID       string    `json:"id"`
		Deadline time.Time `json:"deadline"`
		Beat     int       `json:"beat"`
	}
	err = decode(text, &head)
	if err == nil && token == "" {
		err = errors.New("the task has no token")
	}
	return work.Claim{ID: head.ID, Token: token, Deadline: head.Deadline, Beat: head.Beat}, err
}

func decode(text []byte, into any) error {
	zip, err := gzip.NewReader(bytes.NewReader(text))
	if err == nil {
		err = json.NewDecoder(io.LimitReader(zip, mostPlain)).Decode(into)
	}
	if err != nil {
		return fmt.Errorf("the task cannot be read: %w", err)
	}
	return nil
}

// Do does the task of the pod that this process is in.
func Do(ctx context.Context, w work.Worker) error {
	server, t, err := given()
	if err != nil {
		return err
	}
	if w.Client, err = work.NewClient(server, nil); err != nil {
		return err
	}
	if ca := os.Getenv(EnvCA); ca != "" {
		if err := w.Client.Trust([]byte(ca)); err != nil {
			return fmt.Errorf("%s: %w", EnvCA, err)
		}
	}
	w.Do(ctx, w.Client.Task(t))
	return nil
}

// given is the task of the pod that this process is in, and the server that has it. It removes the
// token from the environment.
func given() (server string, t work.Claim, err error) {
	token := os.Getenv(EnvToken)
	if err := os.Unsetenv(EnvToken); err != nil {
		return "", t, err
	}
	text, err := os.ReadFile(os.Getenv(EnvFile))
	if err != nil {
		return "", t, fmt.Errorf("%s names no file with a task: %w", EnvFile, err)
	}
	t, err = unpack(text, token)
	return os.Getenv(EnvServer), t, err
}
