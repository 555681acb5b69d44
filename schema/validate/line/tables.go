// Code generated from the published schema by go test -run TestTables -update; DO NOT EDIT.

package line

// Version is the schema_version that the tables are of, and Digest that of its schema.
const (
	Version = "openagent.run_event.v1"
	Digest  = "sha256:d0d2507e29d249c6125fc65f1a787e7bba3db9cc90ae1354438cb35566e1fb7c"
)

var envelope = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{3: 3, 19: 4, 20: 7, 26: 5, 29: 1, 32: 2, 37: 6}, required: 0x7f, closed: true, entries: []entry{{id: 8},
	{name: "data", first: 0x2261746164, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 1, bit: 0x1, kind: kindData},
	{name: "run_id", first: 0x2264695f6e7572, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 2, bit: 0x2, kind: kindText, null: false, slot: slotRunID, min: 0, max: 256},
	{name: "schema_version", first: 0x765f616d65686373, last: 0x226e6f6973726576, mask: 0xffffffffffffffff, at: 7, next: 0, id: 3, bit: 0x4, kind: kindVersion, null: false},
	{name: "sequence", first: 0x65636e6575716573, last: 0x2265636e65757165, mask: 0xffffffffffffffff, at: 1, next: 0, id: 4, bit: 0x8, kind: kindInteger, null: false, slot: slotSequence, min: 1, max: 9007199254740992},
	{name: "step", first: 0x2270657473, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 5, bit: 0x10, kind: kindInteger, null: false, slot: slotStep, min: 0, max: 9007199254740992},
	{name: "ts", first: 0x227374, last: 0x0, mask: 0xffffff, at: 0, next: 0, id: 6, bit: 0x20, kind: kindTime, null: false},
	{name: "type", first: 0x2265707974, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 7, bit: 0x40, kind: kindType, null: false},
}}

var runStartedAgent = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{37: 2, 46: 1}, required: 0x3, closed: false, entries: []entry{{id: 11},
	{name: "name", first: 0x22656d616e, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 9, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "version", first: 0x226e6f6973726576, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 10, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
}}

var runStartedMcpServersItem = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{0: 2, 46: 1, 63: 3}, required: 0x7, closed: false, entries: []entry{{id: 17},
	{name: "name", first: 0x22656d616e, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 14, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "status", first: 0x22737574617473, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 15, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
	{name: "tools", first: 0x22736c6f6f74, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 16, bit: 0x4, kind: kindInteger, null: false, min: -9007199254740992, max: 9007199254740992},
}}

var runStartedSandboxStatus = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{2: 6, 17: 5, 32: 3, 45: 2, 50: 4, 59: 1}, required: 0x3f, closed: false, entries: []entry{{id: 30},
	{name: "landlock_abi", first: 0x6b636f6c646e616c, last: 0x226962615f6b636f, mask: 0xffffffffffffffff, at: 5, next: 0, id: 24, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "level", first: 0x226c6576656c, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 25, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
	{name: "missing", first: 0x22676e697373696d, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 26, bit: 0x4, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindText, null: false, min: 0, max: 256}},
	{name: "network", first: 0x226b726f7774656e, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 27, bit: 0x8, kind: kindText, null: false, min: 0, max: 256},
	{name: "seccomp", first: 0x22706d6f63636573, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 28, bit: 0x10, kind: kindBool, null: false},
	{name: "user", first: 0x2272657375, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 29, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
}}

var runStartedSource = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{1: 3, 20: 2, 42: 1}, required: 0x7, closed: false, entries: []entry{{id: 35},
	{name: "format", first: 0x2274616d726f66, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 32, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "mapping", first: 0x22676e697070616d, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 33, bit: 0x2, kind: kindText, null: false, min: 0, max: 256},
	{name: "time", first: 0x22656d6974, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 34, bit: 0x4, kind: kindText, null: false, min: 0, max: 256},
}}

var runStartedTruncatedFieldsItem = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{6: 2, 57: 1}, required: 0x3, closed: false, entries: []entry{{id: 40},
	{name: "field", first: 0x22646c656966, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 38, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "original_bytes", first: 0x6c616e696769726f, last: 0x2273657479625f6c, mask: 0xffffffffffffffff, at: 7, next: 0, id: 39, bit: 0x2, kind: kindInteger, null: false, min: 0, max: 9007199254740992},
}}

