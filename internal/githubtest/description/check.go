package description

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// CheckRequest says what in a request the description does not allow: path and
// query parameters, the body, and also names it does not know, which GitHub
// silently ignores and which are therefore always a mistake.
func (o *Operation) CheckRequest(r *http.Request, params map[string]string, body []byte) error {
	shadow := r.Clone(r.Context())
	shadow.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) > 0 && shadow.Header.Get("Content-Type") == "" {
		// GitHub reads every body as JSON, whatever it is called.
		shadow.Header.Set("Content-Type", "application/json")
	}
	err := openapi3filter.ValidateRequest(r.Context(), o.input(shadow, params))
	return errors.Join(brief(err), o.unknownQuery(r), o.unknownBody(body))
}

func (o *Operation) input(r *http.Request, params map[string]string) *openapi3filter.RequestValidationInput {
	if path, there := params["path"]; there && path == "" {
		// The root of a repository is an empty path, which no path parameter may be.
		params = maps.Clone(params)
		params["path"] = "/"
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: o.route,
		Options: &openapi3filter.Options{MultiError: true, SkipSettingDefaults: true, IncludeResponseStatus: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
}

// CheckAnswer says what in an answer the description does not allow. Errors are
// left out: which ones an operation may give is described in part only, and some
// of their schemas exclude each other.
func (o *Operation) CheckAnswer(r *http.Request, params map[string]string, status int, header http.Header, body []byte) error {
	if status >= 400 || status == http.StatusNotModified || !isJSON(header.Get("Content-Type")) {
		return nil
	}
	in := o.input(r, params)
	err := openapi3filter.ValidateResponse(context.WithoutCancel(r.Context()), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: status, Header: header,
		Body: io.NopCloser(bytes.NewReader(body)), Options: in.Options,
	})
	return brief(err)
}

func isJSON(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "application/json"
}

// brief keeps what is wrong and drops the schema and the value, which run to pages.
func brief(err error) error {
	if err == nil {
		return nil
	}
	var lines []string
	for _, line := range strings.Split(err.Error(), "\n") {
		text := strings.TrimSpace(line)
		if text == "Schema:" || text == "Value:" {
			continue
		}
		if strings.HasPrefix(line, "  ") || text == "" {
			continue
		}
		lines = append(lines, text)
	}
	return errors.New(strings.Join(lines, "; "))
}

func (o *Operation) unknownQuery(r *http.Request) error {
	known := map[string]bool{}
	for _, list := range []openapi3.Parameters{o.route.PathItem.Parameters, o.route.Operation.Parameters} {
		for _, p := range list {
			known[p.Value.Name] = p.Value.In == "query"
		}
	}
	var odd []string
	for name := range r.URL.Query() {
		if !known[name] {
			odd = append(odd, name)
		}
	}
	if len(odd) == 0 {
		return nil
	}
	sort.Strings(odd)
	return fmt.Errorf("query parameters unknown to %s: %s", o.ID, strings.Join(odd, ", "))
}

func (o *Operation) unknownBody(body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	if o.route.Operation.RequestBody == nil {
		return fmt.Errorf("%s takes no body", o.ID)
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	media := o.route.Operation.RequestBody.Value.Content.Get("application/json")
	if media == nil {
		return nil
	}
	odd := unknown(media.Schema.Value, value, "")
	if len(odd) == 0 {
		return nil
	}
	return fmt.Errorf("properties unknown to %s: %s", o.ID, strings.Join(odd, ", "))
}

// unknown are the paths of properties that no branch of the schema names.
func unknown(schema *openapi3.Schema, value any, at string) []string {
	var odd []string
	switch value := value.(type) {
	case []any:
		if items := itemsOf(schema); items != nil {
			for i, v := range value {
				odd = append(odd, unknown(items, v, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case map[string]any:
		known, open := properties(schema)
		if open {
			return nil
		}
		for name, v := range value {
			where := strings.TrimPrefix(at+"."+name, ".")
			if p := known[name]; p == nil {
				odd = append(odd, where)
			} else {
				odd = append(odd, unknown(p, v, where)...)
			}
		}
	}
	sort.Strings(odd)
	return odd
}

func itemsOf(schema *openapi3.Schema) *openapi3.Schema {
	if schema.Items != nil {
		return schema.Items.Value
	}
	for _, branch := range branches(schema) {
		if items := itemsOf(branch); items != nil {
			return items
		}
	}
	return nil
}

// properties are all that any branch names; open says that any name will do.
func properties(schema *openapi3.Schema) (map[string]*openapi3.Schema, bool) {
	known := map[string]*openapi3.Schema{}
	for name, ref := range schema.Properties {
		known[name] = ref.Value
	}
	additional := schema.AdditionalProperties
	open := additional.Schema != nil || additional.Has != nil && *additional.Has
	for _, branch := range branches(schema) {
		more, o := properties(branch)
		for name, p := range more {
			known[name] = p
		}
		open = open && o
	}
	return known, open && len(known) == 0
}

func branches(schema *openapi3.Schema) []*openapi3.Schema {
	var all []*openapi3.Schema
	for _, refs := range []openapi3.SchemaRefs{schema.OneOf, schema.AnyOf, schema.AllOf} {
		for _, ref := range refs {
			all = append(all, ref.Value)
		}
	}
	return all
}
