package isolate

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

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
	if reached {
		t.Error("this machine was reached")
	}
	for _, c := range e.Contacts() {
		if c.Allowed || c.Times == 0 {
			t.Errorf("noted: %+v", c)
		}
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
