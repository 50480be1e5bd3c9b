package githubtest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/description"
)

// who is the kind of caller that an operation is for.
type who int

const (
	anyone       who = iota
	asApp            // with a JSON web token signed by the App's key
	asUser           // with a token of a person for the App
	asInstall        // with an installation access token
	onRepository     // with an installation access token that covers the repository
)

// endpoint is an operation with its callers and its handler. Paths of GitHub's API overlap
// (/issues/comments/{id}, /issues/{number}/comments), which net/http's ServeMux refuses. So
// they are matched here: a literal segment wins over a parameter.
type endpoint struct {
	op       *description.Operation
	who      who
	need     string // permission, such as "checks:write"; with "|": one of several
	do       func(*call) (answer, error)
	segments []string
}

// entry is a line of the tables of operations.
type entry struct {
	id   string
	who  who
	need string
	do   func(*call) (answer, error)
}

// with makes a handler for an object that the path names, from a function that finds the object.
func with[T any](find func(*call) (T, error), do func(*call, T) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		object, err := find(c)
		if err != nil {
			return answer{}, err
		}
		return do(c, object)
	}
}

// endpoints joins the tables with the description. Each described operation has one handler.
func endpoints(rest *description.API) ([]*endpoint, error) {
	var all []*endpoint
	seen := map[string]bool{}
	for _, e := range slices.Concat(appTable, userTable, repositoryTable, pullTable, reviewTable, commentTable, issueTable, checkTable, gitTable, actionsTable) {
		op := rest.Operation(e.id)
		if op == nil || seen[e.id] {
			return nil, fmt.Errorf("%s is not described, or is listed twice", e.id)
		}
		seen[e.id] = true
		all = append(all, &endpoint{op: op, who: e.who, need: e.need, do: e.do, segments: strings.Split(op.Path, "/")[1:]})
	}
	for _, op := range rest.Operations() {
		if !seen[op.ID] {
			return nil, fmt.Errorf("%s is described, and has no handler", op.ID)
		}
	}
	return all, nil
}

// route finds the operation of a path, and the values of its parameters.
func (s *Server) route(method, escaped string) (*endpoint, map[string]string) {
	var parts []string
	for _, p := range strings.Split(strings.TrimSuffix(escaped, "/"), "/")[1:] {
		plain, err := url.PathUnescape(p)
		if err != nil {
			return nil, nil
		}
		parts = append(parts, plain)
	}
	if method == "HEAD" {
		method = "GET"
	}
	var best *endpoint
	var params map[string]string
	for _, e := range s.routes {
		if e.op.Method != method {
			continue
		}
		if p, ok := e.match(parts); ok && (best == nil || e.before(best)) {
			best, params = e, p
		}
	}
	return best, params
}

// match compares a path with the operation's. A parameter in manyParts can contain slashes: it
// takes the segments that the others leave.
func (e *endpoint) match(parts []string) (map[string]string, bool) {
	if len(parts) == 0 {
		parts = []string{""}
	}
	spare := len(parts) - len(e.segments)
	params, at := map[string]string{}, 0
	for _, seg := range e.segments {
		if !strings.HasPrefix(seg, "{") {
			if at >= len(parts) || seg != parts[at] {
				return nil, false
			}
			at++
			continue
		}
		name, n := strings.Trim(seg, "{}"), 1
		if manyParts[name] {
			n, spare = 1+spare, 0
		}
		if n < 0 || at+n > len(parts) {
			return nil, false
		}
		value := strings.Join(parts[at:at+n], "/")
		// Only the path of a repository's root is empty.
		if value == "" && name != "path" || isNumber(name) && strings.Trim(value, "0123456789") != "" {
			return nil, false
		}
		params[name], at = value, at+n
	}
	return params, at == len(parts)
}

var manyParts = map[string]bool{"path": true, "ref": true, "basehead": true}

func isNumber(param string) bool {
	return strings.HasSuffix(param, "_id") || strings.HasSuffix(param, "_number")
}

// before compares two endpoints that match: at the first difference, the literal wins.
func (e *endpoint) before(other *endpoint) bool {
	for i := range min(len(e.segments), len(other.segments)) {
		a, b := strings.HasPrefix(e.segments[i], "{"), strings.HasPrefix(other.segments[i], "{")
		if a != b {
			return b
		}
	}
	return len(e.segments) > len(other.segments)
}
