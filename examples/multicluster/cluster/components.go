// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/util/cert"
)

// tokens of the users who have all rights. They are no secret: the API server listens on loopback, for the
// time of a demonstration or a test.
var tokens = map[string]string{"admin": "admin-token", "kubelet": "kubelet-token", "controllers": "controllers-token"}

// certFile is the API server's certificate, and that of its authority.
const certFile = "tls.crt"

// auditPolicy leaves out what nobody counts.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: [kubelet]
- level: Metadata
  resources: [{group: batch, resources: [jobs, jobs/status]}]
- level: None
  verbs: [get, list, watch]
- level: None
  userGroups: ["system:nodes"]
- level: Metadata
`

// prepare writes the files, and says how the processes are to be started.
func (c *Cluster) prepare(ctx context.Context, progress io.Writer) error {
	etcd, err := build(ctx, progress, etcdProgram())
	if err != nil {
		return err
	}
	program, err := controlPlaneProgram(c.Release)
	if err != nil {
		return err
	}
	controlPlane, err := build(ctx, progress, program)
	if err != nil {
		return err
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	c.port = ports[0]
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", ports[1]), fmt.Sprintf("http://127.0.0.1:%d", ports[2])
	c.etcd = c.newProcess(Etcd, etcd, etcdFlags(c.Dir, client, peer))
	c.apiServer = c.newProcess(APIServer, controlPlane, append(c.apiServerFlags(client), c.APIServerFlags...))
	c.controllers = c.newProcess(ControllerManager, controlPlane, c.controllerManagerFlags())
	return c.writeFiles()
}

func (c *Cluster) newProcess(component Component, path string, args []string) *process {
	return &process{path: path, args: args, log: filepath.Join(c.Dir, string(component)+".log")}
}

func etcdFlags(dir, client, peer string) []string {
	return []string{
		"--data-dir=" + filepath.Join(dir, "etcd"), "--unsafe-no-fsync", "--log-level=error",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
	}
}

func (c *Cluster) apiServerFlags(etcd string) []string {
	file := func(name string) string { return filepath.Join(c.Dir, name) }
	return []string{
		"kube-apiserver", "--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		fmt.Sprintf("--secure-port=%d", c.port), "--tls-cert-file=" + file(certFile), "--tls-private-key-file=" + file("tls.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://managedby.test", "--service-account-signing-key-file=" + file("sa.key"),
		"--service-account-key-file=" + file("sa.key"), "--disable-admission-plugins=ServiceAccount",
		"--token-auth-file=" + file("tokens.csv"), "--authorization-mode=RBAC",
		"--audit-policy-file=" + file("audit.yaml"), "--audit-log-path=" + file("audit.log"), "--audit-log-mode=blocking",
		"--shutdown-delay-duration=0s", "--v=1",
	}
}

func (c *Cluster) controllerManagerFlags() []string {
	return []string{
		"kube-controller-manager", "--kubeconfig=" + filepath.Join(c.Dir, "controllers.kubeconfig"),
		"--controllers=job-controller,garbage-collector-controller,ttl-after-finished-controller,cronjob-controller",
		"--leader-elect=false", "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent-job-syncs=10",
	}
}

func (c *Cluster) writeFiles() error {
	key, err := newKey()
	if err != nil {
		return err
	}
	tlsCert, tlsKey, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return err
	}
	var users strings.Builder
	for user, token := range tokens {
		fmt.Fprintf(&users, "%s,%s,%s,\"system:masters\"\n", token, user, user)
	}
	files := map[string][]byte{
		"sa.key": key, "tokens.csv": []byte(users.String()), "audit.yaml": []byte(auditPolicy), certFile: tlsCert, "tls.key": tlsKey,
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(c.Dir, name), content, 0o600); err != nil {
			return err
		}
	}
	_, err = c.Kubeconfig("controllers.kubeconfig", c.Config("controllers"))
	return err
}

// newKey is for signing the tokens of service accounts.
func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
