// SPDX-License-Identifier: Apache-2.0

package mergepatch_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/internal/mergepatch"
)

func TestApply(t *testing.T) {
	for _, test := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":["c"]}`, `{"a":["c"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":null}]}`, `{"a":[{"b":null}]}`, `{"a":[{"b":null}]}`},
		{`{}`, `{"a":{"b":{"c":null}}}`, `{"a":{"b":{}}}`},
		{`{"a":1}`, `["c"]`, `["c"]`},
		{`[1]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{"a":1}`, `null`, `null`},
	} {
		if diff := cmp.Diff(decode(t, test.want), mergepatch.Apply(decode(t, test.target), decode(t, test.patch))); diff != "" {
			t.Errorf("%s on %s: %s", test.patch, test.target, diff)
		}
	}
}

func decode(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
