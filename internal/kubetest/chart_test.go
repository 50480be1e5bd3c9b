package kubetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// everything switches all parts of the chart on.
var everything = []string{
	"--set", "database.type=postgres,server.replicas=2,worker.replicas=2,server.autoscaling.enabled=true,app.clientId=Iv1.x,app.url=https://odfix.example.com",
	"--set", "ingress.enabled=true,ingress.host=odfix.example.com,ingress.className=nginx",
	"--set", "metrics.serviceMonitor.enabled=true,metrics.alerts.enabled=true,metrics.dashboard.enabled=true",
	"--set", "runner.runtimeClassName=gvisor,runner.seccompProfile=profiles/odfix.json,runner.cacheClaim=maven-{installation}",
	"--set", "runner.nodeSelector.pool=tests,runner.images.21=registry/runner:21,runner.env.HTTPS_PROXY=http://proxy:3128",
	"--set-json", `runner.tolerations=[{"key":"tests","operator":"Exists"}]`, "--set-json", `runner.quota={"count/pods":"60"}`,
	"--set-json", `networkPolicy.runnerEgress=[{"to":[{"podSelector":{"matchLabels":{"app":"proxy"}}}],"ports":[{"port":3128}]}]`,
	"--set-json", `imagePullSecrets=["pull"]`, "--set-json", `server.env={"ODFIX_DELIVERY_TASKS":"8"}`,
}

func TestChartLint(t *testing.T) {
	long(t)
	if out, err := Helm(t, "lint", "--strict", ChartDir(), "--set", "app.id=7"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs helm, which make test-all prepares")
	}
}

// TestChartMistakes: settings that cannot work are refused with a reason.
func TestChartMistakes(t *testing.T) {
	long(t)
	for says, set := range map[string]string{
		"app.id is missing":                         "app.url=https://x",
		"SQLite has one server":                     "app.id=7,server.replicas=2",
		"runners need another namespace":            "app.id=7,runner.namespace=odfix",
		"ingress.host is missing":                   "app.id=7,ingress.enabled=true",
		"additional properties 'replica'":           "app.id=7,server.replica=2",
		"missing property 'memory'":                 "app.id=7,runner.resources.limits.memory=null",
		"value must be one of 'sqlite', 'postgres'": "app.id=7,database.type=mysql",
	} {
		out, err := Helm(t, "template", "odfix", ChartDir(), "--namespace", "odfix", "--kube-version", kubeVersion, "--set", set)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: want %q, got %v\n%.200s", set, says, err, out)
		}
	}
}

// TestChartPods: all pods fit the level restricted, are bounded, and have a service account only
// where they need one.
func TestChartPods(t *testing.T) {
	long(t)
	for name, args := range map[string][]string{"defaults": nil, "everything": everything} {
		t.Run(name, func(t *testing.T) {
			deployments := All[*appsv1.Deployment](Render(t, args...))
			if len(deployments) != 2 {
				t.Fatalf("%d Deployments", len(deployments))
			}
			for _, d := range deployments {
				pod := d.Spec.Template
				restricted(t, d.Name, &pod.ObjectMeta, &pod.Spec)
				worker := strings.HasSuffix(d.Name, "-worker")
				if *pod.Spec.AutomountServiceAccountToken != worker || *pod.Spec.EnableServiceLinks {
					t.Errorf("%s has a service account's token: %v", d.Name, *pod.Spec.AutomountServiceAccountToken)
				}
				c := pod.Spec.Containers[0]
				if !*c.SecurityContext.ReadOnlyRootFilesystem || c.Resources.Limits.Memory().IsZero() {
					t.Errorf("%s: security %+v, limits %v", d.Name, c.SecurityContext, c.Resources.Limits)
				}
				secretsOf(t, d.Name, pod.Spec, worker)
			}
		})
	}
}

