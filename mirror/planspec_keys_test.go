// SPDX-License-Identifier: Apache-2.0

package mirror

import "testing"

// TestKeysHas checks that no key is forgotten when one is added.
func TestKeysHas(t *testing.T) {
	keys := Keys{}.withDefaults("acme.io/dispatcher")
	for _, key := range keys.all() {
		if !keys.has(*key.value) {
			t.Errorf("%s is not known", key.name)
		}
	}
	if keys.has("acme.io/other") {
		t.Error("acme.io/other is known")
	}
}
