package isolate

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	for at, want := range map[string]bool{
		"203.0.113.7:443": true, "93.184.216.34:80": true, "[2606:4700::1]:443": true,
		"93.184.216.34:22": false, "93.184.216.34:8080": false,
		"127.0.0.1:80": false, "127.8.9.1:443": false, "[::1]:443": false, "0.0.0.0:80": false, "[::]:80": false,
		"169.254.169.254:80": false, "[fe80::1]:80": false, "[fe80::1%eth0]:80": false, "[fd00:ec2::254]:80": false,
		"10.0.0.1:443": false, "172.16.5.5:443": false, "192.168.1.1:80": false, "100.64.0.1:443": false,
		"[::ffff:127.0.0.1]:80": false, "[::ffff:169.254.169.254]:80": false, "[64:ff9b::a9fe:a9fe]:80": false, "[2002:7f00:1::]:80": false,
		"[::127.0.0.1]:80": false, "224.0.0.1:80": false, "255.255.255.255:80": false, "192.0.0.192:80": false,
	} {
		if got := public(netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}

// through is a client of a way out.
func through(t *testing.T, e *Exit) *http.Client {
	t.Helper()
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	proxy := &url.URL{Scheme: "http", Host: "proxy"}
	return &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(proxy),
		TLSClientConfig: nil,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", e.Socket())
		},
	}}
}

// TestExitLeadsNowhereNear: no name and no way of writing an address leads to this machine.
func TestExitLeadsNowhereNear(t *testing.T) {
	reached := false
	near := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer near.Close()
	_, port, _ := net.SplitHostPort(near.Listener.Addr().String())
	e := &Exit{}
	client := through(t, e)
	for _, host := range []string{"127.0.0.1:" + port, "localhost:" + port, "127.0.0.1:80", "localhost:80",
		"169.254.169.254:80", "[::1]:80", "0x7f000001:80", "2130706433:80"} {
		answer, err := client.Get("http://" + host + "/")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden && answer.StatusCode != http.StatusBadGateway {
				t.Errorf("%s: %s", host, answer.Status)
			}
		}
		if status := connect(t, e, host); status != "403" && status != "502" {
			t.Errorf("a tunnel to %s: %s", host, status)
		}
	}
	if reached || e.Refused() == 0 {
		t.Errorf("reached %v, refused %d", reached, e.Refused())
	}
}

// connect asks for a tunnel and returns the status.
func connect(t *testing.T, e *Exit, host string) string {
	t.Helper()
	c, err := net.Dial("unix", e.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "CONNECT "+host+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(line)[1]
}

func TestExitLeadsWhereItIsAllowed(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "plain") }))
	defer plain.Close()
	tls := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "tunnelled") }))
	defer tls.Close()
	e := &Exit{Allow: []string{plain.Listener.Addr().String(), tls.Listener.Addr().String()}}
	client := through(t, e)
	client.Transport.(*http.Transport).TLSClientConfig = tls.Client().Transport.(*http.Transport).TLSClientConfig
	for address, want := range map[string]string{plain.URL: "plain", tls.URL: "tunnelled"} {
		answer, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(text) != want {
			t.Errorf("%s: %q", address, text)
		}
	}
	client.CloseIdleConnections()
}

func TestMavenIsToldOfTheWay(t *testing.T) {
	if on, off := mavenrc(false), mavenrc(true); strings.Contains(on, "--offline") ||
		!strings.Contains(off, `set -- --offline "$@"`) || !strings.Contains(on, "-Dhttps.proxyPort=3128") {
		t.Errorf("%s\n%s", on, off)
	}
}
