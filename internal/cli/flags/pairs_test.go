package flags

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/model/provider"
)

func TestPairs_Secrets(t *testing.T) {
	for name, secret := range map[string]bool{
		"Authorization": true, "Proxy-Authorization": true, "cookie": true, "api-key": true, "X-Api-Key": true, "sig": true, "x_auth": true,
		"XApiKey": true, "apiKey": true, "APIKey": true, "accessToken": true, "designID": false,
		"api-version": false, "X-Keyboard": false, "monkey": false, "design": false, "X-Author": false,
	} {
		var p Pairs
		if err := p.Set(name + "=some value=x"); err != nil || p[0].Secret != secret || p[0].Value != "some value=x" {
			t.Errorf("%s: %+v, %v, want secret %t", name, p, err, secret)
		}
		if shown := strings.Contains(p.String(), "value=x"); shown == secret {
			t.Errorf("%s is shown as %s", name, p.String())
		}
	}
	for _, wrong := range []string{"x", "=x", "a b=c", "a=b\x00", "a\x7f=x"} {
		var p Pairs
		if err := p.Set(wrong); err == nil {
			t.Errorf("%q is accepted as %+v", wrong, p)
		}
	}
}

// A header that a request makes itself would be lost without a word.
func TestPairs_HeadersOfTheRequest(t *testing.T) {
	for _, name := range []string{"Host", "content-length", "Content-Type", "transfer-encoding"} {
		p := Pairs{{Pair: provider.Pair{Name: name, Value: "x"}}}
		if err := p.Resolve("header", os.Getenv); err == nil {
			t.Errorf("header %s is accepted", name)
		}
		if err := p.Resolve("query", os.Getenv); err != nil {
			t.Errorf("parameter %s: %v", name, err)
		}
	}
}

func TestPairs_ReadVariables(t *testing.T) {
	var p Pairs
	if err := p.Set("X-A=env:V"); err != nil {
		t.Fatal(err)
	}
	if err := p.Resolve("header", func(string) string { return "" }); err == nil {
		t.Error("a variable that is not set is accepted")
	}
	if err := p.Resolve("header", func(string) string { return "of a variable" }); err != nil {
		t.Fatal(err)
	}
	want := []provider.Pair{{Name: "X-A", Value: "of a variable", Secret: true}}
	if diff := cmp.Diff(want, p.Plain()); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}
