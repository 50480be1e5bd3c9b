package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/odfix/odfix/internal/child"
)

// Image is what a container sees beside its volumes: files and folders of this machine, read-only.
type Image struct {
	Files      map[string]string // what is at a path in the container
	Links      map[string]string // what a symbolic link at a path leads to
	Entrypoint []string
	Env        []string
}

const odfixAt = "/usr/local/bin/odfix"

// Scratch is an image with one program as odfix, and the certificates of authorities. Two files are
// not of the image: each container gets them from its node.
func Scratch(program string) Image {
	i := Image{Files: map[string]string{odfixAt: program}, Links: map[string]string{}, Entrypoint: []string{odfixAt},
		Env: []string{"PATH=/usr/local/bin"}}
	for _, path := range []string{"/etc/ssl/certs", "/etc/hosts", "/etc/resolv.conf"} {
		i.Files[path] = path
	}
	return i
}

// System is an image with the programs and libraries of this machine, and one program as odfix.
func System(program string) Image {
	i := Image{Files: map[string]string{odfixAt: program, "/etc": "/etc"}, Links: map[string]string{}, Entrypoint: []string{odfixAt},
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}}
	inUsr, _ := filepath.Glob("/usr/*") // the pattern is right
	for _, path := range append(inUsr, "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt") {
		if to, err := os.Readlink(path); err == nil {
			i.Links[path] = to
		} else if _, err := os.Stat(path); err == nil && path != "/usr/local" {
			i.Files[path] = path
		}
	}
	return i
}

// container is the running container of a pod: processes of this machine with a root folder, a user
// and a process table of their own. They share this machine's network.
type container struct {
	cmd   *exec.Cmd
	log   *os.File
	info  *os.File // bwrap writes the number of the first process there
	given *os.File // the other end
	begun chan struct{}
	first *os.Process // the container's first process; nil if there is none
}

// contain prepares the container of a pod. It is asked to end when ctx ends.
func (n *Node) contain(ctx context.Context, pod *corev1.Pod, dir, ip string) (*container, error) {
	c := pod.Spec.Containers[0]
	image := n.Image(c.Image)
	user, group := pod.Spec.SecurityContext.RunAsUser, pod.Spec.SecurityContext.RunAsGroup
	if user == nil || *user == 0 || group == nil {
		return nil, errors.New("the pod names no user or no group, or root")
	}
	uid, gid := strconv.FormatInt(*user, 10), strconv.FormatInt(*group, 10)
	args := []string{"--unshare-user", "--uid", uid, "--gid", gid, "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts",
		"--hostname", pod.Name, "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--info-fd", "3",
		"--proc", "/proc", "--dev", "/dev"}
	for _, at := range slices.Sorted(maps.Keys(image.Files)) { // a folder before what is in it
		args = append(args, "--ro-bind", image.Files[at], at)
	}
	for at, to := range image.Links {
		args = append(args, "--symlink", to, at)
	}
	mounts, err := n.mounts(ctx, pod, dir)
	if err != nil {
		return nil, err
	}
	args = append(args, mounts...)
	if *c.SecurityContext.ReadOnlyRootFilesystem {
		args = append(args, "--remount-ro", "/")
	}
	if c.WorkingDir != "" {
		args = append(args, "--chdir", c.WorkingDir)
	}
	command := c.Command
	if len(command) == 0 {
		command = image.Entrypoint
	}
	args = slices.Concat(args, []string{"--"}, command, c.Args)
	out := &container{cmd: exec.CommandContext(ctx, "bwrap", args...), begun: make(chan struct{})}
	if out.cmd.Env, err = n.environment(ctx, pod, image, ip); err != nil {
		return nil, err
	}
	out.cmd.Cancel = func() error {
		if <-out.begun; out.first != nil {
			return out.first.Signal(syscall.SIGTERM)
		}
		return nil
	}
	out.cmd.WaitDelay = time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	out.info, out.given, err = os.Pipe()
	return out, err
}

// environment is the one of a container. Addresses to listen on become free ones of this machine.
func (n *Node) environment(ctx context.Context, pod *corev1.Pod, image Image, ip string) ([]string, error) {
	c := pod.Spec.Containers[0]
	out := slices.Concat(image.Env, []string{"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + n.c.port,
		"HTTP_PROXY=" + n.names}, n.Env)
	for _, e := range c.Env {
		value := e.Value
		if e.ValueFrom != nil {
			s, err := n.secret(ctx, pod, e.ValueFrom.SecretKeyRef.Name)
			if err != nil {
				return nil, err
			}
			value = string(s.Data[e.ValueFrom.SecretKeyRef.Key])
		}
		for _, p := range c.Ports {
			if value == fmt.Sprintf("0.0.0.0:%d", p.ContainerPort) {
				var err error
				if value, err = n.c.net.expose(ip, p.ContainerPort); err != nil {
					return nil, err
				}
			}
		}
		out = append(out, e.Name+"="+value)
	}
	return out, nil
}

