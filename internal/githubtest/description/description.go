// Package description checks messages against GitHub's published descriptions of its REST API and
// of its webhooks: requests of an App, answers and payloads of the stand-in.
//
// Invariants: the descriptions are GitHub's own, reduced to what odfix uses, and never edited by
// hand (see data/ORIGIN.md). A message that passes can still be wrong: the descriptions do not
// contain every rule, such as that a review comment is on the diff.
package description

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
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

// REST is the description of the REST API. It is read once.
var REST = sync.OnceValues(func() (*API, error) {
	raw, err := unpack("api.json.gz")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("GitHub's API description cannot be read: %w", err)
	}
	correct(doc)
	api := &API{doc: doc, operations: map[string]*Operation{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o := &Operation{ID: op.OperationID, Method: method, Path: path, Docs: "https://docs.github.com/rest",
				route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: op}}
			if op.ExternalDocs != nil {
				o.Docs = op.ExternalDocs.URL
			}
			api.operations[o.ID] = o
		}
	}
	return api, nil
})

// Operation returns the operation of that id, or nil.
func (a *API) Operation(id string) *Operation { return a.operations[id] }

// Operations returns all operations, ordered by id.
func (a *API) Operations() []*Operation {
	return slices.SortedFunc(maps.Values(a.operations), func(a, b *Operation) int { return strings.Compare(a.ID, b.ID) })
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
	return io.ReadAll(r)
}

// Example is a published example of a webhook's payload.
type Example struct {
	Event   string
	Payload json.RawMessage
}

// Examples returns the published examples of the events that the stand-in sends, for tests.
func Examples() ([]Example, error) {
	raw, err := unpack("examples.json.gz")
	if err != nil {
		return nil, err
	}
	var events []struct {
		Name     string            `json:"name"`
		Examples []json.RawMessage `json:"examples"`
	}
	err = json.Unmarshal(raw, &events)
	var all []Example
	for _, e := range events {
		for _, payload := range e.Examples {
			all = append(all, Example{e.Name, payload})
		}
	}
	return all, err
}
