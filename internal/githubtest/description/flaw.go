package description

import "github.com/getkin/kin-openapi/openapi3"

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

// mendWebhooks does the same for the schemas of webhooks. A job ends in more
// ways than its event's schema knows: the API describes the same job with these.
func mendWebhooks(doc any) {
	conclusions := []any{"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"}
	at(doc, "definitions", "workflow-job", "properties")["conclusion"] = map[string]any{"enum": append(conclusions, nil)}
	branches, _ := at(doc, "definitions", "workflow_job$completed", "properties", "workflow_job")["allOf"].([]any)
	for _, branch := range branches {
		if p := at(branch, "properties"); p["conclusion"] != nil {
			p["conclusion"] = map[string]any{"enum": conclusions}
		}
	}
}

// at steps down into JSON; what is not there is an empty object.
func at(doc any, path ...string) map[string]any {
	for _, name := range path {
		o, _ := doc.(map[string]any)
		doc = o[name]
	}
	if o, ok := doc.(map[string]any); ok {
		return o
	}
	return map[string]any{}
}
