package github

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"
)

// trip answers each request with a body.
type trip func(*http.Request) (string, string)

func (t trip) RoundTrip(r *http.Request) (*http.Response, error) {
	media, body := t(r)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {media}}, Request: r,
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestAttackLargeAnswers: texts of strangers fill pages of GitHub's API. Few large pages are in
// memory at once, and very large ones are not read.
func TestAttackLargeAnswers(t *testing.T) {
	a := newAnswers(trip(func(r *http.Request) (string, string) {
		return "application/json; charset=utf-8", strings.Repeat(" ", largeAnswer+10)
	}))
	get := func() *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://github.test", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := a.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	var open []*http.Response
	for range largeAnswers {
		resp := get()
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != largeAnswer+10 {
			t.Fatalf("%d bytes, %v", n, err)
		}
		open = append(open, resp)
	}
	if len(a.places) != largeAnswers {
		t.Errorf("%d places are taken", len(a.places))
	}
	read := make(chan error)
	last := get()
	go func() {
		_, err := io.Copy(io.Discard, last.Body)
		read <- err
	}()
	select {
	case err := <-read:
		t.Errorf("one more is read: %v", err)
	default:
	}
	for _, resp := range open {
		_ = errors.Join(resp.Body.Close(), resp.Body.Close())
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
	_ = last.Body.Close()
	if len(a.places) != 0 {
		t.Errorf("%d places are not given back", len(a.places))
	}

	for media, want := range map[string]error{"application/json": ErrLarge, "application/zip": nil} {
		large := newAnswers(trip(func(*http.Request) (string, string) { return media, strings.Repeat(" ", 2*mostAnswer) }))
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://github.test", nil)
		resp, err := large.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v", media, err)
		}
		_ = resp.Body.Close()
	}
}

// TestAttackLargePages: a list whose pages are too large is read in small pages, from where it was.
func TestAttackLargePages(t *testing.T) {
	text := strings.Repeat("x", 200<<10)
	client := gh.NewClient(&http.Client{Transport: newAnswers(trip(func(r *http.Request) (string, string) {
		var page, size int
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		fmt.Sscan(r.URL.Query().Get("per_page"), &size)
		var b bytes.Buffer
		b.WriteString("[")
		for i := max(page-1, 0) * size; i < min(max(page, 1)*size, 230); i++ {
			body := ""
			if i >= 100 {
				body = text
			}
			fmt.Fprintf(&b, `{"number":%d,"body":"%s"},`, i, body)
		}
		return "application/json", strings.TrimSuffix(b.String(), ",") + "]"
	}))})
	var o gh.ListOptions
	var got []int
	err := pages(&o, func() (*gh.Response, error) {
		list, resp, err := client.PullRequests.List(t.Context(), "o", "r", &gh.PullRequestListOptions{ListOptions: o})
		for _, p := range list {
			got = append(got, p.GetNumber())
		}
		if err == nil && len(list) == o.PerPage {
			resp.NextPage = max(o.Page, 1) + 1
		}
		return resp, err
	})
	if err != nil || len(got) != 230 {
		t.Fatalf("%d, %v", len(got), err)
	}
	for i, n := range got {
		if i != n {
			t.Fatalf("number %d is %d", i, n)
		}
	}
}

// TestAttackManyPatches: of a pull request with very many large changes, all files are listed, and
// the patches of the first ones.
func TestAttackManyPatches(t *testing.T) {
	patch := strings.Repeat("+x", 30_000)
	c := &Client{fixed: newREST(newAnswers(statusTrip(func(*http.Request) (int, string) {
		return 200, "[" + strings.Repeat(`{"filename": "f", "patch": "`+patch+`"},`, 99) + `{"filename": "last", "patch": "x"}]`
	})))}
	files, err := c.Files(t.Context(), shop, 1)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, f := range files {
		size += len(f.Patch)
	}
	if len(files) != 100 || files[0].Patch != patch || size > MostPatches || size < MostPatches-len(patch) || files[len(files)-1].Path != "last" {
		t.Errorf("%d files, %d bytes of patches", len(files), size)
	}
}