// run runs the container to its end.
func (c *container) run() error {
	c.cmd.ExtraFiles = []*os.File{c.given}
	err := child.Start(c.cmd)
	c.given.Close()
	if err == nil {
		var about struct {
			Pid int `json:"child-pid"`
		}
		if json.NewDecoder(c.info).Decode(&about) == nil { // else it has ended already
			c.first, _ = os.FindProcess(about.Pid) // never fails where there is bwrap
		}
		close(c.begun)
		err = c.cmd.Wait()
		child.Kill(c.cmd) // what it left
	}
	c.info.Close()
	c.log.Close()
	return err
}

// mounts makes the folders of a pod's mounts, and returns bwrap's arguments for them.
func (n *Node) mounts(ctx context.Context, pod *corev1.Pod, dir string) ([]string, error) {
	var out []string
	for _, m := range pod.Spec.Containers[0].VolumeMounts {
		i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		folder, err := n.volume(ctx, pod, pod.Spec.Volumes[i].VolumeSource, filepath.Join(dir, m.Name))
		if err != nil {
			return nil, err
		}
		how := "--bind"
		if m.ReadOnly {
			how = "--ro-bind"
		}
		out = append(out, how, filepath.Join(folder, m.SubPath), m.MountPath)
	}
	return out, nil
}

// volume fills the folder of a volume. That of a claim is elsewhere.
func (n *Node) volume(ctx context.Context, pod *corev1.Pod, v corev1.VolumeSource, folder string) (string, error) {
	if v.PersistentVolumeClaim != nil {
		return n.claimed(ctx, pod.Namespace, v.PersistentVolumeClaim.ClaimName)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	switch {
	case v.EmptyDir != nil:
		return folder, nil
	case v.Secret != nil:
		s, err := n.secret(ctx, pod, v.Secret.SecretName)
		if err != nil {
			return "", err
		}
		return folder, write(folder, s.Data, v.Secret.Items, *v.Secret.DefaultMode)
	case v.ConfigMap != nil:
		return folder, n.writeConfig(ctx, pod.Namespace, folder, v.ConfigMap.Name, v.ConfigMap.Items, *v.ConfigMap.DefaultMode)
	case v.Projected != nil:
		return folder, n.project(ctx, pod, v.Projected, folder)
	}
	return "", fmt.Errorf("volumes such as %v are not played", v)
}

// write writes the values of a Secret or ConfigMap: the items, or all if there are none.
func write[V string | []byte](folder string, values map[string]V, items []corev1.KeyToPath, mode int32) error {
	if len(items) == 0 {
		for key := range values {
			items = append(items, corev1.KeyToPath{Key: key, Path: key})
		}
	}
	for _, i := range items {
		value, ok := values[i.Key]
		if !ok {
			return fmt.Errorf("there is no key %s", i.Key)
		}
		if err := os.WriteFile(filepath.Join(folder, i.Path), []byte(value), os.FileMode(mode)); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) writeConfig(ctx context.Context, namespace, folder, name string, items []corev1.KeyToPath, mode int32) error {
	m, err := until(ctx, func() (*corev1.ConfigMap, error) {
		return n.c.Client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	})
	if err != nil {
		return err
	}
	return write(folder, m.Data, items, mode)
}

// project writes what the credential of a service account consists of.
func (n *Node) project(ctx context.Context, pod *corev1.Pod, p *corev1.ProjectedVolumeSource, folder string) error {
	for _, s := range p.Sources {
		var err error
		switch {
		case s.ServiceAccountToken != nil:
			var token string
			if token, err = n.c.token(ctx, pod.Namespace, pod.Spec.ServiceAccountName); err == nil {
				err = os.WriteFile(filepath.Join(folder, s.ServiceAccountToken.Path), []byte(token), 0o600)
			}
		case s.ConfigMap != nil:
			err = n.writeConfig(ctx, pod.Namespace, folder, s.ConfigMap.Name, s.ConfigMap.Items, *p.DefaultMode)
		case s.DownwardAPI != nil: // of a credential: the namespace
			err = os.WriteFile(filepath.Join(folder, s.DownwardAPI.Items[0].Path), []byte(pod.Namespace), os.FileMode(*p.DefaultMode))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claimed is the folder of a claim's volume.
func (n *Node) claimed(ctx context.Context, namespace, claim string) (string, error) {
	c, err := n.c.Client.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, claim, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	v, err := n.c.Client.CoreV1().PersistentVolumes().Get(ctx, c.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if v.Spec.HostPath == nil {
		return "", fmt.Errorf("volume %s is no folder of this machine", v.Name)
	}
	return v.Spec.HostPath.Path, nil
}

// secret waits for a Secret, as a kubelet does.
func (n *Node) secret(ctx context.Context, pod *corev1.Pod, name string) (*corev1.Secret, error) {
	return until(ctx, func() (*corev1.Secret, error) {
		return n.c.Client.CoreV1().Secrets(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
	})
}

// until repeats a request until it succeeds, or ctx ends.
func until[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	for {
		answer, err := ask()
		if err == nil {
			return answer, nil
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
