package golden_test

import (
	"fmt"
	"strings"
)

// begins returns a run whose run_started has these members.
func begins(members string) string {
	return stream(event{0, "run_started", "{" + members + "}"}, event{0, "run_finished", done})
}

// ends returns a run whose run_finished has these members besides.
func ends(members string) string { return short(put(done, "null}", "null,"+members+"}")) }

// costs returns a run with that cost.
func costs(cost string) string { return ends(`"usage":{"cost_usd":` + cost + `}`) }

// unmapped returns a run that was converted from another stream, with those
// counts of what was left out.
func unmapped(counts string) string {
	return ends(`"source":{"terminal":"observed","unmapped":` + counts + `}`)
}

// counted returns n counts whose names have size letters each.
func counted(n, size int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%0*d":1`, size, i)
	}
	return "{" + b.String()[1:] + "}"
}

// servers returns the member mcp_servers with n servers whose name has size letters.
func servers(n, size int) string {
	server := `,{"name":` + jsonString(size, "n") + `,"tools":1,"status":"up"}`
	return `"mcp_servers":[` + repeated(n, server)[1:] + `]`
}

// walled returns the member sandbox_status with one member put in the place of
// the one that is meant to differ.
func walled(old, text string) string {
	return put(`"sandbox_status":{"level":"full","landlock_abi":6,"seccomp":true,"network":"off","user":null,"missing":[]}`, old, text)
}

const converted = `"source":{"format":"codex","mapping":"codex/1","time":"arrival"}`

// Streams with the members of revision 2 at their bounds.
var valid2Vectors = []vector{
	{name: "converted", why: "a stream that was made of another one, which broke off",
		stream: stream(event{0, "run_started", "{" + converted + "}"},
			event{0, "run_finished", put(failed("no_terminal_event"), `"}`, `","source":{"terminal":"synthesized"}}`)})},
	{name: "unmapped-empty", why: "a converted stream of which nothing was left out", stream: unmapped("{}")},
	{name: "unmapped-names", why: "kinds of another stream have any name, also an empty one and those of this contract",
		stream: unmapped(`{"":1,"*":2,"a/b~c":3,"Item.Updated":4,"tool":5,"unmapped":6,"\u001b[31m":7,"é":8}`)},
	{name: "unmapped-64", why: "counts under 64 names", stream: unmapped(counted(64, 2))},
	{name: "unmapped-2048", why: "counts under names of 2048 bytes together", stream: unmapped(counted(8, 256))},
	{name: "unmapped-256-wide", why: "a count under a name of 128 characters and 256 bytes",
		stream: unmapped("{" + jsonString(128, "é") + ":1}")},
	{name: "free-names-of-revision-2", why: "x_ names are free: another producer may print other types under those of ours",
		stream: ends(`"x_unfinished":"two","x_tampered":{},"x_exit_unknown":1`)},
	{name: "child-run", why: "a run that another one started", stream: begins(`"parent_run_id":"r0"`)},
	{name: "parent-null", why: "a run that none started", stream: begins(`"parent_run_id":null`)},
	{name: "parent-256", why: "a parent_run_id of 256 bytes", stream: begins(`"parent_run_id":` + jsonString(256, "r"))},
	{name: "mcp-servers-none", why: "a run without MCP servers", stream: begins(`"mcp_servers":[]`)},
	{name: "mcp-servers-64", why: "64 MCP servers", stream: begins(servers(64, 1))},
	{name: "mcp-servers-2048", why: "MCP servers whose texts have 2048 bytes together", stream: begins(servers(16, 126))},
	{name: "sandbox-none", why: "a run without a sandbox, on a system that has none", stream: begins(
		`"sandbox_status":{"level":"none","landlock_abi":null,"seccomp":false,"network":"on","user":null,"missing":["landlock"]}`)},
	{name: "cost-0", why: "a run that cost nothing", stream: costs("0")},
	{name: "cost-6-decimals", why: "a cost with 6 decimals", stream: costs("0.000001")},
	{name: "cost-6-zeros", why: "a cost with 6 decimals that are zeros", stream: costs("1.000000")},
	{name: "cost-2-to-53", why: "a cost of 2^53", stream: costs("9007199254740992")},
	{name: "cost-22-digits", why: "a cost below 2^53 with 6 decimals, more than a float64 tells apart", stream: costs("9007199254740991.999999")},
	{name: "cost-2-to-53-zeros", why: "a cost of 2^53 with decimals that are zeros", stream: costs("9007199254740992.000000")},
	{name: "cost-null", why: "a run whose cost nobody knows", stream: costs("null")},
}

