package githubtest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/githubtest/description"
)

// who may use an operation.
type who int

const (
	anyone       who = iota
	asApp            // with a JSON web token signed by the App's key
	asInstall        // with an installation access token
	onRepository     // with an installation access token that covers the repository, reads of public ones by anyone
)

// endpoint is an operation, who may use it, and what answers it. The paths of
// GitHub's API overlap (/issues/comments/{id}, /issues/{number}/comments), which
// net/http's ServeMux refuses; so they are matched here, literals first.
type endpoint struct {
	op       *description.Operation
	who      who
	need     string // such as "checks:write"; "issues:write|pull_requests:write": one of them
	do       func(*call) (answer, error)
	segments []string
}

// entry is a line of the tables that say which operations there are.
type entry struct {
	id   string
	who  who
	need string
	do   func(*call) (answer, error)
}

func endpoints(rest *description.API) ([]*endpoint, error) {
	var all []*endpoint
	seen := map[string]bool{}
	for _, e := range slices.Concat(appTable, repositoryTable, pullTable, reviewTable, commentTable, checkTable, gitTable, actionsTable) {
		op := rest.Operation(e.id)
		if op == nil || seen[e.id] {
			return nil, fmt.Errorf("%s is not described, or there twice", e.id)
		}
		seen[e.id] = true
		all = append(all, &endpoint{op: op, who: e.who, need: e.need, do: e.do, segments: strings.Split(op.Path, "/")[1:]})
	}
	for _, op := range rest.Operations() {
		if !seen[op.ID] {
			return nil, fmt.Errorf("%s is described and not answered", op.ID)
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

// match fits a path to the operation's. Paths and references may hold slashes:
// they take all that the segments around them leave.
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
		// The root of a repository is an empty path; nothing else is empty.
		if value == "" && name != "path" || isNumber(name) && strings.Trim(value, "0123456789") != "" {
			return nil, false
		}
		params[name], at = value, at+n
	}
	return params, at == len(parts)
}

var manyParts = map[string]bool{"path": true, "ref": true, "basehead": true, "branch": true}

func isNumber(param string) bool {
	return param != "workflow_id" && (strings.HasSuffix(param, "_id") || strings.HasSuffix(param, "_number"))
}

// before prefers a literal over a parameter, wherever they first differ.
func (e *endpoint) before(other *endpoint) bool {
	for i := range min(len(e.segments), len(other.segments)) {
		a, b := strings.HasPrefix(e.segments[i], "{"), strings.HasPrefix(other.segments[i], "{")
		if a != b {
			return b
		}
	}
	return len(e.segments) > len(other.segments)
}
