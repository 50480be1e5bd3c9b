package kubetest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// ChartDir is the folder of the chart.
func ChartDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../../charts/odfix")
}

// Helm runs helm and returns its output. It fails the test if helm cannot be had.
func Helm(t testing.TB, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(helmPath(t), args...)
	cmd.Env = append(cmd.Environ(), "HELM_CACHE_HOME="+t.TempDir(), "HELM_CONFIG_HOME="+t.TempDir(), "HELM_DATA_HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), errors.Join(err, errors.New(errs.String()))
	}
	return out.String(), nil
}

func helmPath(t testing.TB) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	path, err := exec.Command(filepath.Join(filepath.Dir(file), "../../.ci/helm")).Output()
	if err != nil {
		t.Fatalf(".ci/helm: %v", err)
	}
	return strings.TrimSpace(string(path))
}

// Render renders the chart as a release "odfix" in the namespace "odfix".
func Render(t testing.TB, args ...string) []apiruntime.Object {
	t.Helper()
	out, err := Helm(t, append([]string{"template", "odfix", ChartDir(), "--namespace", "odfix", "--kube-version", kubeVersion, "--set", "app.id=7"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return Decode(t, out)
}

// custom are kinds that no typed object exists for here.
var custom = []string{"kind: ServiceMonitor\n", "kind: PrometheusRule\n"}

// Decode reads manifests strictly: unknown and repeated fields fail the test. Kinds of other projects
// are left out.
func Decode(t testing.TB, manifests string) []apiruntime.Object {
	t.Helper()
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var out []apiruntime.Object
	for docs := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifests))); ; {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(doc), "kind: ") || isCustom(string(doc)) {
			continue
		}
		obj, _, err := decoder.Decode(doc, nil, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		out = append(out, obj)
	}
}

func isCustom(doc string) bool {
	for _, kind := range custom {
		if strings.Contains(doc, kind) {
			return true
		}
	}
	return false
}

// All are the objects of one type.
func All[T apiruntime.Object](objects []apiruntime.Object) []T {
	var out []T
	for _, o := range objects {
		if t, ok := o.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

// kubeVersion is what helm takes for the cluster's version when it renders.
const kubeVersion = "1.36.3"
