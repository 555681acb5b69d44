// Code generated from the published schema by go test -run TestTables -update; DO NOT EDIT.

package line

// Version is the schema_version that the tables are of, and Digest that of its schema.
const (
	Version = "openagent.run_event.v1"
	Digest  = "sha256:d8e971acf678f1999fe23dc4a250480e7778c47c18f13e0a9edeb4dd26ff4d66"
)

var envelope = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{3: 3, 19: 4, 20: 7, 26: 5, 29: 1, 32: 2, 37: 6}, required: 0x7f, closed: true, entries: []entry{{},
	{name: "data", first: 0x2261746164, next: 0, bit: 0x1, kind: kindData},
	{name: "run_id", first: 0x2264695f6e7572, next: 0, bit: 0x2, kind: kindText, null: false, slot: slotRunID, min: 0, max: 256},
	{name: "schema_version", first: 0x765f616d65686373, next: 0, bit: 0x4, kind: kindVersion, null: false},
	{name: "sequence", first: 0x65636e6575716573, next: 0, bit: 0x8, kind: kindInteger, null: false, slot: slotSequence, min: 1, max: 9007199254740992},
	{name: "step", first: 0x2270657473, next: 0, bit: 0x10, kind: kindInteger, null: false, slot: slotStep, min: 0, max: 9007199254740992},
	{name: "ts", first: 0x227374, next: 0, bit: 0x20, kind: kindTime, null: false},
	{name: "type", first: 0x2265707974, next: 0, bit: 0x40, kind: kindType, null: false},
}}

var runStartedAgent = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{37: 2, 46: 1}, required: 0x3, closed: false, entries: []entry{{},
	{name: "name", first: 0x22656d616e, next: 0, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "version", first: 0x226e6f6973726576, next: 0, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
}}

var runStartedMcpServersItem = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{0: 2, 46: 1, 63: 3}, required: 0x7, closed: false, entries: []entry{{},
	{name: "name", first: 0x22656d616e, next: 0, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "status", first: 0x22737574617473, next: 0, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
	{name: "tools", first: 0x22736c6f6f74, next: 0, bit: 0x4, kind: kindInteger, null: false, min: -9007199254740992, max: 9007199254740992},
}}

var runStartedSandboxStatus = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{2: 6, 17: 5, 32: 3, 45: 2, 50: 4, 59: 1}, required: 0x3f, closed: false, entries: []entry{{},
	{name: "landlock_abi", first: 0x6b636f6c646e616c, next: 0, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "level", first: 0x226c6576656c, next: 0, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
	{name: "missing", first: 0x22676e697373696d, next: 0, bit: 0x4, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindText, null: false, min: 0, max: 256}},
	{name: "network", first: 0x226b726f7774656e, next: 0, bit: 0x8, kind: kindText, null: false, min: 0, max: 256},
	{name: "seccomp", first: 0x22706d6f63636573, next: 0, bit: 0x10, kind: kindBool, null: false},
	{name: "user", first: 0x2272657375, next: 0, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
}}

var runStartedSource = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{1: 3, 20: 2, 42: 1}, required: 0x7, closed: false, entries: []entry{{},
	{name: "format", first: 0x2274616d726f66, next: 0, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "mapping", first: 0x22676e697070616d, next: 0, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
	{name: "time", first: 0x22656d6974, next: 0, bit: 0x4, kind: kindText, null: false, min: 0, max: 256},
}}

var runStartedTruncatedFieldsItem = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{6: 2, 57: 1}, required: 0x3, closed: false, entries: []entry{{},
	{name: "field", first: 0x22646c656966, next: 0, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "original_bytes", first: 0x6c616e696769726f, next: 0, bit: 0x2, kind: kindInteger, null: false, min: 0, max: 9007199254740992},
}}

