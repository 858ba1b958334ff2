// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/manifests"
)

// call is a request to an API server, as its audit log has it.
type call struct {
	User struct {
		Username string
	}
	Verb                     string
	RequestReceivedTimestamp string
	ObjectRef                struct {
		Resource, Subresource, Namespace, Name string
	}
	ResponseStatus struct {
		Code   int
		Reason string
	}
}

// byDispatcher reports whether the dispatcher's service account made it.
func (c call) byDispatcher() bool {
	return c.User.Username == "system:serviceaccount:"+manifests.Namespace+":"+manifests.ServiceAccount
}

// name is the verb and the resource.
func (c call) name() string {
	name := c.Verb + " " + c.ObjectRef.Resource
	if c.ObjectRef.Subresource != "" {
		name += "/" + c.ObjectRef.Subresource
	}
	return name
}

// auditMark is how much of an audit log was there at some time.
func auditMark(t *testing.T, c *cluster.Cluster) int64 {
	t.Helper()
	info, err := os.Stat(c.AuditLog())
	must(t, err)
	return info.Size()
}

// callsSince returns the dispatcher's requests since a mark.
func callsSince(t *testing.T, c *cluster.Cluster, mark int64) []call {
	t.Helper()
	file, err := os.Open(c.AuditLog())
	must(t, err)
	defer file.Close()
	_, err = file.Seek(mark, 0)
	must(t, err)
	var calls []call
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c call
		if json.Unmarshal(lines.Bytes(), &c) == nil && c.byDispatcher() { // the last line may be half written
			calls = append(calls, c)
		}
	}
	must(t, lines.Err())
	return calls
}

// refusedStatuses are the writes of a Job's status that were refused, but for conflicts.
func refusedStatuses(calls []call) []call {
	var refused []call
	for _, c := range calls {
		if c.ObjectRef.Resource == "jobs" && c.ObjectRef.Subresource == "status" && c.ResponseStatus.Code >= 400 &&
			c.ResponseStatus.Code != 409 && c.ResponseStatus.Code != 404 {
			refused = append(refused, c)
		}
	}
	return refused
}
