// Command reconciler keeps Deployments at the size that their ScaledObjects ask for, with client-go alone: a skeleton to begin a
// controller with. A ConfigMap with the label gputide.io/manifest holds the manifest of one scaler under the key scaledobject.yaml.
//
//	go run . --kubeconfig ~/.kube/config [--namespace default]
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	gputide "github.com/gputide/gputide/bindings/go"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file; empty: the pod's service account")
	namespace := flag.String("namespace", "default", "where to work")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *namespace); err != nil {
		slog.Error("reconciler", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	stopLog, err := gputide.LogTo(slog.Default(), gputide.LogWarning)
	if err != nil {
		return err
	}
	defer stopLog()
	reconciler, err := NewReconciler(client, namespace, nil)
	if err != nil {
		return err
	}
	return reconciler.Run(ctx)
}
