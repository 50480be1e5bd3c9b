package format

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/templates"
)

// The parts of SARIF 2.1.0 that odfix writes. The libraries for it bring a validator and its
// dependencies into the program, for these few types.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Name  string       `json:"name"`
		Short sarifMessage `json:"shortDescription"`
		Full  sarifMessage `json:"fullDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
		End   int `json:"endLine"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// rules are the verdicts that become results.
var rules = []sarifRule{
	{"order-dependent", "OrderDependentTest", sarifMessage{"A test depends on the order in which tests run"},
		sarifMessage{"The test passes in one order of tests and fails in another, because another test leaves shared state changed, " +
			"or because it needs state that another test leaves."}},
	{"flaky", "FlakyTest", sarifMessage{"A test is flaky, whatever the order of tests"},
		sarifMessage{"The test has different outcomes in one and the same order of tests."}},
}

// sarif is the report as a SARIF log with one run.
func sarif(r *job.Report, all []finding) (string, error) {
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: r.Error == nil}},
		Tool: sarifTool{sarifDriver{Name: "odfix", Version: strings.TrimPrefix(templates.Harmless(r.Tool, false), "odfix "),
			URI: "https://github.com/odfix/odfix", Rules: rules}}}
	if r.Error != nil {
		run.Invocations[0].Notifications = []sarifNotification{{"error", sarifMessage{templates.Harmless(r.Error.Message, false)}}}
	}
	for _, f := range all {
		run.Results = append(run.Results, result(f))
	}
	text, err := json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "", "  ")
	return string(text) + "\n", err
}

func result(f finding) sarifResult {
	rule := 0
	if f.verdict == suite.FlakyOther {
		rule = 1
	}
	// Neither lines nor commits: the same finding keeps its fingerprint.
	sum := sha256.Sum256([]byte(string(f.verdict) + "\n" + string(f.test)))
	out := sarifResult{RuleID: rules[rule].ID, RuleIndex: rule, Level: strings.Replace(level(f.verdict), "notice", "note", 1),
		Message: sarifMessage{f.message}, Fingerprints: map[string]string{"odfixTest/v1": hex.EncodeToString(sum[:8])}}
	if f.path != "" {
		out.Locations = []sarifLocation{{
			Physical: sarifPhysical{sarifArtifact{(&url.URL{Path: f.path}).EscapedPath(), "%SRCROOT%"}, sarifRegion{f.first, f.last}},
			Logical:  []sarifLogical{{templates.Harmless(string(f.test), false), "function"}},
		}}
	}
	return out
}
