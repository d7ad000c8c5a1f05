package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

const manifest = `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: embedder
  annotations: {gputide.io/sync-period: 1s}
spec:
  scaleTargetRef: {name: embedder}
  minReplicaCount: 1
  maxReplicaCount: %d
  pollingInterval: 1
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {scaleDown: {stabilizationWindowSeconds: 0}}
  triggers:
    - type: prometheus
      metadata: {serverAddress: "%s", query: load, threshold: "5"}
`

func TestDeploymentsFollowTheirMetric(t *testing.T) {
	var load atomic.Int64
	load.Store(18)
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[%d,"%d"]}]}}`, time.Now().Unix(), load.Load())
	}))
	defer prometheus.Close()
	replicas := int32(1)
	client := fake.NewClientset(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "embedder", Namespace: "default"}, Spec: appsv1.DeploymentSpec{Replicas: &replicas},
	})
	reconciler, err := NewReconciler(client, "default", &gputide.RuntimeOptions{StartSpread: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- reconciler.Run(ctx) }()

	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "embedder", Namespace: "default", Labels: map[string]string{manifestLabel: ""}},
		Data:       map[string]string{manifestKey: fmt.Sprintf(manifest, 10, prometheus.URL)},
	}
	configMaps := client.CoreV1().ConfigMaps("default")
	must(t)(configMaps.Create(ctx, config, metav1.CreateOptions{}))
	size := func() int32 {
		deployment, err := client.AppsV1().Deployments("default").Get(ctx, "embedder", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return *deployment.Spec.Replicas
	}
	become(t, "up to 18 / 5", func() bool { return size() == 4 })
	load.Store(3)
	become(t, "down to one", func() bool { return size() == 1 })
	load.Store(100)
	become(t, "up to the most", func() bool { return size() == 10 })
	config.Data[manifestKey] = fmt.Sprintf(manifest, 7, prometheus.URL)
	must(t)(configMaps.Update(ctx, config, metav1.UpdateOptions{}))
	become(t, "down to the new most", func() bool { return size() == 7 })
	if err := configMaps.Delete(ctx, "embedder", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	become(t, "without a scaler", func() bool {
		_, err := reconciler.fleet.Find("default/embedder")
		return err != nil
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left := gputide.Alive(); left != 0 {
		t.Errorf("%d handles left", left)
	}
}

func must(t *testing.T) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func become(t *testing.T, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !true(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it is not %s", what)
		}
	}
}