// restricted checks a pod against the Pod Security level restricted.
func restricted(t *testing.T, what string, m *metav1.ObjectMeta, spec *corev1.PodSpec) {
	t.Helper()
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.EvaluatePod(psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}, m, spec) {
		if !r.Allowed {
			t.Errorf("%s: %s %s", what, r.ForbiddenReason, r.ForbiddenDetail)
		}
	}
}

// secretsOf: the worker sees its own credential only, and no secret is in the environment but the
// database's address.
func secretsOf(t *testing.T, what string, spec corev1.PodSpec, worker bool) {
	t.Helper()
	for _, v := range spec.Volumes {
		if v.Secret == nil {
			continue
		}
		var keys []string
		for _, i := range v.Secret.Items {
			keys = append(keys, i.Key)
		}
		if worker && !slices.Equal(keys, []string{"worker-token"}) || len(keys) == 0 {
			t.Errorf("%s has the keys %v", what, keys)
		}
	}
	for _, e := range spec.Containers[0].Env {
		if e.ValueFrom != nil && (worker || e.Name != "ODFIX_DATABASE_URL") {
			t.Errorf("%s has a secret in %s", what, e.Name)
		}
	}
}

// TestChartRole: the worker may do what it needs in the runners' namespace, and nothing elsewhere.
func TestChartRole(t *testing.T) {
	long(t)
	objects := Render(t)
	roles := All[*rbacv1.Role](objects)
	if len(roles) != 1 || roles[0].Namespace != "odfix-runners" || len(All[*rbacv1.ClusterRole](objects))+len(All[*rbacv1.ClusterRoleBinding](objects)) > 0 {
		t.Fatalf("roles %+v", roles)
	}
	for _, rule := range roles[0].Rules {
		for _, bad := range []string{"*", "update", "patch", "deletecollection"} {
			if slices.Contains(rule.Verbs, bad) {
				t.Errorf("the worker may %s %v", bad, rule.Resources)
			}
		}
		if slices.Contains(rule.Resources, "secrets") && slices.Contains(rule.Verbs, "list") {
			t.Error("the worker may list secrets")
		}
	}
	for _, n := range All[*corev1.Namespace](objects) {
		if n.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
			t.Errorf("namespace %s: %v", n.Name, n.Labels)
		}
	}
}

// TestChartNetwork: runners reach the work endpoint, names, and what the operator allows.
func TestChartNetwork(t *testing.T) {
	long(t)
	objects := Render(t, everything...)
	policies := map[string]*netv1.NetworkPolicy{}
	for _, p := range All[*netv1.NetworkPolicy](objects) {
		policies[p.Name] = p
	}
	runner := policies["odfix-runner"]
	if runner == nil || runner.Namespace != "odfix-runners" || len(runner.Spec.PodSelector.MatchLabels) > 0 || len(runner.Spec.PolicyTypes) != 2 || len(runner.Spec.Ingress) > 0 {
		t.Fatalf("policy of runners: %+v", runner)
	}
	var ports []int
	for _, e := range runner.Spec.Egress {
		if len(e.To) == 0 || len(e.Ports) == 0 {
			t.Errorf("runners reach anything: %+v", e)
		}
		for _, p := range e.Ports {
			ports = append(ports, p.Port.IntValue())
		}
	}
	if want := []int{8082, 53, 53, 3128}; !slices.Equal(ports, want) {
		t.Errorf("runners reach the ports %v, want %v", ports, want)
	}
	selects(t, objects, "server", runner.Spec.Egress[0].To[0].PodSelector)
	selects(t, objects, "server", &policies["odfix-server"].Spec.PodSelector)
	selects(t, objects, "worker", &policies["odfix-worker"].Spec.PodSelector)
	if w := policies["odfix-worker"].Spec; len(w.Ingress) > 0 || !slices.Equal(w.PolicyTypes, []netv1.PolicyType{netv1.PolicyTypeIngress}) {
		t.Errorf("somebody reaches the worker: %+v", w)
	}
}

