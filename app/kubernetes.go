package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/kube"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/work"
)

// maxKubernetesFile is the size limit for the file of --kubernetes.
const maxKubernetesFile = 1 << 20

// kubernetesOptions reads the file of --kubernetes.
func kubernetesOptions(file string) (kube.Options, error) {
	var o kube.Options
	text, err := readBounded(file, maxKubernetesFile)
	if err == nil {
		err = yaml.UnmarshalStrict(text, &o)
	}
	if err != nil {
		return o, usage("The chart writes this file; docs/operations.md describes it.", "--kubernetes: %s: %v", file, err)
	}
	return o, nil
}

// cluster is the cluster that this process is in; outside of one, that of KUBECONFIG.
func cluster() (*rest.Config, error) {
	c, err := rest.InClusterConfig()
	if errors.Is(err, rest.ErrNotInCluster) {
		c, err = clientcmd.BuildConfigFromFlags("", os.Getenv(clientcmd.RecommendedConfigPathEnvVar))
	}
	if err != nil {
		return nil, fmt.Errorf("the cluster's API server: %w", err)
	}
	return c, nil
}

// workOnKubernetes takes tasks and runs each in a pod, until ctx ends. The pods go on after that.
func (o *workerOptions) workOnKubernetes(ctx context.Context, client *work.Client, log *zap.Logger) error {
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(zap.NewStdLog(log.Named("kubernetes")).Writer(), nil))) // what client-go logs
	settings, err := kubernetesOptions(o.pods)
	if err != nil {
		return err
	}
	settings.ServerCA = string(o.ca)
	c, err := cluster()
	if err != nil {
		return err
	}
	w, err := kube.NewWorker(client, c, settings)
	if err != nil {
		return fmt.Errorf("--kubernetes: %w", err)
	}
	w.Name, w.Runners, w.Log = o.name, o.runners.runners, log.Named("worker")
	return w.Run(ctx)
}

// cacheInPod is where a pod has the Maven repository of its cache, if it has one.
const cacheInPod = "/cache/repository"

// workInPod does the task of the pod that this process is in. The pod is the sandbox, so the runner
// is a process beside this one.
func workInPod(ctx context.Context, w world, log *zap.Logger) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	if err := isolate.Hide(); err != nil { // the task's token, from the tests
		return err
	}
	if _, err := os.Stat(cacheInPod); err == nil {
		if err := isolate.Plant(cacheInPod, filepath.Join(home, ".m2", "repository"), cacheInPod); err != nil {
			return fmt.Errorf("the cache of Maven: %w", err)
		}
	}
	d := w.runner(&zapWriter{log: log.Named("runner")})
	if l, ok := d.(*dispatch.Local); ok {
		l.Env = withoutTask(os.Environ())
	}
	return kube.Do(ctx, work.Worker{Name: "pod", Dispatcher: d, Dir: home, Log: log})
}

// withoutTask is an environment without what only this process needs.
func withoutTask(all []string) []string {
	out := []string{} // nil would mean the whole environment
	for _, v := range all {
		name, _, _ := strings.Cut(v, "=")
		if name != kube.EnvToken && name != kube.EnvServer && name != kube.EnvFile && name != kube.EnvCA {
			out = append(out, v)
		}
	}
	return out
}
