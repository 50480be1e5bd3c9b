package description

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// Complaint is what GitHub would say of a request that does not fit, or empty.
// GitHub says nothing of names it does not know.
func (o *Operation) Complaint(r *http.Request, params map[string]string, body []byte) string {
	shadow := r.Clone(r.Context())
	shadow.Body = io.NopCloser(bytes.NewReader(body))
	if len(body) > 0 {
		shadow.Header.Set("Content-Type", "application/json")
	}
	err := openapi3filter.ValidateRequest(r.Context(), o.input(shadow, params))
	if err == nil {
		return ""
	}
	var lines []string
	for _, e := range flat(err) {
		lines = append(lines, sentence(e))
	}
	return strings.Join(lines, "\n")
}

// flat lists the single errors below one of several.
func flat(err error) []error {
	var many openapi3.MultiError
	var request *openapi3filter.RequestError
	if errors.As(err, &request) && request.Err != nil {
		if errors.As(request.Err, &many) {
			return each(many)
		}
		return []error{request.Err}
	}
	if errors.As(err, &many) {
		return each(many)
	}
	return []error{err}
}

func each(many openapi3.MultiError) []error {
	var all []error
	for _, e := range many {
		all = append(all, flat(e)...)
	}
	return all
}

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
