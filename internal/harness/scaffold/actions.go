package scaffold

// Action is a third-party action that runs an agent, and what its inputs and outputs
// are here.
type Action struct {
	Uses, Agent string
	Inputs      []Row
	Outputs     []Row
}

// Row is an input or output. To is the input or output here; an input whose To begins
// with a dash becomes that option of the agent, in agent-args. Without To there is no
// counterpart, because Why. With To, Why says what differs, if anything.
type Row struct{ Name, To, Why string }

// Why there is no counterpart, where several inputs share a reason.
const (
	noToken    = "the agent gets no token of GitHub; a second job writes what it made"
	noBranch   = "the agent's job does not push; a second job opens the pull request"
	noTrigger  = "the events and the if of the workflow say what starts the agent"
	noComment  = "the comment action posts the answer, in a second job"
	noPlugin   = "the agent has a fresh home; install it in a step before this one, and give --agent-home user in args"
	byEnv      = "the agent reads a variable for it; set that in env of this step"
	noOIDC     = "there is no exchange of tokens; give api-key, or log in by a step before this one"
	inEvidence = "the evidence always has it"
)

// Actions are the actions that Migrate knows.
var Actions = []Action{
	{"openai/codex-action", "codex", []Row{
		{"prompt", "prompt", ""},
		{"prompt-file", "prompt-file", ""},
		{"output-file", "", "the answer is the output final-output, and final_output.md in the evidence"},
		{"openai-api-key", "api-key", ""},
		{"responses-api-endpoint", "base-url", "without /responses at its end"},
		{"working-directory", "working-directory", ""},
		{"sandbox", "-s", ""},
		{"permission-profile", "", "the preset chooses a sandbox mode; -s in agent-args chooses another"},
		{"codex-version", "agent-version", "an exact version"},
		{"codex-args", "agent-args", "one word on each line"},
		{"output-schema", "output-schema", ""},
		{"output-schema-file", "output-schema-file", ""},
		{"model", "model", ""},
		{"effort", "-c model_reasoning_effort=", ""},
		{"codex-home", "", "the agent has a fresh home; -c in agent-args changes its settings"},
		{"safety-strategy", "", "sudo is not taken away; sandbox: require keeps the agent from the rest of the machine"},
		{"codex-user", "", "the agent runs as the user of the job; the runner or container says which"},
		{"allow-users", "allow-users", "* is refused"},
		{"allow-bots", "allow-bots", "true becomes github-actions[bot]"},
		{"allow-bot-users", "allow-bots", ""},
	}, []Row{
		{"final-message", "final-output", "at most 64 KiB"},
		{"codex-version", "agent-version", ""},
	}},
	{"anthropics/claude-code-action", "claude", []Row{
		{"prompt", "prompt", ""},
		{"direct_prompt", "prompt", ""},
		{"override_prompt", "prompt", ""},
		{"anthropic_api_key", "api-key", ""},
		{"claude_code_oauth_token", "", "api-key is the variable ANTHROPIC_API_KEY; set CLAUDE_CODE_OAUTH_TOKEN in env of this step"},
		{"claude_args", "agent-args", "one word on each line; --model and --json-schema become model and output-schema"},
		{"settings", "--settings", ""},
		{"model", "model", ""},
		{"anthropic_model", "model", ""},
		{"fallback_model", "--fallback-model", ""},
		{"allowed_tools", "--allowedTools", ""},
		{"disallowed_tools", "--disallowedTools", ""},
		{"custom_instructions", "--append-system-prompt", ""},
		{"mcp_config", "--mcp-config", ""},
		{"max_turns", "--max-turns", ""},
		{"timeout_minutes", "timeout", "with the unit m"},
		{"allowed_bots", "allow-bots", "* is refused"},
		{"allowed_non_write_users", "allow-users", "* is refused"},
		{"github_token", "", noToken},
		{"additional_permissions", "", "permissions of the job say that; the agent gets no token"},
		{"mode", "", noTrigger},
		{"trigger_phrase", "", noTrigger},
		{"assignee_trigger", "", noTrigger},
		{"label_trigger", "", noTrigger},
		{"include_comments_by_actor", "", "no comments are read; put what the agent needs into prompt"},
		{"exclude_comments_by_actor", "", "no comments are read; put what the agent needs into prompt"},
		{"base_branch", "", noBranch},
		{"branch_prefix", "", noBranch},
		{"branch_name_template", "", noBranch},
		{"use_commit_signing", "", noBranch},
		{"ssh_signing_key", "", noBranch},
		{"bot_id", "", noBranch},
		{"bot_name", "", noBranch},
		{"use_sticky_comment", "", noComment},
		{"classify_inline_comments", "", noComment},
		{"track_progress", "", noComment},
		{"include_fix_links", "", noComment},
		{"use_bedrock", "", byEnv},
		{"use_vertex", "", byEnv},
		{"use_foundry", "", byEnv},
		{"claude_env", "", byEnv},
		{"anthropic_federation_rule_id", "", noOIDC},
		{"anthropic_organization_id", "", noOIDC},
		{"anthropic_service_account_id", "", noOIDC},
		{"anthropic_workspace_id", "", noOIDC},
		{"anthropic_oidc_audience", "", noOIDC},
		{"display_report", "", "the job page always has a summary; job: off turns it off"},
		{"show_full_output", "", inEvidence},
		{"plugins", "", noPlugin},
		{"plugin_marketplaces", "", noPlugin},
		{"path_to_claude_code_executable", "", "the program on PATH is used; put its folder there, and leave agent-version out"},
		{"path_to_bun_executable", "", "nothing here runs on Bun"},
		{"exec_user", "", "the agent runs as the user of the job; the runner or container says which"},
		{"experimental_allowed_domains", "", "the network of an agent is not filtered; use a proxy"},
	}, []Row{
		{"structured_output", "structured-output", ""},
		{"conclusion", "verdict", "success, or one of several failures"},
		{"execution_file", "", inEvidence},
		{"branch_name", "", noBranch},
		{"github_token", "", noToken},
		{"session_id", "", inEvidence},
	}},
	{"google-github-actions/run-gemini-cli", "gemini", []Row{
		{"prompt", "prompt", ""},
		{"gemini_api_key", "api-key", ""},
		{"gemini_model", "model", ""},
		{"gemini_cli_version", "agent-version", "an exact version"},
		{"gemini_debug", "", inEvidence},
		{"upload_artifacts", "", "the evidence is always uploaded; upload-artifact: never turns it off"},
		{"settings", "", "the agent reads .gemini/settings.json; write it in a step before this one"},
		{"extensions", "", noPlugin},
		{"google_api_key", "", byEnv},
		{"use_vertex_ai", "", byEnv},
		{"use_gemini_code_assist", "", byEnv},
		{"gcp_location", "", byEnv},
		{"gcp_project_id", "", byEnv},
		{"gcp_service_account", "", noOIDC},
		{"gcp_workload_identity_provider", "", noOIDC},
		{"gcp_token_format", "", noOIDC},
		{"gcp_access_token_scopes", "", noOIDC},
		{"use_pnpm", "", "npm installs the agent"},
		{"workflow_name", "", "the agent sends no telemetry; traces are those of openagent"},
		{"github_pr_number", "", "the agent sends no telemetry; traces are those of openagent"},
		{"github_issue_number", "", "the agent sends no telemetry; traces are those of openagent"},
	}, []Row{
		{"summary", "final-output", "at most 64 KiB"},
		{"error", "error", "one line"},
	}},
}
