package kubetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/yaml"
)

// adapterValues are the values of prometheus-adapter's chart that the example sets.
type adapterValues struct {
	Rules struct {
		Default  bool `json:"default"`
		External []struct {
			SeriesQuery string `json:"seriesQuery"`
			Resources   struct {
				Overrides map[string]struct {
					Resource string `json:"resource"`
				} `json:"overrides"`
			} `json:"resources"`
			Name struct {
				As string `json:"as"`
			} `json:"name"`
			MetricsQuery string `json:"metricsQuery"`
		} `json:"external"`
	} `json:"rules"`
}

// TestAdapter: the metric that the autoscaler asks for is the one that the example for
// prometheus-adapter serves, with a query for the series of the server.
func TestAdapter(t *testing.T) {
	long(t)
	text, err := os.ReadFile(filepath.Join(ChartDir(), "files", "prometheus-adapter.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var v adapterValues
	if err := yaml.UnmarshalStrict(text, &v); err != nil || len(v.Rules.External) != 1 {
		t.Fatalf("%+v, %v", v, err)
	}
	rule := v.Rules.External[0]
	list := All[*autoscalingv2.HorizontalPodAutoscaler](Render(t, everything...))
	if len(list) != 1 || len(list[0].Spec.Metrics) != 1 || list[0].Spec.Metrics[0].External == nil {
		t.Fatalf("autoscalers %+v", list)
	}
	m := list[0].Spec.Metrics[0].External
	if m.Metric.Name != rule.Name.As || rule.SeriesQuery != `{__name__="`+m.Metric.Name+`"}` ||
		rule.Resources.Overrides["namespace"].Resource != "namespace" {
		t.Errorf("the autoscaler asks for %s, the adapter has %+v", m.Metric.Name, rule)
	}
	if m.Target.Type != autoscalingv2.AverageValueMetricType || m.Target.AverageValue.Value() != 200 {
		t.Errorf("target %+v", m.Target)
	}
	// The adapter fills in the query, with the selector's labels and the namespace as matchers.
	query, err := template.New("").Delims("<<", ">>").Parse(rule.MetricsQuery)
	if err != nil {
		t.Fatal(err)
	}
	matchers := []string{`namespace="odfix"`}
	for label, value := range m.Metric.Selector.MatchLabels {
		matchers = append(matchers, label+`="`+value+`"`)
	}
	var out bytes.Buffer
	if err := query.Execute(&out, map[string]string{"Series": "odfix_queue_jobs", "LabelMatchers": strings.Join(matchers, ",")}); err != nil {
		t.Fatal(err)
	}
	if want := `max(odfix_queue_jobs{namespace="odfix",state="available"})`; out.String() != want {
		t.Errorf("query %s, want %s", &out, want)
	}
}