// selects: a selector matches the pods of one component, and no others.
func selects(t *testing.T, objects []apiruntime.Object, component string, by *metav1.LabelSelector) {
	t.Helper()
	s, err := metav1.LabelSelectorAsSelector(by)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range All[*appsv1.Deployment](objects) {
		if got := s.Matches(labels.Set(d.Spec.Template.Labels)); got != strings.HasSuffix(d.Name, "-"+component) {
			t.Errorf("selector %s matches %s: %v", s, d.Name, got)
		}
	}
}

// TestChartOfSeveral: PostgreSQL has no volume and several servers; SQLite has one server with a
// volume.
func TestChartOfSeveral(t *testing.T) {
	long(t)
	one, several := Render(t), Render(t, everything...)
	if len(All[*corev1.PersistentVolumeClaim](one)) != 1 || len(All[*corev1.PersistentVolumeClaim](several)) != 0 {
		t.Error("a volume is for SQLite only")
	}
	if len(All[*policyv1.PodDisruptionBudget](one)) != 0 || len(All[*policyv1.PodDisruptionBudget](several)) != 2 {
		t.Error("a disruption budget of a single pod would stop a node's drain")
	}
	for _, d := range All[*appsv1.Deployment](one) {
		if strings.HasSuffix(d.Name, "-server") && (d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType || *d.Spec.Replicas != 1) {
			t.Errorf("two servers would open one SQLite file: %+v", d.Spec.Strategy)
		}
	}
	for _, b := range All[*policyv1.PodDisruptionBudget](several) {
		selects(t, several, strings.TrimPrefix(b.Name, "odfix-"), b.Spec.Selector)
	}
	if h := All[*autoscalingv2.HorizontalPodAutoscaler](several); len(h) != 1 || h[0].Spec.ScaleTargetRef.Name != "odfix-server" {
		t.Errorf("autoscalers %+v", h)
	}
	for _, s := range All[*corev1.Service](several) {
		selects(t, several, "server", &metav1.LabelSelector{MatchLabels: s.Spec.Selector})
		if s.Name == "odfix" && len(s.Spec.Ports) != 1 {
			t.Errorf("the service for the internet has the ports %+v", s.Spec.Ports)
		}
	}
	if i := All[*netv1.Ingress](several); len(i) != 1 || i[0].Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name != "odfix" {
		t.Errorf("ingress %+v", i)
	}
}

// TestChartAccounts: the list of accounts is a file, so that a change needs no restart.
func TestChartAccounts(t *testing.T) {
	long(t)
	objects := Render(t, "--set", "app.accounts={acme,installation:4711}")
	maps := All[*corev1.ConfigMap](objects)
	i := slices.IndexFunc(maps, func(m *corev1.ConfigMap) bool { return m.Data["accounts"] == "acme\ninstallation:4711" })
	if i < 0 {
		t.Fatalf("%+v", maps)
	}
	for _, d := range All[*appsv1.Deployment](objects) {
		volumes := slices.ContainsFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
			return v.ConfigMap != nil && v.ConfigMap.Name == maps[i].Name
		})
		env := slices.Contains(d.Spec.Template.Spec.Containers[0].Env, corev1.EnvVar{Name: "ODFIX_ACCOUNTS_FILE", Value: "/accounts/accounts"})
		if server := strings.HasSuffix(d.Name, "-server"); volumes != server || env != server {
			t.Errorf("%s: volume %v, variable %v", d.Name, volumes, env)
		}
	}
}

