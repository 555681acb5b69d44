package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/golden"
)

func TestRead_Vectors(t *testing.T) {
	failures, err := golden.Verify(func(stream []byte, strict bool) (bool, error) {
		return read(new(strings.Builder), bytes.NewReader(stream), strict) == nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range failures {
		t.Error(f)
	}
}

func TestRead_Prints(t *testing.T) {
	for _, v := range golden.Vectors() {
		if v.Name != "run" {
			continue
		}
		var out strings.Builder
		if err := read(&out, bytes.NewReader(v.Stream), true); err != nil || out.String() != "read_file true\nok true\n" {
			t.Errorf("read(%s) prints %q, %v, want the call and the end", v.File, &out, err)
		}
	}
}
