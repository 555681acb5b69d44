package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/view"
	"github.com/openagent-ci/openagent/schema/validate"
)

// The members of a SARIF 2.1.0 log that a check fills in.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifText    `json:"shortDescription"`
		Help    sarifText    `json:"help"`
		Default sarifSetting `json:"defaultConfiguration"`
	}
	sarifSetting struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	// sarifInvocation says that the check itself came to its end, and tells
	// what it left out.
	sarifInvocation struct {
		Successful bool        `json:"executionSuccessful"`
		Notes      []sarifNote `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNote struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		// Region is nil for the stream as a whole. Columns are left out:
		// SARIF counts characters, a finding bytes.
		Region *sarifRegion `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
)

// sarifLevels says severities in SARIF's words.
var sarifLevels = map[validate.Severity]string{
	validate.SeverityError: "error", validate.SeverityWarning: "warning", validate.SeverityInfo: "note",
}

// writeSARIF writes one run that lists every rule, with results for the
// findings.
func writeSARIF(w io.Writer, files []CheckFile) error {
	rules := validate.Rules()
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "openagent", Rules: make([]sarifRule, len(rules))}},
		Invocations: []sarifInvocation{{Successful: true}},
		Results:     []sarifResult{},
	}
	index := map[string]int{}
	for i, r := range rules {
		index[r.ID] = i
		run.Tool.Driver.Rules[i] = sarifRule{
			ID: r.ID, Short: sarifText{"Broken when " + sentence(r.Doc)}, Help: sarifText{sentence(r.Help)},
			Default: sarifSetting{sarifLevels[r.Severity]},
		}
	}
	for _, c := range files {
		for _, f := range c.Findings {
			run.Results = append(run.Results, sarifFinding(c.File, index[f.Rule], f))
		}
		if c.More > 0 {
			run.Invocations[0].Notes = append(run.Invocations[0].Notes, sarifNote{
				"note", sarifText{sarifMessage(fmt.Sprintf("%s: %s not shown", c.File, plural(c.More, "finding")))},
			})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
}

func sarifFinding(file string, rule int, f validate.Finding) sarifResult {
	at := sarifPhysical{Artifact: sarifArtifact{fileURI(file)}}
	if f.Line > 0 {
		at.Region = &sarifRegion{f.Line}
	}
	return sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: sarifLevels[f.Severity],
		Message: sarifText{sarifMessage(f.Message)}, Locations: []sarifLocation{{at}},
	}
}

// sarifMessage returns a text that viewers show as it is: in a message,
// brackets and parentheses side by side would be a link, which a stream could
// plant.
func sarifMessage(text string) string {
	return strings.ReplaceAll(view.OneLine(text, maxFinding), "](", "] (")
}

// sentence returns text with a full stop.
func sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// fileURI returns a path as a URI, relative if the path is.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") {
			u.Path = "/" + u.Path // of a drive
		}
	}
	return u.String()
}