// TestChartTLS: with a Secret for it, workers and runners speak TLS with the server, and know its
// authority only. Without one, the server is told that plain HTTP is meant.
func TestChartTLS(t *testing.T) {
	long(t)
	type parts struct{ env, keys string }
	for set, want := range map[string]struct {
		scheme         string
		server, worker parts
	}{
		"app.id=7": {"http://", parts{env: "ODFIX_WORK_PLAIN_HTTP=true"}, parts{}},
		"app.id=7,work.tlsSecret=odfix-x": {"https://",
			parts{"ODFIX_WORK_TLS_CERT=/work-tls/tls.crt ODFIX_WORK_TLS_KEY=/work-tls/tls.key", "tls.crt tls.key"},
			parts{"ODFIX_SERVER_CA=/server-ca/ca.crt", "ca.crt"}},
	} {
		objects := Render(t, "--set", set)
		for _, d := range All[*appsv1.Deployment](objects) {
			var env, keys []string
			for _, e := range d.Spec.Template.Spec.Containers[0].Env {
				switch {
				case strings.HasPrefix(e.Name, "ODFIX_WORK_TLS"), strings.HasPrefix(e.Name, "ODFIX_WORK_PLAIN"), e.Name == "ODFIX_SERVER_CA":
					env = append(env, e.Name+"="+e.Value)
				case e.Name == "ODFIX_SERVER" && !strings.HasPrefix(e.Value, want.scheme):
					t.Errorf("%s: the worker's server is %s", set, e.Value)
				}
			}
			for _, v := range d.Spec.Template.Spec.Volumes {
				if v.Secret != nil && v.Secret.SecretName == "odfix-x" {
					for _, i := range v.Secret.Items {
						keys = append(keys, i.Key)
					}
				}
			}
			got, is := (parts{strings.Join(env, " "), strings.Join(keys, " ")}), want.worker
			if strings.HasSuffix(d.Name, "-server") {
				is = want.server
			}
			if got != is {
				t.Errorf("%s: %s has %+v, want %+v", set, d.Name, got, is)
			}
		}
		if !slices.ContainsFunc(All[*corev1.ConfigMap](objects), func(m *corev1.ConfigMap) bool {
			return strings.Contains(m.Data["runner.yaml"], "server: "+want.scheme+"odfix-work.odfix.svc:8082\n")
		}) {
			t.Errorf("%s: runners have another server", set)
		}
	}
}

var metric = regexp.MustCompile(`\b(?:odfix|process|go)_[a-z_]+\b`)

// TestMetricsExist: dashboard and alerts name only metrics that docs/operations.md lists, which app
// tests against the server.
func TestMetricsExist(t *testing.T) {
	list, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	known := metric.FindAllString(string(list), -1)
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join(ChartDir(), "files", file))
		if err != nil {
			t.Fatal(err)
		}
		if file == "dashboard.json" && !json.Valid(text) {
			t.Error("the dashboard is no JSON")
		}
		used := metric.FindAllString(string(text), -1)
		if len(used) < 5 {
			t.Errorf("%s names only %v", file, used)
		}
		for _, m := range used {
			m = strings.TrimSuffix(strings.TrimSuffix(m, "_bucket"), "_count")
			if !slices.Contains(known, m) && m != "process_resident_memory_bytes" {
				t.Errorf("%s names %s, which does not exist", file, m)
			}
		}
	}
}

// TestChartSigner: with a signer command, the App's key is not in the server's pod.
func TestChartSigner(t *testing.T) {
	long(t)
	for set, want := range map[string][2]string{
		"app.id=7": {"ODFIX_PRIVATE_KEY_FILE", "private-key"},
		"app.id=7,app.signerCommand=/opt/sign odfix": {"ODFIX_SIGNER_COMMAND", "webhook-secret"},
	} {
		for _, d := range All[*appsv1.Deployment](Render(t, "--set", set)) {
			if !strings.HasSuffix(d.Name, "-server") {
				continue
			}
			var got []string
			for _, e := range d.Spec.Template.Spec.Containers[0].Env {
				if strings.HasPrefix(e.Name, "ODFIX_PRIVATE") || strings.HasPrefix(e.Name, "ODFIX_SIGNER") {
					got = append(got, e.Name)
				}
			}
			first := d.Spec.Template.Spec.Volumes[0].Secret.Items[0].Key
			if !slices.Equal(got, []string{want[0]}) || first != want[1] {
				t.Errorf("%s: %v, and the key %s", set, got, first)
			}
		}
	}
}
