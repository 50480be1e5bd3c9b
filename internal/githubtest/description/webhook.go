package description

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const webhooksURL = "mem:///webhooks.json"

var webhooks = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	raw, err := unpack("webhooks.json.gz")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	correctWebhooks(doc)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: template})
	return c, c.AddResource(webhooksURL, doc)
})

// template replaces the library's check, which refuses expressions with an operator, such as
// {/owner}. GitHub's templates have many of those.
func template(v any) error {
	s, ok := v.(string)
	if ok && strings.Count(s, "{") != strings.Count(s, "}") {
		return fmt.Errorf("%q has a brace that is not closed", s)
	}
	return nil
}

var compiling sync.Mutex // a Compiler is not safe for concurrent use

// CheckWebhook returns what the published schema does not allow in a payload.
func CheckWebhook(event string, payload []byte) error {
	var head struct {
		Action string `json:"action"`
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("the payload of %s is not JSON: %w", event, err)
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return err
	}
	kind := head.Action
	kind = cmp.Or(kind, "event")
	schema, err := webhookSchema(event + "$" + kind)
	if err != nil {
		return fmt.Errorf("no schema of %s %s: %w", event, head.Action, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s %s: %w", event, head.Action, err)
	}
	return nil
}

func webhookSchema(name string) (*jsonschema.Schema, error) {
	compiling.Lock()
	defer compiling.Unlock()
	c, err := webhooks()
	if err != nil {
		return nil, err
	}
	return c.Compile(webhooksURL + "#/definitions/" + name)
}