// Lines in which the members of revision 2 break a rule.
var revision2Vectors = []vector{
	{"schema-data-source-string", "source of run_started is a string",
		begins(`"source":"codex"`), wants(at(1, "schema/data"))},
	{"schema-data-source-null", "source of run_started is null, which it cannot be",
		begins(`"source":null`), wants(at(1, "schema/data"))},
	{"schema-data-source-missing", "source of run_started has no time",
		begins(put(converted, `,"time":"arrival"`, "")), wants(at(1, "schema/data"))},
	{"schema-data-terminal-missing", "source of run_finished has no terminal",
		ends(`"source":{"unmapped":{}}`), wants(at(2, "schema/data"))},
	{"schema-data-terminal-null", "terminal of run_finished is null, which it cannot be",
		ends(`"source":{"terminal":null}`), wants(at(2, "schema/data"))},
	{"schema-data-unmapped-list", "unmapped is a list", unmapped(`["item"]`), wants(at(2, "schema/data"))},
	{"schema-data-unmapped-null", "unmapped is null, which it cannot be", unmapped("null"), wants(at(2, "schema/data"))},
	{"schema-data-count-string", "a count in unmapped is a string", unmapped(`{"item":"3"}`), wants(at(2, "schema/data"))},
	{"schema-data-count-fraction", "a count in unmapped is 1.5", unmapped(`{"item":1.5}`), wants(at(2, "schema/data"))},
	{"schema-data-two-counts", "two counts in unmapped are no numbers: one finding each, none for that between them",
		unmapped(`{"a":null,"b":1,"c":{"b":1}}`), wants(at(2, "schema/data"), at(2, "schema/data"))},
	{"schema-data-parent-number", "parent_run_id is a number", begins(`"parent_run_id":7`), wants(at(1, "schema/data"))},
	{"schema-data-mcp-servers-object", "mcp_servers is an object by name",
		begins(`"mcp_servers":{"s":{"tools":1,"status":"up"}}`), wants(at(1, "schema/data"))},
	{"schema-data-mcp-server-missing", "an MCP server has no status",
		begins(`"mcp_servers":[{"name":"s","tools":1}]`), wants(at(1, "schema/data"))},
	{"schema-data-mcp-server-tools", "tools of an MCP server are a list of names",
		begins(`"mcp_servers":[{"name":"s","tools":["t"],"status":"up"}]`), wants(at(1, "schema/data"))},
	{"schema-data-sandbox-missing", "sandbox_status has no list of what is missing",
		begins(walled(`,"missing":[]`, "")), wants(at(1, "schema/data"))},
	{"schema-data-sandbox-type", "seccomp of sandbox_status is a string",
		begins(walled(`"seccomp":true`, `"seccomp":"on"`)), wants(at(1, "schema/data"))},
	{"schema-data-sandbox-null", "network of sandbox_status is null, which it cannot be",
		begins(walled(`"off"`, "null")), wants(at(1, "schema/data"))},
	{"schema-data-cost-string", "cost_usd is a string", costs(`"0.01"`), wants(at(2, "schema/data"))},
	{"schema-number-cost-above-2-to-53", "cost_usd is above 2^53 by less than a float64 can tell", costs("9007199254740992.000001"), wants(at(2, "schema/number"))},
	{"schema-number-cost-beyond-2-to-53", "cost_usd is 2^53 + 1", costs("9007199254740993"), wants(at(2, "schema/number"))},
	{"schema-data-cost-negative", "cost_usd is -1", costs("-1"), wants(at(2, "schema/data"))},
	{"schema-data-cost-below-0", "cost_usd is below 0 by the least that can be written", costs("-0.000001"), wants(at(2, "schema/data"))},
	{"schema-data-reasoning-fraction", "reasoning_tokens is 1.5",
		ends(`"usage":{"reasoning_tokens":1.5}`), wants(at(2, "schema/data"))},

	{"schema-number-cost-exponent", "cost_usd is 1e-2", costs("1e-2"), wants(at(2, "schema/number"))},
	{"schema-number-cost-huge-exponent", "cost_usd is 1e10000000, which some parsers write out",
		costs("1e10000000"), wants(at(2, "schema/number"))},
	{"schema-number-cost-7-decimals", "cost_usd has 7 decimals", costs("0.0000001"), wants(at(2, "schema/number"))},
	{"schema-number-cost-7-zeros", "cost_usd has 7 decimals, the last of which is 0",
		costs("0.1000000"), wants(at(2, "schema/number"))},
	{"schema-number-cost-minus-zero", "cost_usd is -0.0", costs("-0.0"), wants(at(2, "schema/number"))},
	{"schema-number-cost-beyond", "cost_usd is above 2^53", costs("9007199254740994"), wants(at(2, "schema/number"))},
	{"schema-number-count-point", "a count in unmapped is 3.0", unmapped(`{"item":3.0}`), wants(at(2, "schema/number"))},
	{"schema-number-count-beyond", "a count in unmapped is 2^53 + 1",
		unmapped(`{"item":9007199254740993}`), wants(at(2, "schema/number"))},

	{"size-string-source-257", "format of source has 257 bytes",
		begins(put(converted, `"codex"`, jsonString(257, "f"))), wants(at(1, "size/string"))},
	{"size-string-parent-257", "parent_run_id has 257 bytes",
		begins(`"parent_run_id":` + jsonString(257, "r")), wants(at(1, "size/string"))},
	{"size-string-mcp-servers-65", "there are 65 MCP servers", begins(servers(65, 1)), wants(at(1, "size/string"))},
	{"size-string-mcp-servers-2064", "the texts of the MCP servers have 2064 bytes together",
		begins(servers(16, 127)), wants(at(1, "size/string"))},
	{"size-string-mcp-server-257", "the name of an MCP server has 257 bytes",
		begins(servers(1, 257)), wants(at(1, "size/string"))},
	{"size-string-sandbox-257", "user of sandbox_status has 257 bytes",
		begins(walled(`"user":null`, `"user":`+jsonString(257, "u"))), wants(at(1, "size/string"))},
	{"size-string-sandbox-65", "missing of sandbox_status has 65 items",
		begins(walled("[]", names(65, 1))), wants(at(1, "size/string"))},
	{"size-string-unmapped-65", "unmapped has 65 names", unmapped(counted(65, 2)), wants(at(2, "size/string"))},
	{"size-string-unmapped-2049", "the names in unmapped have 2049 bytes together, each within its bound",
		unmapped(put(counted(8, 256), "{", `{"n":1,`)), wants(at(2, "size/string"))},
	{"size-string-unmapped-257", "a name in unmapped has 257 bytes", unmapped(counted(1, 257)), wants(at(2, "size/string"))},
	{"size-string-unmapped-258-wide", "a name in unmapped has 129 characters and 258 bytes",
		unmapped("{" + jsonString(129, "é") + ":1}"), wants(at(2, "size/string"))},

	{"line-duplicate-key-unmapped", "a name stands twice in unmapped, once with an escape",
		unmapped(`{"item":1,"it\u0065m":2}`), wants(at(2, "line/duplicate-key"), at(0, "stream/terminal-missing"))},

	{"run-outcome-ok-with-killed", "ok is true beside the exit reason killed, which only converted streams have",
		short(put(done, `"ok",`, `"killed",`)), wants(at(2, "run/outcome"))},
	{"run-outcome-ok-with-no-terminal", "ok is true beside the exit reason no_terminal_event",
		short(put(done, `"ok",`, `"no_terminal_event",`)), wants(at(2, "run/outcome"))},
	{"run-outcome-ok-with-stream-invalid", "ok is true beside the exit reason stream_invalid",
		short(put(done, `"ok",`, `"stream_invalid",`)), wants(at(2, "run/outcome"))},
}
