// Package kubetest starts a real control plane of Kubernetes for tests: etcd, API server, controller
// manager and scheduler, on the loopback and with a folder of their own. Nodes are played: a Node of
// this package runs the containers of pods with bubblewrap.
//
// Everything ends with the test, and with the process of the test.
package kubetest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/odfix/odfix/internal/child"
)

// adminToken is the credential of the tests and of the control plane itself.
const adminToken = "admin-of-this-test"

// ready bounds the start of each program. Machines of tests are busy.
const ready = 2 * time.Minute

// Cluster is a running control plane.
type Cluster struct {
	Config     *rest.Config // of an administrator
	Kubeconfig string       // the same, as a file
	Client     kubernetes.Interface

	t        testing.TB
	programs string
	dir      string
	port     string // of the API server
	api      *exec.Cmd
	apiArgs  []string
	net      network
}

// Start starts a control plane. It fails the test if its programs are not there.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c := startAPI(t)
	rate := []string{"--kube-api-qps", "500", "--kube-api-burst", "1000"} // the machine is the limit
	c.Program("kube-controller-manager", append(rate, "--kubeconfig", c.Kubeconfig, "--secure-port", "0", "--leader-elect=false",
		"--service-account-private-key-file", c.path("sa.key"), "--root-ca-file", c.Config.CAFile, "--node-monitor-grace-period", "1h")...)
	c.Program("kube-scheduler", append(rate, "--kubeconfig", c.Kubeconfig, "--secure-port", "0", "--leader-elect=false")...)
	return c
}

// startAPI starts etcd and the API server.
func startAPI(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{t: t, programs: programs(t), dir: t.TempDir(), net: network{ports: map[string]string{}}}
	etcd, peer, api := port(t), port(t), port(t)
	c.port = api
	c.Config = &rest.Config{Host: "https://127.0.0.1:" + api, BearerToken: adminToken, QPS: 500, Burst: 1000,
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.path("certs", "apiserver.crt")}}
	c.Kubeconfig = c.writeKubeconfig()
	c.write("tokens.csv", adminToken+",admin,admin,system:masters\n")
	c.write("sa.key", serviceAccountKey(t))

	c.Program("etcd", "--data-dir", c.path("etcd"), "--listen-client-urls", "http://127.0.0.1:"+etcd, "--advertise-client-urls", "http://127.0.0.1:"+etcd,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "default=http://127.0.0.1:"+peer, "--unsafe-no-fsync", "--log-level", "warn")
	c.apiArgs = []string{"--etcd-servers", "http://127.0.0.1:" + etcd, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
		"--secure-port", api, "--cert-dir", c.path("certs"), "--token-auth-file", c.path("tokens.csv"), "--authorization-mode", "RBAC",
		"--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.0.0.0/24",
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", c.path("sa.key"),
		"--service-account-signing-key-file", c.path("sa.key")}
	c.StartAPI()
	c.Await("the API server", func(ctx context.Context) bool {
		var err error
		if c.Client, err = kubernetes.NewForConfig(c.Config); err != nil {
			return false // it has not written its certificate yet
		}
		return c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil
	})
	return c
}

// programs is the folder of the control plane's programs.
func programs(t testing.TB) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	out, err := exec.Command(filepath.Join(filepath.Dir(file), "../../.ci/kubernetes"), "--found").CombinedOutput()
	if err != nil {
		t.Fatalf("%s", out)
	}
	return strings.TrimSpace(string(out))
}

func (c *Cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *Cluster) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// Program starts one of the control plane's programs until the test ends. Its log is shown if the
// test fails.
func (c *Cluster) Program(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	log := &child.Tail{Size: 16 << 10}
	cmd := exec.Command(filepath.Join(c.programs, name), args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=" + c.dir}
	if err := child.Start(cmd); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		Stop(cmd)
		if c.t.Failed() {
			end, _ := log.End(4 << 10)
			c.t.Logf("the end of the log of %s:\n%s", name, end)
		}
	})
	return cmd
}

// Stop kills a program and waits for its end.
func Stop(cmd *exec.Cmd) {
	child.Kill(cmd)
	_ = cmd.Wait() // killed, perhaps twice
}

// StartAPI starts the API server, also again after StopAPI.
func (c *Cluster) StartAPI() { c.api = c.Program("kube-apiserver", c.apiArgs...) }

// StopAPI ends the API server, as if the control plane were away.
func (c *Cluster) StopAPI() { Stop(c.api) }

// Await waits until a condition holds. It fails the test if that takes too long.
func (c *Cluster) Await(what string, holds func(ctx context.Context) bool) {
	c.t.Helper()
	err := wait.PollUntilContextTimeout(c.t.Context(), 50*time.Millisecond, ready, true, func(ctx context.Context) (bool, error) {
		return holds(ctx), nil
	})
	if err != nil {
		c.t.Fatalf("waiting for %s: %v", what, err)
	}
}

// As is a client configuration with another token.
func (c *Cluster) As(token string) *rest.Config {
	other := rest.CopyConfig(c.Config)
	other.BearerToken = token
	return other
}

func (c *Cluster) writeKubeconfig() string {
	c.t.Helper()
	k := clientcmdapi.NewConfig()
	k.Clusters["test"] = &clientcmdapi.Cluster{Server: c.Config.Host, CertificateAuthority: c.Config.CAFile}
	k.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: c.Config.BearerToken}
	k.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	k.CurrentContext = "test"
	file := c.path("kubeconfig")
	if err := clientcmd.WriteToFile(*k, file); err != nil {
		c.t.Fatal(err)
	}
	return file
}

func port(t testing.TB) string {
	t.Helper()
	p, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// freePort is a free port of the loopback. It is not one of those that the system gives to outgoing
// connections: such a connection could take the port of an API server that is away.
func freePort() (string, error) {
	for range 100 {
		p := fmt.Sprint(20000 + mathrand.IntN(12000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+p); err == nil {
			return p, l.Close()
		}
	}
	return "", errors.New("there is no free port")
}

func serviceAccountKey(t testing.TB) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}
