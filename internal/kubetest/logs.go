package kubetest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	authv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/odfix/odfix/internal/child"
)

// logName is the log of a pod's container in the pod's folder.
const logName = "log"

// serveLogs lets `kubectl logs` read the logs of a node's pods.
func (c *Cluster) serveLogs(t testing.TB, node string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, c.path("pods", r.PathValue("namespace"), r.PathValue("pod"), logName))
	})
	kubelet := httptest.NewTLSServer(mux)
	t.Cleanup(kubelet.Close)
	host, text, _ := net.SplitHostPort(kubelet.Listener.Addr().String()) // httptest listens on one
	at, _ := strconv.Atoi(text)
	ctx, nodes := t.Context(), c.Client.CoreV1().Nodes()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		n, err := nodes.Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: host}}
		n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(at)
		_, err = nodes.UpdateStatus(ctx, n, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.showLogs)
}

// showLogs shows the ends of all pods' logs if the test has failed.
func (c *Cluster) showLogs() {
	if !c.t.Failed() {
		return
	}
	files, _ := filepath.Glob(c.path("pods", "*", "*", logName)) // the pattern is right
	for _, file := range files {
		c.t.Logf("the end of %s:\n%s", file, lastOf(file))
	}
}

// lastOf is the end of a log, as people see it when a container fails.
func lastOf(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Sprint(err)
	}
	log := child.Tail{Size: 8 << 10}
	_, _ = log.Write(text) // never fails
	end, _ := log.End(2 << 10)
	return end
}

// token is a new credential of a service account.
func (c *Cluster) token(ctx context.Context, namespace, account string) (string, error) {
	t, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, account, &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return t.Status.Token, nil
}
