//go:build schemas

// Package tools keeps modules of which tests need a file, not a program: the
// schema of SARIF 2.1.0, which github.com/owenrumney/go-sarif carries as a
// constant (Unlicense).
package tools

import _ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
