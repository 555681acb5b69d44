package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/term"
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
		Automation  *sarifAutomation  `json:"automationDetails,omitempty"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	// sarifAutomation has what code scanning takes for the category of the
	// results, up to the last slash, and for the run after it.
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
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
		// Prints names the result whichever line it moves to, under the only
		// name that code scanning reads.
		Prints sarifPrints `json:"partialFingerprints"`
	}
	sarifPrints struct {
		Line string `json:"primaryLocationLineHash"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		// Region is the first line for the stream as a whole: code scanning
		// refuses a result without one. Columns are left out: SARIF counts
		// characters, a finding bytes.
		Region sarifRegion `json:"region"`
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
	homepage     = "https://github.com/openagent-ci/openagent"
)

// sarifLevels says severities in SARIF's words.
var sarifLevels = map[validate.Severity]string{
	validate.SeverityError: "error", validate.SeverityWarning: "warning", validate.SeverityInfo: "note",
}

// WriteSARIF writes one run that lists the rules, with results for the findings,
// each of which breaks one of them.
func WriteSARIF(w io.Writer, o Origin, rules []validate.Rule, files []CheckFile) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "openagent", Version: o.Version, URI: homepage, Rules: make([]sarifRule, len(rules))}},
		Automation:  automation(o),
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
	seen := map[string]int{}
	for _, c := range files {
		for _, f := range c.Findings {
			run.Results = append(run.Results, sarifResult{
				RuleID: f.Rule, RuleIndex: index[f.Rule], Level: sarifLevels[f.Severity],
				Message:   sarifText{sarifMessage(f.Message)},
				Locations: []sarifLocation{{sarifPhysical{sarifArtifact{fileURI(c.File)}, sarifRegion{max(f.Line, 1)}}}},
				Prints:    sarifPrints{fingerprint(c.File, f, seen)},
			})
		}
		if c.More > 0 {
			run.Invocations[0].Notes = append(run.Invocations[0].Notes, sarifNote{
				"note", sarifText{sarifMessage(fmt.Sprintf("%s: %s not shown", c.File, term.Counted(c.More, "finding")))},
			})
		}
	}
	return jsontext.WriteIndented(w, sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
}

// automation names the results of a job and its run, nil outside of one: then
// Code scanning names them as whoever uploads them says.
func automation(o Origin) *sarifAutomation {
	job := o.job()
	if job == "" {
		return nil
	}
	return &sarifAutomation{fmt.Sprintf("openagent/%s/%s-%s", job, o.Job.RunID, o.Job.Attempt)}
}

// fingerprint returns what stays the same when a finding moves to another line:
// its rule, file and message, and how many of the same came before, which seen
// counts.
func fingerprint(file string, f validate.Finding, seen map[string]int) string {
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + file + "\x00" + f.Message))
	hash := hex.EncodeToString(sum[:8])
	seen[hash]++
	return fmt.Sprintf("%s:%d", hash, seen[hash])
}

// sarifMessage returns a text that viewers show as it is: in a message,
// brackets and parentheses side by side would be a link, which a stream could
// plant.
func sarifMessage(text string) string {
	return strings.ReplaceAll(term.OneLine(text, MaxFinding), "](", "] (")
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
