package description

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func rest(t *testing.T) *API {
	t.Helper()
	api, err := REST()
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func TestEveryListedOperationIsDescribed(t *testing.T) {
	list, err := os.ReadFile("data/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	api, n := rest(t), 0
	for _, id := range strings.Split(string(list), "\n") {
		if id == "" || strings.HasPrefix(id, "#") {
			continue
		}
		n++
		if api.Operation(id) == nil {
			t.Errorf("%s is listed and not described: run data/renew.mjs", id)
		}
	}
	if got := len(api.Operations()); got != n {
		t.Errorf("%d operations described, %d listed", got, n)
	}
}

func TestRequests(t *testing.T) {
	op := rest(t).Operation("checks/create")
	params := map[string]string{"owner": "o", "repo": "r"}
	for _, c := range []struct{ name, query, body, want string }{
		{"right", "", `{"name":"odfix","head_sha":"abc"}`, ""},
		{"missing", "", `{"name":"odfix"}`, `head_sha`},
		{"unknown property", "", `{"name":"odfix","head_sha":"abc","output":{"title":"t","summary":"s","colour":1}}`, "output.colour"},
		{"wrong type", "", `{"name":1,"head_sha":"abc"}`, "string"},
		{"too long a label", "", `{"name":"n","head_sha":"abc","actions":[{"label":"` + strings.Repeat("x", 21) +
			`","description":"d","identifier":"i"}]}`, "maximum string length is 20"},
		{"unknown query", "?sha=1", `{"name":"odfix","head_sha":"abc"}`, "query parameters unknown"},
		{"not JSON", "", `{`, "not JSON"},
	} {
		r := httptest.NewRequest("POST", "/repos/o/r/check-runs"+c.query, strings.NewReader(c.body))
		_, err := op.CheckRequest(r, params, []byte(c.body))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	op := rest(t).Operation("apps/create-installation-access-token")
	r := httptest.NewRequest("POST", "/app/installations/1/access_tokens", nil)
	header := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	params := map[string]string{"installation_id": "1"}
	good := `{"token":"t","expires_at":"2026-01-01T00:00:00Z","permissions":{"checks":"write"},"repository_selection":"all"}`
	if err := op.CheckAnswer(r, params, 201, header, []byte(good)); err != nil {
		t.Error(err)
	}
	if err := op.CheckAnswer(r, params, 201, header, []byte(`{"token":"t"}`)); err == nil {
		t.Error("an answer without expires_at passed")
	}
	if err := op.CheckAnswer(r, params, 200, header, []byte(good)); err == nil {
		t.Error("a status that is not described passed")
	}
}

// The published examples satisfy the published schemas, so the check is as strict as GitHub's. Some
// examples are years old and lack newer fields.
func TestPublishedExamplesPass(t *testing.T) {
	examples, err := Examples()
	if err != nil {
		t.Fatal(err)
	}
	passed, seen := map[string]int{}, map[string]int{}
	for _, e := range examples {
		seen[e.Event]++
		err := CheckWebhook(e.Event, e.Payload)
		if err == nil {
			passed[e.Event]++
			continue
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if strings.Contains(line, "additional propert") {
				t.Errorf("%s: %s", e.Event, line)
			}
		}
	}
	for event, n := range seen {
		if passed[event] == 0 {
			t.Errorf("none of %d examples of %s passes", n, event)
		}
	}
	t.Log(len(examples), "examples, passed:", passed)
}

func TestInvalidPayloads(t *testing.T) {
	if err := CheckWebhook("check_run", []byte(`{"action":"completed"}`)); err == nil {
		t.Error("an empty payload passed")
	}
	if err := CheckWebhook("check_run", []byte(`{"action":"danced"}`)); err == nil {
		t.Error("an unknown action passed")
	}
}
