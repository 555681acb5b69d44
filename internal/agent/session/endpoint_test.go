package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/platform/key"
)

// A harness hands over what its agent is to send, and what of it is secret.
func TestEndpoint_Handover(t *testing.T) {
	e := Endpoint{
		Header: []provider.Pair{
			{Name: "Authorization", Value: "Bearer a b=c", Secret: true}, {Name: "X-A", Value: "on"}, {Name: "X-Empty"},
		},
		Query: []provider.Pair{{Name: "api-version", Value: "1"}, {Name: "sig", Value: "sk-test-1", Secret: true}},
	}
	if diff := cmp.Diff([]string{"Bearer a b=c", "a b=c", "sk-test-1"}, e.Secrets()); diff != "" {
		t.Errorf("Secrets (-want +got):\n%s", diff)
	}
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, key.Handover{Key: "k", Secrets: e.Secrets(), Further: e.Handover()}.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	given, err := key.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, Endpoint{}.withHandover(given.Further)); diff != "" {
		t.Errorf("handed over (-want +got):\n%s", diff)
	}
}

// What counts of a secret is its name, and that there is none differs from null.
func TestNamesAndValues(t *testing.T) {
	got := namesAndValues([]provider.Pair{{Name: "sig", Value: "sk-test-1", Secret: true}, {Name: "v", Value: "1"}})
	if diff := cmp.Diff([]string{"sig", "v=1"}, got); diff != "" {
		t.Errorf("namesAndValues (-want +got):\n%s", diff)
	}
	if got := namesAndValues(nil); got == nil {
		t.Error("namesAndValues of none = nil, want an empty list")
	}
}