var runStarted = object{factor: 0xc8d04605312f8089, index: [1 << indexBits]uint8{7: 8, 17: 4, 18: 12, 21: 1, 23: 5, 29: 6, 42: 10, 44: 2, 48: 9, 51: 7, 53: 3, 62: 11}, required: 0x0, closed: false, entries: []entry{{},
	{name: "agent", first: 0x22746e656761, next: 0, bit: 0x1, kind: kindObject, null: false, object: &runStartedAgent},
	{name: "config_fingerprint", first: 0x665f6769666e6f63, next: 0, bit: 0x2, kind: kindText, null: true, min: 0, max: 256},
	{name: "mcp_servers", first: 0x767265735f70636d, next: 0, bit: 0x4, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedMcpServersItem}},
	{name: "model", first: 0x226c65646f6d, next: 0, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "parent_run_id", first: 0x725f746e65726170, next: 0, bit: 0x10, kind: kindText, null: true, min: 0, max: 256},
	{name: "prompt_sha256", first: 0x735f74706d6f7270, next: 0, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
	{name: "provider", first: 0x72656469766f7270, next: 0, bit: 0x40, kind: kindText, null: true, min: 0, max: 256},
	{name: "sandbox", first: 0x22786f62646e6173, next: 0, bit: 0x80, kind: kindText, null: true, min: 0, max: 256},
	{name: "sandbox_status", first: 0x5f786f62646e6173, next: 0, bit: 0x100, kind: kindObject, null: false, object: &runStartedSandboxStatus},
	{name: "source", first: 0x22656372756f73, next: 0, bit: 0x200, kind: kindObject, null: false, object: &runStartedSource},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x400, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x800, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var stepStarted = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{2: 5, 4: 4, 6: 6, 36: 1, 47: 3, 52: 2}, required: 0xf, closed: false, entries: []entry{{},
	{name: "allowed_tools", first: 0x5f6465776f6c6c61, next: 0, bit: 0x1, kind: kindList, null: true, max: 64, size: 2048, item: &entry{kind: kindText, null: false, min: 0, max: 256}},
	{name: "enforcement_mode", first: 0x6d6563726f666e65, next: 0, bit: 0x2, kind: kindText, null: true, min: 0, max: 256},
	{name: "step_id", first: 0x2264695f70657473, next: 0, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "step_index", first: 0x646e695f70657473, next: 0, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x10, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolCallDetected = object{factor: 0x730ad2626b1c2f8f, index: [1 << indexBits]uint8{13: 7, 18: 10, 27: 9, 29: 13, 35: 12, 43: 6, 44: 4, 50: 11, 51: 3, 52: 8, 60: 5, 63: 1}, required: 0xc00, closed: false, entries: []entry{{},
	{name: "arguments_bytes", first: 0x746e656d75677261, next: 2, bit: 0x1, kind: kindInteger, null: true, min: 0, max: 9007199254740992},
	{name: "arguments_preview", first: 0x746e656d75677261, next: 0, bit: 0x2, kind: kindText, null: true, min: 0, max: 4096},
	{name: "index", first: 0x227865646e69, next: 0, bit: 0x4, kind: kindInteger, null: false, min: -9007199254740992, max: 9007199254740992},
	{name: "parent_call_id", first: 0x635f746e65726170, next: 0, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "repaired", first: 0x6465726961706572, next: 0, bit: 0x10, kind: kindBool, null: false},
	{name: "repairs", first: 0x2273726961706572, next: 0, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindText, null: false, min: 0, max: 256}},
	{name: "source", first: 0x22656372756f73, next: 0, bit: 0x40, kind: kindText, null: false, min: 0, max: 256},
	{name: "status", first: 0x22737574617473, next: 0, bit: 0x80, kind: kindText, null: false, min: 0, max: 256},
	{name: "text_bytes", first: 0x7479625f74786574, next: 0, bit: 0x100, kind: kindInteger, null: true, min: 0, max: 9007199254740992},
	{name: "text_preview", first: 0x6572705f74786574, next: 0, bit: 0x200, kind: kindText, null: true, min: 0, max: 2048},
	{name: "tool", first: 0x226c6f6f74, next: 0, bit: 0x400, kind: kindText, null: true, slot: slotTool, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x800, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x1000, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolDecision = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{0: 3, 2: 5, 6: 6, 14: 1, 30: 2, 63: 4}, required: 0x1f, closed: false, entries: []entry{{},
	{name: "decision", first: 0x6e6f697369636564, next: 0, bit: 0x1, kind: kindText, null: true, slot: slotDecision, min: 0, max: 256},
	{name: "reason", first: 0x226e6f73616572, next: 0, bit: 0x2, kind: kindText, null: true, min: 0, max: 1024},
	{name: "source", first: 0x22656372756f73, next: 0, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool", first: 0x226c6f6f74, next: 0, bit: 0x8, kind: kindText, null: true, slot: slotTool, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x10, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolExecStarted = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{47: 1, 57: 2, 59: 3}, required: 0x3, closed: false, entries: []entry{{},
	{name: "tool", first: 0x226c6f6f74, next: 0, bit: 0x1, kind: kindText, null: true, slot: slotTool, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x2, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x4, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolExecFinishedArtifactsItem = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{23: 1}, required: 0x1, closed: false, entries: []entry{{},
	{name: "path", first: 0x2268746170, next: 0, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
}}

var toolExecFinished = object{factor: 0xc8d04605312f8089, index: [1 << indexBits]uint8{2: 9, 4: 1, 9: 3, 18: 14, 19: 2, 22: 10, 24: 12, 25: 8, 27: 6, 42: 5, 45: 7, 51: 11, 54: 4, 62: 13}, required: 0x3862, closed: false, entries: []entry{{},
	{name: "artifacts", first: 0x7463616669747261, next: 0, bit: 0x1, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &toolExecFinishedArtifactsItem}},
	{name: "content_preview", first: 0x5f746e65746e6f63, next: 0, bit: 0x2, kind: kindText, null: true, slot: slotText, min: 0, max: 4096},
	{name: "duration_ms", first: 0x6e6f697461727564, next: 0, bit: 0x4, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "error_kind", first: 0x696b5f726f727265, next: 0, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "exit_status", first: 0x6174735f74697865, next: 0, bit: 0x10, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "ok", first: 0x226b6f, next: 0, bit: 0x20, kind: kindBool, null: true, slot: slotOK},
	{name: "original_bytes", first: 0x6c616e696769726f, next: 0, bit: 0x40, kind: kindInteger, null: true, slot: slotOriginal, min: 0, max: 9007199254740992},
	{name: "output_bytes", first: 0x625f74757074756f, next: 0, bit: 0x80, kind: kindInteger, null: true, min: 0, max: 9007199254740992},
	{name: "output_truncated", first: 0x745f74757074756f, next: 0, bit: 0x100, kind: kindBool, null: false},
	{name: "status", first: 0x22737574617473, next: 0, bit: 0x200, kind: kindText, null: false, min: 0, max: 256},
	{name: "summary_text", first: 0x5f7972616d6d7573, next: 0, bit: 0x400, kind: kindChars, null: true, min: 0, max: 200},
	{name: "tool", first: 0x226c6f6f74, next: 0, bit: 0x800, kind: kindText, null: true, slot: slotTool, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x1000, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated", first: 0x657461636e757274, next: 15, bit: 0x2000, kind: kindBool, null: false, slot: slotTruncated},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x4000, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolRetry = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{16: 3, 38: 5, 41: 1, 47: 6, 51: 2, 57: 7, 59: 8, 63: 4}, required: 0x6f, closed: false, entries: []entry{{},
	{name: "action", first: 0x226e6f69746361, next: 0, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "attempt", first: 0x2274706d65747461, next: 0, bit: 0x2, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "failure_class", first: 0x5f6572756c696166, next: 0, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "max_retries", first: 0x727465725f78616d, next: 0, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "reason", first: 0x226e6f73616572, next: 0, bit: 0x10, kind: kindText, null: true, min: 0, max: 1024},
	{name: "tool", first: 0x226c6f6f74, next: 0, bit: 0x20, kind: kindText, null: true, slot: slotTool, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x40, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x80, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var stepBlocked = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{7: 3, 38: 2, 47: 4, 56: 1, 57: 5, 59: 6}, required: 0xe, closed: false, entries: []entry{{},
	{name: "code", first: 0x2265646f63, next: 0, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "reason", first: 0x226e6f73616572, next: 0, bit: 0x2, kind: kindText, null: true, min: 0, max: 1024},
	{name: "step_id", first: 0x2264695f70657473, next: 0, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool", first: 0x226c6f6f74, next: 0, bit: 0x8, kind: kindText, null: true, slot: slotTool, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x10, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var providerRetry = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{0: 5, 14: 3, 22: 4, 31: 2, 51: 1, 57: 6, 59: 7}, required: 0x1f, closed: false, entries: []entry{{},
	{name: "attempt", first: 0x2274706d65747461, next: 0, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "backoff_ms", first: 0x5f66666f6b636162, next: 0, bit: 0x2, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "kind", first: 0x22646e696b, next: 0, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "max_attempts", first: 0x657474615f78616d, next: 0, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "status", first: 0x22737574617473, next: 0, bit: 0x10, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x20, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x40, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var providerError = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{0: 4, 4: 3, 14: 1, 35: 2, 57: 5, 59: 6}, required: 0xf, closed: false, entries: []entry{{},
	{name: "kind", first: 0x22646e696b, next: 0, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "message_short", first: 0x5f6567617373656d, next: 0, bit: 0x2, kind: kindOneLine, null: true, min: 0, max: 200},
	{name: "retryable", first: 0x6c62617972746572, next: 0, bit: 0x4, kind: kindBool, null: true},
	{name: "status", first: 0x22737574617473, next: 0, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x10, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var runFinishedSource = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{27: 1, 54: 2}, required: 0x1, closed: false, entries: []entry{{},
	{name: "terminal", first: 0x6c616e696d726574, next: 0, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "unmapped", first: 0x64657070616d6e75, next: 0, bit: 0x2, kind: kindCounts, null: false, max: 64, size: 2048, name1: 256, item: &entry{kind: kindInteger, null: false, min: -9007199254740992, max: 9007199254740992}},
}}

var runFinishedUsage = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{6: 2, 42: 6, 49: 3, 56: 5, 57: 4, 59: 1}, required: 0x0, closed: false, entries: []entry{{},
	{name: "cached_input_tokens", first: 0x695f646568636163, next: 0, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "cost_usd", first: 0x6473755f74736f63, next: 0, bit: 0x2, kind: kindDecimal, null: true},
	{name: "input_tokens", first: 0x6f745f7475706e69, next: 0, bit: 0x4, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "output_tokens", first: 0x745f74757074756f, next: 0, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "reasoning_tokens", first: 0x6e696e6f73616572, next: 0, bit: 0x10, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "total_tokens", first: 0x6f745f6c61746f74, next: 0, bit: 0x20, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
}}

var runFinished = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{0: 9, 2: 11, 6: 13, 7: 8, 14: 1, 16: 3, 17: 4, 28: 15, 34: 5, 35: 2, 36: 10, 53: 7}, required: 0x5a, closed: false, entries: []entry{{},
	{name: "duration_ms", first: 0x6e6f697461727564, next: 0, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "error", first: 0x22726f727265, next: 0, bit: 0x2, kind: kindText, null: true, slot: slotError, min: 0, max: 4096},
	{name: "error_code", first: 0x6f635f726f727265, next: 0, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "exit_reason", first: 0x6165725f74697865, next: 0, bit: 0x8, kind: kindText, null: false, slot: slotReason, min: 1, max: 256},
	{name: "final_output", first: 0x756f5f6c616e6966, next: 6, bit: 0x10, kind: kindText, null: false, slot: slotText, min: 0, max: 4096},
	{name: "final_output_artifact", first: 0x756f5f6c616e6966, next: 0, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
	{name: "ok", first: 0x226b6f, next: 0, bit: 0x40, kind: kindBool, null: false, slot: slotOK},
	{name: "original_bytes", first: 0x6c616e696769726f, next: 0, bit: 0x80, kind: kindInteger, null: true, slot: slotOriginal, min: 0, max: 9007199254740992},
	{name: "source", first: 0x22656372756f73, next: 0, bit: 0x100, kind: kindObject, null: false, object: &runFinishedSource},
	{name: "steps", first: 0x227370657473, next: 0, bit: 0x200, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, next: 12, bit: 0x400, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "tool_calls", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x800, kind: kindInteger, null: true, slot: slotTotal, min: -9007199254740992, max: 9007199254740992},
	{name: "truncated", first: 0x657461636e757274, next: 14, bit: 0x1000, kind: kindBool, null: false, slot: slotTruncated},
	{name: "truncated_fields", first: 0x657461636e757274, next: 0, bit: 0x2000, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
	{name: "usage", first: 0x226567617375, next: 0, bit: 0x4000, kind: kindObject, null: true, object: &runFinishedUsage},
}}

var types = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{4: 8, 16: 11, 20: 9, 23: 5, 32: 1, 45: 4, 56: 3, 57: 7, 61: 6}, required: 0x0, closed: false, entries: []entry{{},
	{name: "provider_error", first: 0x72656469766f7270, next: 2, bit: 0x1, object: &providerError},
	{name: "provider_retry", first: 0x72656469766f7270, next: 0, bit: 0x2, object: &providerRetry},
	{name: "run_finished", first: 0x696e69665f6e7572, next: 0, bit: 0x4, object: &runFinished},
	{name: "run_started", first: 0x726174735f6e7572, next: 0, bit: 0x8, object: &runStarted},
	{name: "step_blocked", first: 0x6f6c625f70657473, next: 0, bit: 0x10, object: &stepBlocked},
	{name: "step_started", first: 0x6174735f70657473, next: 0, bit: 0x20, object: &stepStarted},
	{name: "tool_call_detected", first: 0x6c61635f6c6f6f74, next: 0, bit: 0x40, object: &toolCallDetected},
	{name: "tool_decision", first: 0x6365645f6c6f6f74, next: 0, bit: 0x80, object: &toolDecision},
	{name: "tool_exec_finished", first: 0x6578655f6c6f6f74, next: 10, bit: 0x100, object: &toolExecFinished},
	{name: "tool_exec_started", first: 0x6578655f6c6f6f74, next: 0, bit: 0x200, object: &toolExecStarted},
	{name: "tool_retry", first: 0x7465725f6c6f6f74, next: 0, bit: 0x400, object: &toolRetry},
}}
