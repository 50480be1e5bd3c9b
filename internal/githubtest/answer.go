package githubtest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// answer is the response that a handler gives.
type answer struct {
	status int
	body   any    // encoded as JSON, unless raw is set
	raw    []byte // of another media type
	media  string
	header http.Header
}

func ok(body any) answer      { return answer{status: http.StatusOK, body: body} }
func created(body any) answer { return answer{status: http.StatusCreated, body: body} }

// problem is an error response with GitHub's own text.
type problem struct {
	status  int
	message string
	errors  any
	docs    string // documentation_url; empty: the operation's
	header  http.Header
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s", p.status, p.message) }

func refuse(status int, message string) *problem {
	return &problem{status: status, message: message}
}

func notFound() *problem { return refuse(http.StatusNotFound, "Not Found") }

// invalid is GitHub's "Validation Failed" with its list of errors.
func invalid(errors ...Object) *problem {
	return &problem{status: http.StatusUnprocessableEntity, message: "Validation Failed", errors: errors}
}

// custom is one entry of that list, with a message.
func custom(resource, field, message string) Object {
	return Object{"resource": resource, "code": "custom", "field": field, "message": message}
}

// unprocessable is GitHub's other form of a 422: a list of sentences.
func unprocessable(sentences ...string) *problem {
	return &problem{status: http.StatusUnprocessableEntity, message: "Unprocessable Entity", errors: sentences}
}

func (p *problem) answer(docs string) answer {
	if p.docs != "" {
		docs = p.docs
	}
	body := Object{"message": p.message, "documentation_url": docs, "status": strconv.Itoa(p.status)}
	if p.errors != nil {
		body["errors"] = p.errors
	}
	return answer{status: p.status, body: body, header: p.header}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func stampOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stamp(t)
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

func randomHex(n int) string { return hex.EncodeToString(random(n)) }

// page returns the page of a list that the request asks for, and the Link header.
func page[T any](c *call, all []T) ([]T, http.Header) {
	size, number := c.query("per_page", 30), c.query("page", 1)
	size, number = min(max(size, 1), 100), max(number, 1)
	last := max((len(all)+size-1)/size, 1)
	from := min((number-1)*size, len(all))
	part := all[from:min(from+size, len(all))]
	header := http.Header{}
	if links := c.links(number, last); links != "" {
		header.Set("Link", links)
	}
	return part, header
}

func (c *call) links(number, last int) string {
	var links []string
	add := func(rel string, n int) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(n))
		u := url.URL{Path: c.r.URL.Path, RawQuery: q.Encode()}
		links = append(links, fmt.Sprintf(`<%s%s>; rel="%s"`, c.s.URL, u.String(), rel))
	}
	if number > 1 {
		add("prev", number-1)
	}
	if number < last {
		add("next", number+1)
		add("last", last)
	}
	if number > 1 {
		add("first", 1)
	}
	return strings.Join(links, ", ")
}

// query is an integer parameter. The description's check has refused any other text.
func (c *call) query(name string, otherwise int) int {
	if n, err := strconv.Atoi(c.r.URL.Query().Get(name)); err == nil {
		return n
	}
	return otherwise
}

// list answers with a page of a list, as a JSON array.
func list[T any](c *call, all []T, view func(T) Object) (answer, error) {
	part, header := page(c, all)
	return answer{status: http.StatusOK, body: views(part, view), header: header}, nil
}

// counted answers with a page of a list, in an object with the total count.
func counted[T any](c *call, name string, all []T, view func(T) Object) (answer, error) {
	part, header := page(c, all)
	return answer{status: http.StatusOK, body: Object{"total_count": len(all), name: views(part, view)}, header: header}, nil
}

func views[T any](all []T, view func(T) Object) []Object {
	out := make([]Object, 0, len(all))
	for _, one := range all {
		out = append(out, view(one))
	}
	return out
}

// withBody encodes the body of an answer that did not come from a handler.
func withBody(a answer) answer {
	a.raw, _ = json.Marshal(a.body) // strings and numbers only
	a.media = "application/json; charset=utf-8"
	return a
}
