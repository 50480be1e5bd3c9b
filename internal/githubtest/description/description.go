// Package description holds GitHub's published descriptions of its REST API and
// of its webhooks, cut down to what odfix uses, and checks messages against
// them: requests an App sends, answers and payloads the stand-in makes.
//
// Invariants: the descriptions are GitHub's own, never edited by hand (see
// data/ORIGIN.md); a message that passes may still be wrong in ways that the
// descriptions do not know, such as a review comment off the diff.
package description

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

//go:embed data/*.gz
var data embed.FS

// API is the description of the REST API.
type API struct {
	doc        *openapi3.T
	operations map[string]*Operation
}

// Operation is one method of one path.
type Operation struct {
	ID     string // such as "checks/create"
	Method string
	Path   string // such as "/repos/{owner}/{repo}/check-runs"
	Docs   string // where GitHub documents it

	route *routers.Route
}

// REST is the description of the REST API; it is read once.
var REST = sync.OnceValues(func() (*API, error) {
	raw, err := unpack("api.json.gz")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("GitHub's API description cannot be read: %w", err)
	}
	mend(doc)
	api := &API{doc: doc, operations: map[string]*Operation{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			api.operations[op.OperationID] = operation(doc, path, item, method, op)
		}
	}
	return api, nil
})

func operation(doc *openapi3.T, path string, item *openapi3.PathItem, method string, op *openapi3.Operation) *Operation {
	docs := "https://docs.github.com/rest"
	if op.ExternalDocs != nil {
		docs = op.ExternalDocs.URL
	}
	return &Operation{ID: op.OperationID, Method: method, Path: path, Docs: docs,
		route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}}
}

// Operation is the operation of that id, or nil.
func (a *API) Operation(id string) *Operation { return a.operations[id] }

// Operations are all operations, ordered by id.
func (a *API) Operations() []*Operation {
	all := make([]*Operation, 0, len(a.operations))
	for _, op := range a.operations {
		all = append(all, op)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}

// Names are the names of the operation's path parameters, in order.
func (o *Operation) Names() []string {
	var names []string
	for _, part := range strings.Split(o.Path, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		names = append(names, name)
	}
	return names
}

func unpack(name string) ([]byte, error) {
	packed, err := data.ReadFile("data/" + name)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Example is one published example of a webhook's payload.
type Example struct {
	Event   string
	Payload json.RawMessage
}

// Examples are the published payload examples of the events odfix uses.
func Examples() ([]Example, error) {
	raw, err := unpack("examples.json.gz")
	if err != nil {
		return nil, err
	}
	var events []struct {
		Name     string            `json:"name"`
		Examples []json.RawMessage `json:"examples"`
	}
	if err := json.Unmarshal(raw, &events); err != nil {
		return nil, err
	}
	var all []Example
	for _, e := range events {
		for _, payload := range e.Examples {
			all = append(all, Example{Event: e.Name, Payload: payload})
		}
	}
	return all, nil
}

// RequiredInAnswer names what the operation's 200 answer must hold.
func (o *Operation) RequiredInAnswer() []string {
	r := o.route.Operation.Responses.Status(200)
	if r == nil || r.Value == nil {
		return nil
	}
	media := r.Value.Content.Get("application/json")
	if media == nil {
		return nil
	}
	return media.Schema.Value.Required
}
