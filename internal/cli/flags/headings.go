package flags

// First are the flags of the first hour, which -h shows of a command that has many.
const First = `agent agent-arg out fail-on prompt-file model base-url script cassette max-steps timeout
	policy sandbox output-schema output stream run jobs update list watch repeat min-pass format`

// Heading is a part of the help of a command that has many flags.
type Heading struct{ Title, Flags string }

// Headings returns the parts in their order; the last has all flags that no other has.
func Headings() []Heading {
	return []Heading{
		{"Agent", `agent agent-version agent-arg agent-home witness print-command prompt-file workspace system-file instructions
			tool-calls session resume history pass-env`},
		{"Model", `model base-url api api-key-file script cassette cassette-mode reasoning-effort temperature
			max-output-tokens output-schema output-attempts output-schema-via`},
		{"Limits", `max-steps max-tool-calls max-tokens max-cost prices timeout tool-timeout idle-timeout exit-grace retry
			max-line max-stream max-tool-output max-context`},
		{"Tools and sandbox", `policy allow-tools deny-tools on-deny mcp-config sandbox sandbox-read sandbox-write
			sandbox-preset sandbox-user network limit`},
		{"Output", `output stream tui out evidence format fail-on job strict golden compare-with compare-fail-on
			redact events-file`},
		{"Scenario", `run update jobs list watch keep repeat min-pass agents env
			fail-fast allow-skip shard timings rerun-failed`},
		{"Advanced", ""},
	}
}
