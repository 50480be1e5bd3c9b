package description

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// mend puts right where the published description contradicts GitHub itself.
// The list is short on purpose; each line says how we know.
func mend(doc *openapi3.T) {
	comment := doc.Components.Schemas["pull-request-review-comment"].Value
	for _, name := range []string{"line", "position"} {
		// Outdated comments stand on no line: their published webhook payloads
		// have null, and so does the schema of those.
		comment.Properties[name].Value.Nullable = true
		doc.Components.Schemas["review-comment"].Value.Properties[name].Value.Nullable = true
	}
	// The head of a pull request is null once its fork was deleted; the schema of
	// the event says so.
	for _, name := range []string{"pull-request", "pull-request-simple"} {
		head := doc.Components.Schemas[name].Value.Properties["head"].Value
		for _, side := range []string{"repo", "user"} {
			head.Properties[side] = orNull(head.Properties[side])
		}
	}
	// An installation's account is a user or an enterprise, as it is where one
	// installation is described; in the list it is both at once.
	list := doc.Paths.Value("/app/installations").Get.Responses.Status(200).Value.Content.Get("application/json").Schema.Value
	list.Items = doc.Components.Schemas["installation"]
}

func orNull(ref *openapi3.SchemaRef) *openapi3.SchemaRef {
	return &openapi3.SchemaRef{Value: &openapi3.Schema{Nullable: true, AllOf: openapi3.SchemaRefs{ref}}}
}

// conclusions are those that the description of the API knows for checks, suites, runs and jobs.
var conclusions = []any{"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required", "startup_failure", "stale"}

// mendWebhooks does the same for the schemas of webhooks: there, checks and jobs
// end in fewer ways than the API describes the very same checks and jobs with.
// Steps do end in fewer ways.
func mendWebhooks(node any) {
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			mendWebhooks(one)
		}
	case map[string]any:
		for name, one := range node {
			if conclusion, ok := one.(map[string]any); ok && name == "conclusion" {
				widen(conclusion)
			}
			if !strings.HasPrefix(name, "workflow-step") {
				mendWebhooks(one)
			}
		}
	}
}

func widen(conclusion map[string]any) {
	enum, _ := conclusion["enum"].([]any)
	if !slices.Contains(enum, any("failure")) {
		return
	}
	for _, c := range conclusions {
		if !slices.Contains(enum, c) {
			enum = append(enum, c)
		}
	}
	conclusion["enum"] = enum
}
