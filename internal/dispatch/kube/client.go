package kube

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"
)

// The clients of client-go/kubernetes register all kinds of Kubernetes, which makes odfix a quarter
// larger. These are the same generic clients for the three kinds that this package uses.
type (
	jobClient    = gentype.ClientWithList[*batchv1.Job, *batchv1.JobList]
	podClient    = gentype.ClientWithList[*corev1.Pod, *corev1.PodList]
	secretClient = gentype.ClientWithList[*corev1.Secret, *corev1.SecretList]
)

// clients are those of a namespace.
type clients struct {
	jobs    *jobClient
	pods    *podClient
	secrets *secretClient
}

func newClients(config *rest.Config, namespace string) (c clients, err error) {
	kinds := runtime.NewScheme()
	metav1.AddToGroupVersion(kinds, schema.GroupVersion{Version: "v1"})
	for _, add := range []func(*runtime.Scheme) error{batchv1.AddToScheme, corev1.AddToScheme} {
		if err := add(kinds); err != nil {
			return c, err
		}
	}
	codecs, parameters := serializer.NewCodecFactory(kinds).WithoutConversion(), runtime.NewParameterCodec(kinds)
	client := func(path string, group schema.GroupVersion) (*rest.RESTClient, error) {
		own := rest.CopyConfig(config)
		own.APIPath, own.GroupVersion, own.NegotiatedSerializer, own.UserAgent = path, &group, codecs, "odfix"
		return rest.RESTClientFor(own)
	}
	batch, err := client("/apis", batchv1.SchemeGroupVersion)
	if err != nil {
		return c, err
	}
	core, err := client("/api", corev1.SchemeGroupVersion)
	if err != nil {
		return c, err
	}
	c.jobs = gentype.NewClientWithList("jobs", batch, parameters, namespace,
		func() *batchv1.Job { return &batchv1.Job{} }, func() *batchv1.JobList { return &batchv1.JobList{} })
	c.pods = gentype.NewClientWithList("pods", core, parameters, namespace,
		func() *corev1.Pod { return &corev1.Pod{} }, func() *corev1.PodList { return &corev1.PodList{} })
	c.secrets = gentype.NewClientWithList("secrets", core, parameters, namespace,
		func() *corev1.Secret { return &corev1.Secret{} }, func() *corev1.SecretList { return &corev1.SecretList{} })
	return c, nil
}
