package kubetest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// network plays the cluster's network: it leads from the addresses of Services and pods to ports of
// this machine. It enforces no NetworkPolicy.
type network struct {
	mu    sync.Mutex
	last  int
	ports map[string]string // a port of this machine by address and port of a pod
}

// join is the address of a new pod.
func (n *network) join() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	return fmt.Sprintf("10.244.%d.%d", n.last/250, n.last%250+1)
}

// expose chooses the port of this machine that stands for one of a pod.
func (n *network) expose(ip string, of int32) (string, error) {
	p, err := freePort()
	n.mu.Lock()
	defer n.mu.Unlock()
	local := "127.0.0.1:" + p
	n.ports[net.JoinHostPort(ip, strconv.Itoa(int(of)))] = local
	return local, err
}

func (n *network) at(ip string, port int32) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	local := n.ports[net.JoinHostPort(ip, strconv.Itoa(int(port)))]
	if local == "" {
		return "", fmt.Errorf("nobody listens on %s:%d", ip, port)
	}
	return local, nil
}

// Dial connects to a Service such as name.namespace.svc:80.
func (c *Cluster) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	ip, port, err := c.endpoint(ctx, address)
	if err != nil {
		return nil, err
	}
	local, err := c.net.at(ip, port)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, "tcp", local)
}

// endpoint is the address of a ready pod of a Service.
func (c *Cluster) endpoint(ctx context.Context, address string) (ip string, port int32, err error) {
	host, number, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	name, namespace, _ := strings.Cut(strings.TrimSuffix(host, ".svc"), ".")
	s, err := c.Client.CoreV1().Services(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", 0, err
	}
	slices, err := c.Client.DiscoveryV1().EndpointSlices(namespace).List(ctx,
		metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + name})
	if err != nil {
		return "", 0, err
	}
	for _, p := range s.Spec.Ports {
		if strconv.Itoa(int(p.Port)) == number {
			if ip, port = readyEndpoint(slices.Items, p.Name); ip != "" {
				return ip, port, nil
			}
		}
	}
	return "", 0, fmt.Errorf("no pod of the Service %s is ready for port %s", host, number)
}

// readyEndpoint is the first endpoint that is ready for a named port.
func readyEndpoint(all []discoveryv1.EndpointSlice, name string) (ip string, port int32) {
	for _, s := range all {
		for _, p := range s.Ports {
			for _, e := range s.Endpoints {
				if *p.Name == name && *e.Conditions.Ready {
					return e.Addresses[0], *p.Port
				}
			}
		}
	}
	return "", 0
}

// Forward is an address of this machine that leads to a Service, as an Ingress does. Without a service
// it is a proxy that knows the names of all Services.
func (c *Cluster) Forward(t testing.TB, service string) string {
	t.Helper()
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.Host
			if service != "" {
				r.Out.URL.Scheme, r.Out.URL.Host = "http", service
			}
		},
		Transport: &http.Transport{DialContext: c.Dial}, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)})
	t.Cleanup(s.Close)
	return s.URL
}
