package mirror_test

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeSketch keeps the code in the README the code of the example, which runs.
func TestReadmeSketch(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_reconcile_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, sketch, _ := strings.Cut(string(example), "// README: the reconcile sketch\n")
	sketch, _, found := strings.Cut(sketch, "// README: end\n")
	if !found || !strings.Contains(string(readme), "```go\n"+strings.TrimSpace(sketch)+"\n```\n") {
		t.Errorf("the README does not have this code:\n%s", sketch)
	}
}
