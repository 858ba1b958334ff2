// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
)

// Options say what to start.
type Options struct {
	Name    string // for logs and the kubeconfig's context
	Release string // empty: Newest
	Dir     string // for data, certificates and logs; it has to exist and is left behind
	// APIServerFlags are added to those of the kube-apiserver.
	APIServerFlags []string
	// NoControllers leaves the kube-controller-manager out.
	NoControllers bool
}

// Cluster is a control plane that runs.
type Cluster struct {
	Options
	Kubelet *Kubelet

	etcd, apiServer, controllers *process
	port                         int
	stopKubelet                  func()
}

// Component is one of the processes of a [Cluster].
type Component string

// The components.
const (
	Etcd              Component = "etcd"
	APIServer         Component = "kube-apiserver"
	ControllerManager Component = "kube-controller-manager"
)

// Start starts a control plane and returns when it answers. What is not built is built. On failure nothing
// is left running.
func Start(ctx context.Context, progress io.Writer, o Options) (c *Cluster, err error) {
	if o.Release == "" {
		o.Release = Newest
	}
	c = &Cluster{Options: o, stopKubelet: func() {}}
	defer func() {
		if err != nil {
			c.Stop()
			c, err = nil, fmt.Errorf("cluster %s: %w", o.Name, err)
		}
	}()
	if err := c.prepare(ctx, progress); err != nil {
		return c, err
	}
	for _, component := range []Component{Etcd, APIServer} {
		if err := c.process(component).start(); err != nil {
			return c, err
		}
	}
	if err := c.WaitReady(ctx); err != nil {
		return c, err
	}
	if !o.NoControllers {
		if err := c.controllers.start(); err != nil {
			return c, err
		}
	}
	c.Kubelet, c.stopKubelet = startKubelet(c.Config("kubelet"))
	return c, nil
}

// Stop ends all processes. It may be called twice.
func (c *Cluster) Stop() {
	c.stopKubelet()
	for _, p := range []*process{c.controllers, c.apiServer, c.etcd} {
		if p != nil {
			p.stop()
		}
	}
}

// Kill ends a component as a crash does.
func (c *Cluster) Kill(component Component) { c.process(component).kill() }

// Restart starts a component that was killed, at the same address.
func (c *Cluster) Restart(component Component) error { return c.process(component).start() }

func (c *Cluster) process(component Component) *process {
	switch component {
	case Etcd:
		return c.etcd
	case APIServer:
		return c.apiServer
	default:
		return c.controllers
	}
}

// WaitReady waits until the API server answers and has made what a cluster has from the start.
func (c *Cluster) WaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	client, err := kubernetes.NewForConfig(c.Config("admin"))
	if err != nil {
		return err
	}
	for {
		if err := c.etcd.ended(); err != nil {
			return err
		}
		if err := c.apiServer.ended(); err != nil {
			return err
		}
		if c.ready(ctx, client) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server does not answer: %w\n%s", ctx.Err(), tail(c.apiServer.log, 2000))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (c *Cluster) ready(ctx context.Context, client kubernetes.Interface) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var code int
	client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&code)
	if code != http.StatusOK {
		return false
	}
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if _, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false
		}
	}
	return true
}

// Config is for a client with all rights. The user is one of admin and kubelet; they differ in the audit log
// only.
func (c *Cluster) Config(user string) *rest.Config {
	return &rest.Config{
		Host:            c.Host(),
		BearerToken:     tokens[user],
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(c.Dir, certFile)},
		QPS:             -1,
		UserAgent:       user,
	}
}

// Host is the API server's address.
func (c *Cluster) Host() string { return "https://" + c.Address() }

// Address is the same for a dialer.
func (c *Cluster) Address() string { return fmt.Sprintf("127.0.0.1:%d", c.port) }

// AuditLog is the file in which the API server writes every request for a Job, and every one that changes
// something.
func (c *Cluster) AuditLog() string { return filepath.Join(c.Dir, "audit.log") }

// Kubeconfig writes a kubeconfig file and returns its path.
func (c *Cluster) Kubeconfig(file string, config *rest.Config) (string, error) {
	path := filepath.Join(c.Dir, file)
	api := clientcmdapi.NewConfig()
	api.Clusters[c.Name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthority: config.CAFile}
	api.AuthInfos[c.Name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	api.Contexts[c.Name] = &clientcmdapi.Context{Cluster: c.Name, AuthInfo: c.Name}
	api.CurrentContext = c.Name
	return path, clientcmd.WriteToFile(*api, path)
}

// freePorts finds ports that nobody uses. Somebody may take one before it is used, which fails the start.
func freePorts(n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

// TempDir makes a directory for clusters. Remove it when they have stopped.
func TempDir() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "managedby-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// Token is for a service account, which is created unless it is there.
func (c *Cluster) Token(ctx context.Context, namespace, name string) (string, error) {
	client, err := kubernetes.NewForConfig(c.Config("admin"))
	if err != nil {
		return "", err
	}
	accounts := client.CoreV1().ServiceAccounts(namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(ctx, account, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return "", err
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](24 * 3600)}}
	answer, err := accounts.CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return answer.Status.Token, nil
}

// EnsureNamespace creates a namespace unless it is there.
func (c *Cluster) EnsureNamespace(ctx context.Context, name string) error {
	client, err := kubernetes.NewForConfig(c.Config("admin"))
	if err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err = client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