var runStarted = object{factor: 0xc8d04605312f8089, index: [1 << indexBits]uint8{7: 8, 17: 4, 18: 12, 21: 1, 23: 5, 29: 6, 42: 10, 44: 2, 48: 9, 51: 7, 53: 3, 62: 11}, required: 0x0, closed: false, entries: []entry{{id: 42},
	{name: "agent", first: 0x22746e656761, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 12, bit: 0x1, kind: kindObject, null: false, object: &runStartedAgent},
	{name: "config_fingerprint", first: 0x665f6769666e6f63, last: 0x22746e6972707265, mask: 0xffffffffffffffff, at: 11, next: 0, id: 13, bit: 0x2, kind: kindText, null: true, min: 0, max: 256},
	{name: "mcp_servers", first: 0x767265735f70636d, last: 0x2273726576726573, mask: 0xffffffffffffffff, at: 4, next: 0, id: 18, bit: 0x4, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedMcpServersItem}},
	{name: "model", first: 0x226c65646f6d, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 19, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "parent_run_id", first: 0x725f746e65726170, last: 0x2264695f6e75725f, mask: 0xffffffffffffffff, at: 6, next: 0, id: 20, bit: 0x10, kind: kindText, null: true, min: 0, max: 256},
	{name: "prompt_sha256", first: 0x735f74706d6f7270, last: 0x223635326168735f, mask: 0xffffffffffffffff, at: 6, next: 0, id: 21, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
	{name: "provider", first: 0x72656469766f7270, last: 0x2272656469766f72, mask: 0xffffffffffffffff, at: 1, next: 0, id: 22, bit: 0x40, kind: kindText, null: true, min: 0, max: 256},
	{name: "sandbox", first: 0x22786f62646e6173, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 23, bit: 0x80, kind: kindText, null: true, min: 0, max: 256},
	{name: "sandbox_status", first: 0x5f786f62646e6173, last: 0x227375746174735f, mask: 0xffffffffffffffff, at: 7, next: 0, id: 31, bit: 0x100, kind: kindObject, null: false, object: &runStartedSandboxStatus},
	{name: "source", first: 0x22656372756f73, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 36, bit: 0x200, kind: kindObject, null: false, object: &runStartedSource},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 37, bit: 0x400, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 41, bit: 0x800, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var stepStarted = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{2: 5, 4: 4, 6: 6, 36: 1, 47: 3, 52: 2}, required: 0xf, closed: false, entries: []entry{{id: 49},
	{name: "allowed_tools", first: 0x5f6465776f6c6c61, last: 0x22736c6f6f745f64, mask: 0xffffffffffffffff, at: 6, next: 0, id: 43, bit: 0x1, kind: kindList, null: true, max: 64, size: 2048, item: &entry{kind: kindText, null: false, min: 0, max: 256}},
	{name: "enforcement_mode", first: 0x6d6563726f666e65, last: 0x2265646f6d5f746e, mask: 0xffffffffffffffff, at: 9, next: 0, id: 44, bit: 0x2, kind: kindText, null: true, min: 0, max: 256},
	{name: "step_id", first: 0x2264695f70657473, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 45, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "step_index", first: 0x646e695f70657473, last: 0x227865646e695f70, mask: 0xffffffffffffffff, at: 3, next: 0, id: 46, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 47, bit: 0x10, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 48, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolCallDetected = object{factor: 0xc8d04605312f8089, index: [1 << indexBits]uint8{18: 10, 22: 7, 23: 1, 24: 8, 29: 5, 39: 3, 42: 6, 48: 4, 62: 9}, required: 0x180, closed: false, entries: []entry{{id: 60},
	{name: "arguments_bytes", first: 0x746e656d75677261, last: 0x2273657479625f73, mask: 0xffffffffffffffff, at: 8, next: 2, id: 50, bit: 0x1, kind: kindInteger, null: true, min: 0, max: 9007199254740992},
	{name: "arguments_preview", first: 0x746e656d75677261, last: 0x2277656976657270, mask: 0xffffffffffffffff, at: 10, next: 0, id: 51, bit: 0x2, kind: kindText, null: true, min: 0, max: 4096},
	{name: "index", first: 0x227865646e69, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 52, bit: 0x4, kind: kindInteger, null: false, min: -9007199254740992, max: 9007199254740992},
	{name: "repaired", first: 0x6465726961706572, last: 0x2264657269617065, mask: 0xffffffffffffffff, at: 1, next: 0, id: 53, bit: 0x8, kind: kindBool, null: false},
	{name: "repairs", first: 0x2273726961706572, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 54, bit: 0x10, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindText, null: false, min: 0, max: 256}},
	{name: "source", first: 0x22656372756f73, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 55, bit: 0x20, kind: kindText, null: false, min: 0, max: 256},
	{name: "status", first: 0x22737574617473, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 56, bit: 0x40, kind: kindText, null: false, min: 0, max: 256},
	{name: "tool", first: 0x226c6f6f74, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 57, bit: 0x80, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 58, bit: 0x100, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 59, bit: 0x200, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolDecision = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{0: 3, 2: 5, 6: 6, 14: 1, 30: 2, 63: 4}, required: 0x1f, closed: false, entries: []entry{{id: 67},
	{name: "decision", first: 0x6e6f697369636564, last: 0x226e6f6973696365, mask: 0xffffffffffffffff, at: 1, next: 0, id: 61, bit: 0x1, kind: kindText, null: true, slot: slotDecision, min: 0, max: 256},
	{name: "reason", first: 0x226e6f73616572, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 62, bit: 0x2, kind: kindText, null: true, min: 0, max: 1024},
	{name: "source", first: 0x22656372756f73, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 63, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool", first: 0x226c6f6f74, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 64, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 65, bit: 0x10, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 66, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolExecStarted = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{47: 1, 57: 2, 59: 3}, required: 0x3, closed: false, entries: []entry{{id: 71},
	{name: "tool", first: 0x226c6f6f74, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 68, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 69, bit: 0x2, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 70, bit: 0x4, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolExecFinishedArtifactsItem = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{23: 1}, required: 0x1, closed: false, entries: []entry{{id: 73},
	{name: "path", first: 0x2268746170, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 72, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
}}

var toolExecFinished = object{factor: 0xc8d04605312f8089, index: [1 << indexBits]uint8{2: 9, 4: 1, 9: 3, 18: 14, 19: 2, 22: 10, 24: 12, 25: 8, 27: 6, 42: 5, 45: 7, 51: 11, 54: 4, 62: 13}, required: 0x3862, closed: false, entries: []entry{{id: 89},
	{name: "artifacts", first: 0x7463616669747261, last: 0x2273746361666974, mask: 0xffffffffffffffff, at: 2, next: 0, id: 74, bit: 0x1, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &toolExecFinishedArtifactsItem}},
	{name: "content_preview", first: 0x5f746e65746e6f63, last: 0x2277656976657270, mask: 0xffffffffffffffff, at: 8, next: 0, id: 75, bit: 0x2, kind: kindText, null: true, slot: slotText, min: 0, max: 4096},
	{name: "duration_ms", first: 0x6e6f697461727564, last: 0x22736d5f6e6f6974, mask: 0xffffffffffffffff, at: 4, next: 0, id: 76, bit: 0x4, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "error_kind", first: 0x696b5f726f727265, last: 0x22646e696b5f726f, mask: 0xffffffffffffffff, at: 3, next: 0, id: 77, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "exit_status", first: 0x6174735f74697865, last: 0x227375746174735f, mask: 0xffffffffffffffff, at: 4, next: 0, id: 78, bit: 0x10, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "ok", first: 0x226b6f, last: 0x0, mask: 0xffffff, at: 0, next: 0, id: 79, bit: 0x20, kind: kindBool, null: true, slot: slotOK},
	{name: "original_bytes", first: 0x6c616e696769726f, last: 0x2273657479625f6c, mask: 0xffffffffffffffff, at: 7, next: 0, id: 80, bit: 0x40, kind: kindInteger, null: true, slot: slotOriginal, min: 0, max: 9007199254740992},
	{name: "output_bytes", first: 0x625f74757074756f, last: 0x2273657479625f74, mask: 0xffffffffffffffff, at: 5, next: 0, id: 81, bit: 0x80, kind: kindInteger, null: true, min: 0, max: 9007199254740992},
	{name: "output_truncated", first: 0x745f74757074756f, last: 0x2264657461636e75, mask: 0xffffffffffffffff, at: 9, next: 0, id: 82, bit: 0x100, kind: kindBool, null: false},
	{name: "status", first: 0x22737574617473, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 83, bit: 0x200, kind: kindText, null: false, min: 0, max: 256},
	{name: "summary_text", first: 0x5f7972616d6d7573, last: 0x22747865745f7972, mask: 0xffffffffffffffff, at: 5, next: 0, id: 84, bit: 0x400, kind: kindChars, null: true, min: 0, max: 200},
	{name: "tool", first: 0x226c6f6f74, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 85, bit: 0x800, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 86, bit: 0x1000, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated", first: 0x657461636e757274, last: 0x2264657461636e75, mask: 0xffffffffffffffff, at: 2, next: 15, id: 87, bit: 0x2000, kind: kindBool, null: false, slot: slotTruncated},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 88, bit: 0x4000, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var toolRetry = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{16: 3, 38: 5, 41: 1, 47: 6, 51: 2, 57: 7, 59: 8, 63: 4}, required: 0x6f, closed: false, entries: []entry{{id: 98},
	{name: "action", first: 0x226e6f69746361, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 90, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "attempt", first: 0x2274706d65747461, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 91, bit: 0x2, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "failure_class", first: 0x5f6572756c696166, last: 0x227373616c635f65, mask: 0xffffffffffffffff, at: 6, next: 0, id: 92, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "max_retries", first: 0x727465725f78616d, last: 0x2273656972746572, mask: 0xffffffffffffffff, at: 4, next: 0, id: 93, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "reason", first: 0x226e6f73616572, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 94, bit: 0x10, kind: kindText, null: true, min: 0, max: 1024},
	{name: "tool", first: 0x226c6f6f74, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 95, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 96, bit: 0x40, kind: kindText, null: true, slot: slotCallID, min: 0, max: 256},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 97, bit: 0x80, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var stepBlocked = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{7: 3, 38: 2, 47: 4, 56: 1, 57: 5, 59: 6}, required: 0xe, closed: false, entries: []entry{{id: 105},
	{name: "code", first: 0x2265646f63, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 99, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "reason", first: 0x226e6f73616572, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 100, bit: 0x2, kind: kindText, null: true, min: 0, max: 1024},
	{name: "step_id", first: 0x2264695f70657473, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 101, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool", first: 0x226c6f6f74, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 102, bit: 0x8, kind: kindText, null: true, min: 0, max: 256},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 103, bit: 0x10, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 104, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var providerRetry = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{0: 5, 14: 3, 22: 4, 31: 2, 51: 1, 57: 6, 59: 7}, required: 0x1f, closed: false, entries: []entry{{id: 113},
	{name: "attempt", first: 0x2274706d65747461, last: 0x0, mask: 0xffffffffffffffff, at: 0, next: 0, id: 106, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "backoff_ms", first: 0x5f66666f6b636162, last: 0x22736d5f66666f6b, mask: 0xffffffffffffffff, at: 3, next: 0, id: 107, bit: 0x2, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "kind", first: 0x22646e696b, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 108, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "max_attempts", first: 0x657474615f78616d, last: 0x227374706d657474, mask: 0xffffffffffffffff, at: 5, next: 0, id: 109, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "status", first: 0x22737574617473, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 110, bit: 0x10, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 111, bit: 0x20, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 112, bit: 0x40, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var providerError = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{0: 4, 4: 3, 14: 1, 35: 2, 57: 5, 59: 6}, required: 0xf, closed: false, entries: []entry{{id: 120},
	{name: "kind", first: 0x22646e696b, last: 0x0, mask: 0xffffffffff, at: 0, next: 0, id: 114, bit: 0x1, kind: kindText, null: true, min: 0, max: 256},
	{name: "message_short", first: 0x5f6567617373656d, last: 0x2274726f68735f65, mask: 0xffffffffffffffff, at: 6, next: 0, id: 115, bit: 0x2, kind: kindOneLine, null: true, min: 0, max: 200},
	{name: "retryable", first: 0x6c62617972746572, last: 0x22656c6261797274, mask: 0xffffffffffffffff, at: 2, next: 0, id: 116, bit: 0x4, kind: kindBool, null: true},
	{name: "status", first: 0x22737574617473, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 117, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 0, id: 118, bit: 0x10, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 119, bit: 0x20, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
}}

var runFinishedSource = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{27: 1, 54: 2}, required: 0x1, closed: false, entries: []entry{{id: 131},
	{name: "terminal", first: 0x6c616e696d726574, last: 0x226c616e696d7265, mask: 0xffffffffffffffff, at: 1, next: 0, id: 129, bit: 0x1, kind: kindText, null: false, min: 0, max: 256},
	{name: "unmapped", first: 0x64657070616d6e75, last: 0x2264657070616d6e, mask: 0xffffffffffffffff, at: 1, next: 0, id: 130, bit: 0x2, kind: kindCounts, null: false, max: 64, size: 2048, name1: 256, item: &entry{kind: kindInteger, null: false, min: -9007199254740992, max: 9007199254740992}},
}}

var runFinishedUsage = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{6: 2, 42: 6, 49: 3, 56: 5, 57: 4, 59: 1}, required: 0x0, closed: false, entries: []entry{{id: 144},
	{name: "cached_input_tokens", first: 0x695f646568636163, last: 0x22736e656b6f745f, mask: 0xffffffffffffffff, at: 12, next: 0, id: 138, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "cost_usd", first: 0x6473755f74736f63, last: 0x226473755f74736f, mask: 0xffffffffffffffff, at: 1, next: 0, id: 139, bit: 0x2, kind: kindDecimal, null: true},
	{name: "input_tokens", first: 0x6f745f7475706e69, last: 0x22736e656b6f745f, mask: 0xffffffffffffffff, at: 5, next: 0, id: 140, bit: 0x4, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "output_tokens", first: 0x745f74757074756f, last: 0x22736e656b6f745f, mask: 0xffffffffffffffff, at: 6, next: 0, id: 141, bit: 0x8, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "reasoning_tokens", first: 0x6e696e6f73616572, last: 0x22736e656b6f745f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 142, bit: 0x10, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "total_tokens", first: 0x6f745f6c61746f74, last: 0x22736e656b6f745f, mask: 0xffffffffffffffff, at: 5, next: 0, id: 143, bit: 0x20, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
}}

var runFinished = object{factor: 0x9dcec3ad077dec6d, index: [1 << indexBits]uint8{0: 9, 2: 11, 6: 13, 7: 8, 14: 1, 16: 3, 17: 4, 28: 15, 34: 5, 35: 2, 36: 10, 53: 7}, required: 0x5a, closed: false, entries: []entry{{id: 146},
	{name: "duration_ms", first: 0x6e6f697461727564, last: 0x22736d5f6e6f6974, mask: 0xffffffffffffffff, at: 4, next: 0, id: 121, bit: 0x1, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "error", first: 0x22726f727265, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 122, bit: 0x2, kind: kindText, null: true, slot: slotError, min: 0, max: 4096},
	{name: "error_code", first: 0x6f635f726f727265, last: 0x2265646f635f726f, mask: 0xffffffffffffffff, at: 3, next: 0, id: 123, bit: 0x4, kind: kindText, null: true, min: 0, max: 256},
	{name: "exit_reason", first: 0x6165725f74697865, last: 0x226e6f736165725f, mask: 0xffffffffffffffff, at: 4, next: 0, id: 124, bit: 0x8, kind: kindText, null: false, slot: slotReason, min: 1, max: 256},
	{name: "final_output", first: 0x756f5f6c616e6966, last: 0x2274757074756f5f, mask: 0xffffffffffffffff, at: 5, next: 6, id: 125, bit: 0x10, kind: kindText, null: false, slot: slotText, min: 0, max: 4096},
	{name: "final_output_artifact", first: 0x756f5f6c616e6966, last: 0x2274636166697472, mask: 0xffffffffffffffff, at: 14, next: 0, id: 126, bit: 0x20, kind: kindText, null: true, min: 0, max: 256},
	{name: "ok", first: 0x226b6f, last: 0x0, mask: 0xffffff, at: 0, next: 0, id: 127, bit: 0x40, kind: kindBool, null: false, slot: slotOK},
	{name: "original_bytes", first: 0x6c616e696769726f, last: 0x2273657479625f6c, mask: 0xffffffffffffffff, at: 7, next: 0, id: 128, bit: 0x80, kind: kindInteger, null: true, slot: slotOriginal, min: 0, max: 9007199254740992},
	{name: "source", first: 0x22656372756f73, last: 0x0, mask: 0xffffffffffffff, at: 0, next: 0, id: 132, bit: 0x100, kind: kindObject, null: false, object: &runFinishedSource},
	{name: "steps", first: 0x227370657473, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 133, bit: 0x200, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "tool_call_id", first: 0x6c61635f6c6f6f74, last: 0x2264695f6c6c6163, mask: 0xffffffffffffffff, at: 5, next: 12, id: 134, bit: 0x400, kind: kindUnknown, null: false, slot: slotCallID},
	{name: "tool_calls", first: 0x6c61635f6c6f6f74, last: 0x22736c6c61635f6c, mask: 0xffffffffffffffff, at: 3, next: 0, id: 135, bit: 0x800, kind: kindInteger, null: true, min: -9007199254740992, max: 9007199254740992},
	{name: "truncated", first: 0x657461636e757274, last: 0x2264657461636e75, mask: 0xffffffffffffffff, at: 2, next: 14, id: 136, bit: 0x1000, kind: kindBool, null: false, slot: slotTruncated},
	{name: "truncated_fields", first: 0x657461636e757274, last: 0x2273646c6569665f, mask: 0xffffffffffffffff, at: 9, next: 0, id: 137, bit: 0x2000, kind: kindList, null: false, max: 64, size: 2048, item: &entry{kind: kindObject, null: false, object: &runStartedTruncatedFieldsItem}},
	{name: "usage", first: 0x226567617375, last: 0x0, mask: 0xffffffffffff, at: 0, next: 0, id: 145, bit: 0x4000, kind: kindObject, null: true, object: &runFinishedUsage},
}}

var types = object{factor: 0xc4f5a58656eef511, index: [1 << indexBits]uint8{4: 8, 16: 11, 20: 9, 23: 5, 32: 1, 45: 4, 56: 3, 57: 7, 61: 6}, required: 0x0, closed: false, entries: []entry{{id: 158},
	{name: "provider_error", first: 0x72656469766f7270, last: 0x22726f7272655f72, mask: 0xffffffffffffffff, at: 7, next: 2, id: 147, bit: 0x1, object: &providerError},
	{name: "provider_retry", first: 0x72656469766f7270, last: 0x2279727465725f72, mask: 0xffffffffffffffff, at: 7, next: 0, id: 148, bit: 0x2, object: &providerRetry},
	{name: "run_finished", first: 0x696e69665f6e7572, last: 0x2264656873696e69, mask: 0xffffffffffffffff, at: 5, next: 0, id: 149, bit: 0x4, object: &runFinished},
	{name: "run_started", first: 0x726174735f6e7572, last: 0x2264657472617473, mask: 0xffffffffffffffff, at: 4, next: 0, id: 150, bit: 0x8, object: &runStarted},
	{name: "step_blocked", first: 0x6f6c625f70657473, last: 0x2264656b636f6c62, mask: 0xffffffffffffffff, at: 5, next: 0, id: 151, bit: 0x10, object: &stepBlocked},
	{name: "step_started", first: 0x6174735f70657473, last: 0x2264657472617473, mask: 0xffffffffffffffff, at: 5, next: 0, id: 152, bit: 0x20, object: &stepStarted},
	{name: "tool_call_detected", first: 0x6c61635f6c6f6f74, last: 0x2264657463657465, mask: 0xffffffffffffffff, at: 11, next: 0, id: 153, bit: 0x40, object: &toolCallDetected},
	{name: "tool_decision", first: 0x6365645f6c6f6f74, last: 0x226e6f6973696365, mask: 0xffffffffffffffff, at: 6, next: 0, id: 154, bit: 0x80, object: &toolDecision},
	{name: "tool_exec_finished", first: 0x6578655f6c6f6f74, last: 0x2264656873696e69, mask: 0xffffffffffffffff, at: 11, next: 10, id: 155, bit: 0x100, object: &toolExecFinished},
	{name: "tool_exec_started", first: 0x6578655f6c6f6f74, last: 0x2264657472617473, mask: 0xffffffffffffffff, at: 10, next: 0, id: 156, bit: 0x200, object: &toolExecStarted},
	{name: "tool_retry", first: 0x7465725f6c6f6f74, last: 0x2279727465725f6c, mask: 0xffffffffffffffff, at: 3, next: 0, id: 157, bit: 0x400, object: &toolRetry},
}}
