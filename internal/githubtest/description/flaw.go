package description

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// correct changes the published description where it contradicts GitHub. A comment at each change
// names the evidence.
func correct(doc *openapi3.T) {
	comment := doc.Components.Schemas["pull-request-review-comment"].Value
	for _, name := range []string{"line", "position"} {
		// Outdated comments have no line: their published webhook payloads have null, and so does
		// the schema of the webhook.
		comment.Properties[name].Value.Nullable = true
		doc.Components.Schemas["review-comment"].Value.Properties[name].Value.Nullable = true
	}
	// An installation's account is a user or an enterprise. The schema of the list says that it is
	// both.
	list := doc.Paths.Value("/app/installations").Get.Responses.Status(200).Value.Content.Get("application/json").Schema.Value
	list.Items = doc.Components.Schemas["installation"]
}

// conclusions are those of checks, suites, runs and jobs in the description of the API.
var conclusions = []any{"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required", "startup_failure", "stale"}

// correctWebhooks adds conclusions to the schemas of webhooks. They have fewer than the description
// of the API has for the same checks and jobs. Steps really have fewer.
func correctWebhooks(node any) {
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			correctWebhooks(one)
		}
	case map[string]any:
		for name, one := range node {
			if conclusion, ok := one.(map[string]any); ok && name == "conclusion" {
				widen(conclusion)
			}
			if !strings.HasPrefix(name, "workflow-step") {
				correctWebhooks(one)
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
