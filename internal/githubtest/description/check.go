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
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// CheckRequest checks path and query parameters and the body. refusal is GitHub's text for a
// request that it refuses. mismatch is what the description does not allow. It includes unknown
// names: GitHub ignores them, so they are always a mistake.
func (o *Operation) CheckRequest(r *http.Request, params map[string]string, body []byte) (refusal string, mismatch error) {
	shadow := r.Clone(r.Context())
	shadow.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) > 0 {
		// GitHub reads every body as JSON, whatever its content type is.
		shadow.Header.Set("Content-Type", "application/json")
	}
	err := openapi3filter.ValidateRequest(r.Context(), o.input(shadow, params))
	if err != nil {
		var lines []string
		for _, e := range flat(err) {
			lines = append(lines, sentence(e))
		}
		refusal = strings.Join(lines, "\n")
	}
	return refusal, errors.Join(brief(err), o.unknownQuery(r), o.unknownBody(body))
}

func (o *Operation) input(r *http.Request, params map[string]string) *openapi3filter.RequestValidationInput {
	if path, there := params["path"]; there && path == "" {
		// The path of a repository's root is empty. The library refuses empty path parameters.
		params = maps.Clone(params)
		params["path"] = "/"
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: o.route,
		Options: &openapi3filter.Options{MultiError: true, SkipSettingDefaults: true, IncludeResponseStatus: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
}

// CheckAnswer returns what the description does not allow in an answer. It does not check errors:
// GitHub describes only some of them, and some of their schemas exclude each other.
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

// brief keeps the messages of an error and drops the schemas and values, which fill pages.
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
	var extra []string
	for name := range r.URL.Query() {
		if !known[name] {
			extra = append(extra, name)
		}
	}
	if len(extra) == 0 {
		return nil
	}
	slices.Sort(extra)
	return fmt.Errorf("query parameters unknown to %s: %s", o.ID, strings.Join(extra, ", "))
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
	extra := unknown(media.Schema.Value, value, "")
	if len(extra) == 0 {
		return nil
	}
	return fmt.Errorf("properties unknown to %s: %s", o.ID, strings.Join(extra, ", "))
}

// unknown lists the properties that no branch of the schema names, each with its path.
func unknown(schema *openapi3.Schema, value any, at string) []string {
	var extra []string
	switch value := value.(type) {
	case []any:
		if items := itemsOf(schema); items != nil {
			for i, v := range value {
				extra = append(extra, unknown(items, v, fmt.Sprintf("%s[%d]", at, i))...)
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
				extra = append(extra, where)
			} else {
				extra = append(extra, unknown(p, v, where)...)
			}
		}
	}
	slices.Sort(extra)
	return extra
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

// properties are those of all branches. open means that any name is allowed.
func properties(schema *openapi3.Schema) (map[string]*openapi3.Schema, bool) {
	known := map[string]*openapi3.Schema{}
	for name, ref := range schema.Properties {
		known[name] = ref.Value
	}
	additional := schema.AdditionalProperties
	open := additional.Schema != nil || additional.Has != nil && *additional.Has
	for _, branch := range branches(schema) {
		more, o := properties(branch)
		maps.Copy(known, more)
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

// flat lists the single errors in an error.
func flat(err error) []error {
	var many openapi3.MultiError
	if request, ok := errors.AsType[*openapi3filter.RequestError](err); ok && request.Err != nil {
		err = request.Err
	}
	if !errors.As(err, &many) {
		return []error{err}
	}
	var all []error
	for _, e := range many {
		all = append(all, flat(e)...)
	}
	return all
}

// sentence is GitHub's text for an error.
func sentence(err error) string {
	var s *openapi3.SchemaError
	if !errors.As(err, &s) {
		return brief(err).Error()
	}
	at := strings.Join(s.JSONPointer(), "/")
	switch s.SchemaField {
	case "required":
		name := at[strings.LastIndex(at, "/")+1:]
		return fmt.Sprintf("%q wasn't supplied.", name)
	case "maxItems":
		if items, ok := s.Value.([]any); ok && s.Schema.MaxItems != nil {
			return fmt.Sprintf("No more than %d items are allowed; %d were supplied.", *s.Schema.MaxItems, len(items))
		}
	case "maxLength":
		if text, ok := s.Value.(string); ok && s.Schema.MaxLength != nil {
			return fmt.Sprintf("Only %d characters are allowed; %d were supplied.", *s.Schema.MaxLength, len([]rune(text)))
		}
	case "type":
		if s.Schema.Type != nil {
			return fmt.Sprintf("For 'properties/%s', %v is not a %s.", at, s.Value, strings.Join(s.Schema.Type.Slice(), " or "))
		}
	case "enum":
		return fmt.Sprintf("For 'properties/%s', %v is not a possible value.", at, s.Value)
	}
	return fmt.Sprintf("For 'properties/%s', %s.", at, s.Reason)
}
