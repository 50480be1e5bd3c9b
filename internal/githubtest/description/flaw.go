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
	// An installation's account is a user or an enterprise, as it is where one
	// installation is described; in the list it is both at once.
	list := doc.Paths.Value("/app/installations").Get.Responses.Status(200).Value.Content.Get("application/json").Schema.Value
	list.Items = doc.Components.Schemas["installation"]
}
