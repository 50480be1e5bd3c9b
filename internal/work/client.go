package work

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
)

// Client speaks to a server. It is safe for concurrent use.
type Client struct {
	server string
	token  func() (string, error)
	http   *http.Client
	pause  time.Duration // before the second attempt of a request
}

// NewClient makes a client for a server such as https://odfix.example.com:8443. Token reads the
// worker's credential, before each claim; nil for a client that only does tasks it is given.
func NewClient(server string, token func() (string, error)) (*Client, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("%q is not the address of a server, such as https://odfix.example.com:8443", server)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout, t.MaxIdleConnsPerHost = MaxWait+20*time.Second, 16
	t.DisableCompression = true // the sources are compressed
	c := &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Client{server: strings.TrimSuffix(server, "/"), token: token, http: c, pause: time.Second}, nil
}

// Trust has the client accept only servers whose certificates these authorities have signed, in PEM.
// Without it, the authorities of the system count. Call it before the first request.
func (c *Client) Trust(authorities []byte) error {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authorities) {
		return errors.New("there is no certificate in PEM")
	}
	c.http.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: pool}
	return nil
}

// Claim asks once for a task. It returns nil if there is none.
func (c *Client) Claim(ctx context.Context, r Request) (*Claim, error) {
	if c.token == nil {
		return nil, errors.New("work: this client has no credential of a worker")
	}
	token, err := c.token()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(ctx, http.MethodPost, pathClaim, token, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return nil, nil
	}
	var out Claim
	if err := decode(resp, &out); err != nil {
		return nil, err
	}
	out.Deadline = time.Now().Add(time.Duration(out.Left) * time.Second)
	return &out, nil
}

// Check asks once whether a claim still has its task. It is no sign of life. The error is ErrDenied
// if the task was offered again, and ErrOver if it has ended; any other says nothing about it.
func (c *Client) Check(ctx context.Context, claim Claim) error {
	resp, err := c.send(ctx, http.MethodGet, c.Task(claim).path(pathTask), claim.Token, nil)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

// send makes one request. Any status but 200 and 204 is an error.
func (c *Client) send(ctx context.Context, method, path, token string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusNoContent {
		return resp, nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxSmall))
	var p Problem
	_ = json.Unmarshal(text, &p) // another server's error page
	return nil, &statusError{resp.StatusCode, p}
}

func decode(resp *http.Response, into any) error {
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	return err
}

// statusError is an answer that is no success.
type statusError struct {
	status int
	Problem
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the server answered %d: %s", e.status, e.Problem.Error)
}

// Unwrap says what kind of error it is; nil: the next attempt may succeed. An error without a text is
// not the server's: a proxy before it answers like that while the server is away.
func (e *statusError) Unwrap() error {
	switch {
	case e.Problem.Error == "":
		return nil
	case e.status == http.StatusUnauthorized:
		return ErrDenied
	case e.status == http.StatusGone:
		return ErrOver
	case e.status == http.StatusTooManyRequests || e.status >= 500:
		return nil
	}
	return ErrRefused
}

// Final reports whether a request would fail again.
func Final(err error) bool {
	return errors.Is(err, ErrDenied) || errors.Is(err, ErrOver) || errors.Is(err, ErrRefused)
}

// Denials counts how often in a row a server has refused the credential of a worker. While a credential
// is changed, the files of server and worker can differ for a minute or two. The worker reads its file
// again before each claim.
type Denials struct{ row int }

// mostDenials in a row mean that the credential is wrong.
const mostDenials = 20

// TooMany counts the answer to a claim.
func (d *Denials) TooMany(err error) bool {
	if !errors.Is(err, ErrDenied) {
		d.row = 0
		return false
	}
	d.row++
	return d.row > mostDenials
}

// Task is a task that a worker has taken. Its methods repeat requests that fail, until the context
// ends. They are for one goroutine at a time.
type Task struct {
	Claim
	client  *Client
	sent    int64    // messages that the server is known to have
	pending [][]byte // those after them: the server may have them
}

// Task is for the requests about a claimed task. A process that gets the claim from the one that
// made it needs nothing else.
func (c *Client) Task(claim Claim) *Task { return &Task{Claim: claim, client: c} }

func (t *Task) path(pattern string) string {
	return strings.Replace(pattern, "{id}", url.PathEscape(t.ID), 1)
}

// Source writes the packed sources. While the server has too many requests, it waits; any other
// failure is its error, since what was written cannot be taken back. ErrRefused means that the sources
// cannot be had.
func (t *Task) Source(ctx context.Context, w io.Writer, most int64) error {
	var resp *http.Response
	var failed error
	err := t.again(ctx, func() (err error) {
		var s *statusError
		resp, err = t.client.send(ctx, http.MethodGet, t.path(pathSource), t.Token, nil)
		if errors.As(err, &s) && s.status == http.StatusTooManyRequests {
			return err
		}
		failed = err
		return nil
	})
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	defer resp.Body.Close()
	n, err := io.Copy(w, io.LimitReader(resp.Body, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("%w: the sources have more than %d MiB", ErrRefused, most>>20)
	}
	return err
}

// Post sends messages, each of them one line of JSON without its end. No message at all is a sign of
// life. If it fails, the next post sends them again.
func (t *Task) Post(ctx context.Context, lines ...[]byte) (Status, error) {
	var s Status
	t.pending = append(t.pending, lines...)
	body := bytes.Join(t.pending, []byte("\n"))
	err := t.again(ctx, func() error {
		path := t.path(pathMessages) + "?first=" + strconv.FormatInt(t.sent+1, 10)
		resp, err := t.client.send(ctx, http.MethodPost, path, t.Token, body)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return decode(resp, &s)
	})
	if err == nil {
		t.sent += int64(len(t.pending))
		t.pending = nil
	}
	return s, err
}

// Send sends values as messages.
func (t *Task) Send(ctx context.Context, messages ...Message) (Status, error) {
	var lines [][]byte
	for _, m := range messages {
		line, err := json.Marshal(m)
		if err != nil {
			return Status{}, err
		}
		lines = append(lines, line)
	}
	return t.Post(ctx, lines...)
}

// Fail ends the task with an error.
func (t *Task) Fail(ctx context.Context, e *job.Error) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return t.again(ctx, func() error {
		resp, err := t.client.send(ctx, http.MethodPost, t.path(pathFailed), t.Token, body)
		if err == nil {
			resp.Body.Close()
		}
		return err
	})
}

// longest is the longest wait between two attempts of a request, in pauses of a client.
const longest = 15

// again repeats a request until it succeeds, would fail again, or the context ends.
func (t *Task) again(ctx context.Context, do func() error) error {
	for wait := t.client.pause; ; wait = min(2*wait, longest*t.client.pause) {
		err := do()
		if err == nil || Final(err) || !pause.For(ctx, wait) {
			return err
		}
	}
}
