// SPDX-License-Identifier: Apache-2.0

package dispatcher_test

import (
	"errors"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/mirror"
)

// TestPolicyBeforeClusters: a flag that cannot be right is reported as such, not as a server that does not answer.
func TestPolicyBeforeClusters(t *testing.T) {
	for name, policy := range map[string]mirror.Policy{
		"a controller without a path": {Controller: "noslash"},
		"an origin that is no label":  {Origin: "bad origin!"},
	} {
		_, err := dispatcher.New(t.Context(), dispatcher.Options{Policy: policy, Management: &rest.Config{Host: "http://127.0.0.1:1"}})
		if refused := (*mirror.PolicyError)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
