// SPDX-License-Identifier: Apache-2.0

package objpath_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/managedby-dev/managedby/internal/objpath"
)

func parse(t testing.TB, text string) objpath.Path {
	t.Helper()
	p, err := objpath.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestParse(t *testing.T) {
	plain := map[string]bool{"a": true, "a.b": true, "a[k.e/y].b": true, "a[].b": false, "a[k=v]": false, "a[k=].b": false}
	for text, want := range plain {
		if p := parse(t, text); p.IsPlain() != want || p.String() != text {
			t.Errorf("%q: plain %v, prints as %q", text, p.IsPlain(), p)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "[a]", "a[", "a[b", "a[]b", "a[].", "a[][]"} {
		if p, err := objpath.Parse(text); err == nil {
			t.Errorf("%q was parsed as %v", text, p)
		}
	}
	if (objpath.Path{}).IsPlain() {
		t.Error("the zero path names a place")
	}
}

// TestEach lists the places that a path names, and their values.
func TestEach(t *testing.T) {
	const text = `{"s":"x","n":null,"o":{"p":{"q":1}},"l":[{"t":"a","v":1},{"t":"b","v":2},{"t":"a","v":null},{"w":4}],"m":{"a.b/c":"d"}}`
	tests := []struct {
		path string
		want []string // place=value
		bad  string   // the place of an error
	}{
		{"s", []string{"s=\"x\""}, ""},
		{"none", nil, ""},
		{"none.x", nil, ""},
		{"n", []string{"n=null"}, ""},
		{"n.x", nil, ""},
		{"n[].x", nil, ""},
		{"n[k]", nil, ""},
		{"o.p.q", []string{"o.p.q=1"}, ""},
		{"o.p.none", nil, ""},
		{"l[].v", []string{"l[0].v=1", "l[1].v=2", "l[2].v=null"}, ""},
		{"l[t=a].v", []string{"l[0].v=1", "l[2].v=null"}, ""},
		{"l[t=z].v", nil, ""},
		{"m[a.b/c]", []string{"m.a.b/c=\"d\""}, ""},
		{"m[none]", nil, ""},
		{"s.x", nil, "s"},
		{"s[].x", nil, "s"},
		{"s[x]", nil, "s"},
		{"o[].x", nil, "o"},
		{"o.p.q.r", nil, "o.p.q"},
		{"l[].v.x", nil, "l[0].v"},
	}
	for _, tt := range tests {
		var got []string
		err := parse(t, tt.path).Each(object(t, text), func(in map[string]any, name, at string) error {
			got = append(got, at+"="+asJSON(t, in[name]))
			return nil
		})
		var bad *objpath.Error
		if errors.As(err, &bad) != (tt.bad != "") || bad != nil && (bad.Path != tt.bad || bad.Want == "" || bad.Error() == "") {
			t.Errorf("%s: %v, want an error at %q", tt.path, err, tt.bad)
		}
		if tt.bad == "" && !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.path, got, tt.want)
		}
	}
	stop := errors.New("stop")
	calls := 0
	err := parse(t, "l[].v").Each(object(t, text), func(map[string]any, string, string) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if _, err := parse(t, "l[].v").Get(map[string]any{"l": []any{map[string]any{}, 1}}); err == nil {
		t.Error("an element that is no object was passed over")
	}
}

func TestGet(t *testing.T) {
	o := object(t, `{"l":[{"v":null},{"v":2},{"v":3}],"s":"x","n":null}`)
	if v, err := parse(t, "l[].v").Get(o); err != nil || v != any(2.0) {
		t.Errorf("the first value is %v, %v", v, err)
	}
	tests := []struct {
		path, want string
		there, bad bool
	}{{"s", "x", true, false}, {"n", "", false, false}, {"none", "", false, false}, {"l", "", false, true}, {"s.x", "", false, true}}
	for _, tt := range tests {
		text, there, err := parse(t, tt.path).GetString(o)
		if text != tt.want || there != tt.there || (err != nil) != tt.bad {
			t.Errorf("%s: %q, %v, %v", tt.path, text, there, err)
		}
	}
}

func TestSet(t *testing.T) {
	tests := []struct{ path, object, want string }{
		{"a", `{}`, `{"a":1}`},
		{"a.b.c", `{}`, `{"a":{"b":{"c":1}}}`},
		{"a.b.c", `{"a":{"x":2}}`, `{"a":{"b":{"c":1},"x":2}}`},
		{"a.b.c", `{"a":{"b":null}}`, `{"a":{"b":{"c":1}}}`},
		{"a.b", `{"a":{"b":{"c":2}}}`, `{"a":{"b":1}}`},
		{"m[a.b/c].d", `{}`, `{"m":{"a.b/c":{"d":1}}}`},
		{"a.b.c", `{"a":{"b":[]}}`, ``},
		{"a.b", `{"a":"x"}`, ``},
	}
	for _, tt := range tests {
		o := object(t, tt.object)
		err := parse(t, tt.path).Set(o, 1)
		want := tt.want
		if want == "" {
			want = tt.object
		}
		if (err != nil) != (tt.want == "") || asJSON(t, o) != want {
			t.Errorf("%s in %s: %s, %v, want %s", tt.path, tt.object, asJSON(t, o), err, want)
		}
	}
}

func TestRemove(t *testing.T) {
	tests := []struct{ path, object, want string }{
		{"a", `{"a":1,"b":2}`, `{"b":2}`},
		{"a.b", `{"a":{"b":1}}`, `{"a":{}}`},
		{"a.b", `{}`, `{}`},
		{"a.b", `{"a":null}`, `{"a":null}`},
		{"a", `{"a":null}`, `{}`},
		{"l[].v", `{"l":[{"v":1,"w":2},{}]}`, `{"l":[{"w":2},{}]}`},
		{"l[t=a]", `{"l":[{"t":"a"},{"t":"b"},{"t":"a","v":1}]}`, `{"l":[{"t":"b"}]}`},
		{"l[t=a]", `{"l":[{"t":"a"}]}`, `{}`},
		{"l[t=a]", `{"l":[{"t":"b"}]}`, `{"l":[{"t":"b"}]}`},
		{"l[t=a]", `{"l":[]}`, `{"l":[]}`},
		{"l[t=a]", `{"l":["x",{"t":"a"}]}`, `{"l":["x"]}`},
		{"l[]", `{"l":[{},{}]}`, `{}`},
		{"l[t=a]", `{"l":null}`, `{"l":null}`},
		{"m[a.b/c]", `{"m":{"a.b/c":1}}`, `{"m":{}}`},
		{"l[t=a]", `{"l":{}}`, ``},
		{"a.b", `{"a":1}`, ``},
	}
	for _, tt := range tests {
		o := object(t, tt.object)
		err := parse(t, tt.path).Remove(o)
		want := tt.want
		if want == "" {
			want = tt.object
		}
		if (err != nil) != (tt.want == "") || asJSON(t, o) != want {
			t.Errorf("%s from %s: %s, %v, want %s", tt.path, tt.object, asJSON(t, o), err, want)
		}
	}
}

func TestCopy(t *testing.T) {
	o := object(t, `{"a":[{"b":"c"},null,true,1.5],"d":{}}`)
	o["i"] = int64(7)
	c, err := objpath.Copy(o, "")
	if err != nil || !reflect.DeepEqual(c, any(o)) {
		t.Fatalf("%v, %v", c, err)
	}
	c.(map[string]any)["a"].([]any)[0].(map[string]any)["b"] = "x"
	c.(map[string]any)["d"].(map[string]any)["e"] = "x"
	if asJSON(t, o) != `{"a":[{"b":"c"},null,true,1.5],"d":{},"i":7}` {
		t.Errorf("memory is shared: %s", asJSON(t, o))
	}
	var none map[string]any
	var noList []any
	for _, v := range []any{none, noList} {
		if c, err := objpath.Copy(v, ""); err != nil || !reflect.DeepEqual(c, v) {
			t.Errorf("%#v became %#v, %v", v, c, err)
		}
	}
	for range 20 { // the order of a map must not show
		bad := map[string]any{"z": 1, "a": map[string]any{"y": []any{"x", []string{}}, "x": int32(3)}, "m": struct{}{}}
		_, err := objpath.Copy(bad, "spec")
		var at *objpath.Error
		if !errors.As(err, &at) || at.Path != "spec.a.x" {
			t.Fatalf("%v", err)
		}
	}
}

// FuzzPath: what is parsed prints as it was, and walks through any object without a panic; what was set is
// read back, and is gone when it was removed.
func FuzzPath(f *testing.F) {
	f.Add("spec.l[t=a].x", `{"spec":{"l":[{"t":"a","x":1}]}}`)
	f.Add("metadata.annotations[a.b/c]", `{"metadata":{"annotations":{"a.b/c":"x"}}}`)
	f.Add("a[].b[]", `{"a":[{"b":[]}],"c":[null]}`)
	f.Fuzz(func(t *testing.T, text, data string) {
		p, err := objpath.Parse(text)
		var o map[string]any
		if err != nil || json.Unmarshal([]byte(data), &o) != nil || o == nil {
			t.Skip()
		}
		if p.String() != text {
			t.Errorf("%q prints as %q", text, p)
		}
		if _, err := p.Get(o); err != nil && !errors.As(err, new(*objpath.Error)) {
			t.Errorf("%T", err)
		}
		if p.IsPlain() && p.Set(o, "set") == nil {
			if v, err := p.Get(o); err != nil || v != any("set") {
				t.Errorf("set, and read %v, %v", v, err)
			}
			if err := p.Remove(o); err != nil {
				t.Errorf("set, and %v", err)
			} else if v, err := p.Get(o); err != nil || v != nil {
				t.Errorf("removed, and read %v, %v", v, err)
			}
		}
		_ = p.Remove(o)
	})
}
