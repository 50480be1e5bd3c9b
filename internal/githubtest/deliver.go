package githubtest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// send delivers the App's webhooks one after the other, until the server closes. It wakes another sender,
// if there are several, for each webhook that follows.
func (a *App) send() {
	for {
		select {
		case <-a.s.ended.Done():
			return
		case <-a.wake:
		}
		for d := a.next(); d != nil; d = a.next() {
			a.wakeSender()
			a.deliver(d)
		}
	}
}

func (a *App) next() *Delivery {
	defer a.s.lock()()
	if a.held || len(a.queue) == 0 || a.s.ended.Err() != nil {
		return nil
	}
	d := a.queue[0]
	a.queue = a.queue[1:]
	a.sending++
	return d
}

func (a *App) deliver(d *Delivery) {
	unlock := a.s.lock()
	url, header := a.WebhookURL, a.hookHeaders(d)
	unlock()
	began := time.Now()
	code, status := a.s.post(url, header, d.Payload)
	defer a.s.lock()()
	d.Done, d.StatusCode, d.Status, d.Duration, d.At = true, code, status, time.Since(began), a.s.now()
	a.sending--
	a.s.touch()
}

// hookHeaders are the headers of a webhook. GitHub still sends the old SHA-1 signature beside the
// SHA-256 one.
func (a *App) hookHeaders(d *Delivery) http.Header {
	h := http.Header{}
	for name, value := range map[string]string{
		"Accept": "*/*", "Content-Type": "application/json", "User-Agent": "GitHub-Hookshot/" + randomHex(4)[:7],
		"X-GitHub-Delivery": d.GUID, "X-GitHub-Event": d.Event, "X-GitHub-Hook-ID": itoa(a.ID),
		"X-GitHub-Hook-Installation-Target-ID": itoa(a.ID), "X-GitHub-Hook-Installation-Target-Type": "integration",
	} {
		h.Set(name, value)
	}
	if a.WebhookSecret != "" {
		h.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, a.WebhookSecret, d.Payload))
		h.Set("X-Hub-Signature", "sha1="+sign(sha1.New, a.WebhookSecret, d.Payload))
	}
	return h
}

// sign is the hexadecimal HMAC of a payload.
func sign(hash func() hash.Hash, secret string, payload []byte) string {
	mac := hmac.New(hash, []byte(secret))
	mac.Write(payload)
	return hex.EncodeToString(mac.Sum(nil))
}

// notReached is GitHub's text for a webhook whose receiver does not answer.
const notReached = "failed to connect to host"

// hookTimeout is how long GitHub waits for the receiver of a webhook.
const hookTimeout = 10 * time.Second

// post sends a webhook and returns the status, with GitHub's text for it.
func (s *Server) post(url string, header http.Header, body []byte) (code int, status string) {
	ctx, cancel := context.WithTimeout(s.ended, hookTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 502, notReached
	}
	r.Header = header
	resp, err := hookClient.Do(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return 504, "timed out"
	case err != nil:
		return 502, notReached
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // only so that the connection can be used again
	_ = resp.Body.Close()
	if resp.StatusCode >= 400 {
		return resp.StatusCode, fmt.Sprintf("Invalid HTTP Response: %d", resp.StatusCode)
	}
	return resp.StatusCode, "OK"
}

// hookClient follows no redirects, as GitHub's does not.
var hookClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// kept is how long GitHub keeps deliveries for redelivery.
const kept = 3 * 24 * time.Hour

// recorded are the App's deliveries that GitHub still lists, newest first.
func (c *call) recorded() []*Delivery {
	all := slices.DeleteFunc(slices.Clone(c.by.app.deliveries),
		func(d *Delivery) bool { return !d.Done || d.At.Before(c.s.now().Add(-kept)) })
	slices.Reverse(all)
	return all
}

// listDeliveries has pages by cursor, not by number.
func (c *call) listDeliveries() (answer, error) {
	size, all := min(max(c.query("per_page", 30), 1), 100), c.recorded()
	if cursor, ok := strings.CutPrefix(c.r.URL.Query().Get("cursor"), "v1_"); ok {
		before, _ := strconv.ParseInt(cursor, 10, 64) // an unknown cursor finds nothing
		all = slices.DeleteFunc(all, func(d *Delivery) bool { return d.ID >= before })
	}
	header := http.Header{}
	if len(all) > size {
		header.Set("Link", fmt.Sprintf(`<%s/app/hook/deliveries?per_page=%d&cursor=v1_%d>; rel="next"`, c.s.URL, size, all[size-1].ID))
		all = all[:size]
	}
	return answer{status: http.StatusOK, body: views(all, (*Delivery).view), header: header}, nil
}

func (d *Delivery) view() Object {
	number := func(n int64) any {
		if n == 0 {
			return nil
		}
		return n
	}
	return Object{"id": d.ID, "guid": d.GUID, "delivered_at": stamp(d.At), "redelivery": d.Redelivery,
		"duration": d.Duration.Seconds(), "status": d.Status, "status_code": d.StatusCode, "event": d.Event,
		"action": textOrNull(d.Action), "installation_id": number(d.Installation),
		"repository_id": number(d.Repository), "throttled_at": nil}
}

func (c *call) redeliver() (answer, error) {
	for _, d := range c.recorded() {
		if d.ID == c.number("delivery_id") {
			c.by.app.push(Delivery{GUID: d.GUID, Event: d.Event, Action: d.Action, Installation: d.Installation,
				Repository: d.Repository, Payload: d.Payload, Redelivery: true})
			return answer{status: http.StatusAccepted, body: Object{}}, nil
		}
	}
	return answer{}, notFound()
}
