#![allow(clippy::redundant_closure_call)]
#![allow(clippy::needless_lifetimes)]
#![allow(clippy::match_single_binding)]
#![allow(clippy::clone_on_copy)]

#[doc = "The program that prints the stream."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct Agent {
    #[doc = "Name of the program."]
    pub name: AgentName,
    #[doc = "Version of the program."]
    pub version: AgentVersion,
}
#[doc = "Name of the program."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct AgentName(::std::string::String);
impl ::std::ops::Deref for AgentName {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<AgentName> for ::std::string::String {
    fn from(value: AgentName) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for AgentName {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for AgentName {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for AgentName {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for AgentName {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Version of the program."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct AgentVersion(::std::string::String);
impl ::std::ops::Deref for AgentVersion {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<AgentVersion> for ::std::string::String {
    fn from(value: AgentVersion) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for AgentVersion {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for AgentVersion {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for AgentVersion {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for AgentVersion {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "One file."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct Artifact {
    #[doc = "Path relative to the run folder, with forward slashes."]
    pub path: ArtifactPath,
}
#[doc = "Path relative to the run folder, with forward slashes."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ArtifactPath(::std::string::String);
impl ::std::ops::Deref for ArtifactPath {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ArtifactPath> for ::std::string::String {
    fn from(value: ArtifactPath) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ArtifactPath {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ArtifactPath {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ArtifactPath {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ArtifactPath {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "One line of the event stream that an agent prints: a JSON object on a line of its own, ended by LF."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Event {
    #[doc = "run_started_event\n\nThe first event of a run. Nothing is declared; what a producer tells of itself is additive."]
    #[serde(rename = "run_started")]
    RunStarted {
        data: RunStarted,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "step_started_event\n\nA model turn begins."]
    #[serde(rename = "step_started")]
    StepStarted {
        data: StepStarted,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "tool_call_detected_event\n\nA tool call was found in the model's reply. It is not decided yet whether it runs."]
    #[serde(rename = "tool_call_detected")]
    ToolCallDetected {
        data: ToolCallDetected,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "tool_decision_event\n\nA call was allowed or denied."]
    #[serde(rename = "tool_decision")]
    ToolDecision {
        data: ToolDecision,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "tool_exec_started_event\n\nAn allowed call begins to run."]
    #[serde(rename = "tool_exec_started")]
    ToolExecStarted {
        data: ToolExecStarted,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "tool_exec_finished_event\n\nA call has run. content_preview is the beginning of what the model sees of its result."]
    #[serde(rename = "tool_exec_finished")]
    ToolExecFinished {
        data: ToolExecFinished,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "tool_retry_event\n\nA call did not come through; action tells what follows."]
    #[serde(rename = "tool_retry")]
    ToolRetry {
        data: ToolRetry,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "step_blocked_event\n\nA guard stopped the run."]
    #[serde(rename = "step_blocked")]
    StepBlocked {
        data: StepBlocked,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "provider_retry_event\n\nA request to the provider failed and is sent again after backoff_ms."]
    #[serde(rename = "provider_retry")]
    ProviderRetry {
        data: ProviderRetry,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "provider_error_event\n\nA request to the provider failed for good."]
    #[serde(rename = "provider_error")]
    ProviderError {
        data: ProviderError,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
    #[doc = "run_finished_event\n\nThe last event of a run: how it ended."]
    #[serde(rename = "run_finished")]
    RunFinished {
        data: RunFinished,
        run_id: RunId,
        schema_version: SchemaVersion,
        sequence: Sequence,
        step: Step,
        ts: Ts,
    },
}
#[doc = "One MCP server."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct McpServer {
    #[doc = "Name of the server."]
    pub name: McpServerName,
    #[doc = "Whether it could be used, such as connected or failed."]
    pub status: McpServerStatus,
    #[doc = "How many tools it offers."]
    pub tools: i64,
}
#[doc = "Name of the server."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct McpServerName(::std::string::String);
impl ::std::ops::Deref for McpServerName {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<McpServerName> for ::std::string::String {
    fn from(value: McpServerName) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for McpServerName {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for McpServerName {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for McpServerName {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for McpServerName {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Whether it could be used, such as connected or failed."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct McpServerStatus(::std::string::String);
impl ::std::ops::Deref for McpServerStatus {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<McpServerStatus> for ::std::string::String {
    fn from(value: McpServerStatus) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for McpServerStatus {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for McpServerStatus {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for McpServerStatus {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for McpServerStatus {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A request to the provider failed for good."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ProviderError {
    #[doc = "Kind of the failure, such as connection, timeout, rate_limit, server, unauthorized or incomplete."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub kind: ::std::option::Option<ProviderErrorKind>,
    #[doc = "The failure on one line of at most 200 characters."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub message_short: ::std::option::Option<ProviderErrorMessageShort>,
    #[doc = "Whether the same request could succeed later."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub retryable: ::std::option::Option<bool>,
    #[doc = "HTTP status, null when there was no answer."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub status: ::std::option::Option<i64>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "Kind of the failure, such as connection, timeout, rate_limit, server, unauthorized or incomplete."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ProviderErrorKind(::std::string::String);
impl ::std::ops::Deref for ProviderErrorKind {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ProviderErrorKind> for ::std::string::String {
    fn from(value: ProviderErrorKind) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ProviderErrorKind {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ProviderErrorKind {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ProviderErrorKind {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ProviderErrorKind {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The failure on one line of at most 200 characters."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ProviderErrorMessageShort(::std::string::String);
impl ::std::ops::Deref for ProviderErrorMessageShort {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ProviderErrorMessageShort> for ::std::string::String {
    fn from(value: ProviderErrorMessageShort) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ProviderErrorMessageShort {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 200usize {
            return Err("longer than 200 characters".into());
        }
        static PATTERN: ::std::sync::LazyLock<::regress::Regex> =
            ::std::sync::LazyLock::new(|| ::regress::Regex::new("^[^\\r\\n]*$").unwrap());
        if PATTERN.find(value).is_none() {
            return Err("doesn't match pattern \"^[^\\r\\n]*$\"".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ProviderErrorMessageShort {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ProviderErrorMessageShort {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ProviderErrorMessageShort {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A request to the provider failed and is sent again after backoff_ms."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ProviderRetry {
    #[doc = "Number of the attempt that failed, beginning at 1."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub attempt: ::std::option::Option<i64>,
    #[doc = "Wait before the next attempt, in milliseconds."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub backoff_ms: ::std::option::Option<i64>,
    #[doc = "Kind of the failure, such as connection, timeout, rate_limit, server, unauthorized or incomplete."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub kind: ::std::option::Option<ProviderRetryKind>,
    #[doc = "How many attempts there are at most."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub max_attempts: ::std::option::Option<i64>,
    #[doc = "HTTP status, null when there was no answer."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub status: ::std::option::Option<i64>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "Kind of the failure, such as connection, timeout, rate_limit, server, unauthorized or incomplete."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ProviderRetryKind(::std::string::String);
impl ::std::ops::Deref for ProviderRetryKind {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ProviderRetryKind> for ::std::string::String {
    fn from(value: ProviderRetryKind) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ProviderRetryKind {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ProviderRetryKind {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ProviderRetryKind {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ProviderRetryKind {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The last event of a run: how it ended."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct RunFinished {
    #[doc = "How long the run took, in milliseconds."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub duration_ms: ::std::option::Option<i64>,
    #[doc = "What went wrong, at most 4096 bytes of UTF-8; null when ok is true."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub error: ::std::option::Option<RunFinishedError>,
    #[doc = "The cause's name, stable for programs."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub error_code: ::std::option::Option<RunFinishedErrorCode>,
    #[doc = "Why the run ended: ok, pre_run_error, provider_error, max_steps, budget_exceeded, timeout, denied, blocked, cancelled, internal_error; of converted streams also killed, no_terminal_event, stream_invalid. Readers accept any other that is not empty."]
    pub exit_reason: RunFinishedExitReason,
    #[doc = "The model's last text, at most 4096 bytes of UTF-8; empty when there was none."]
    pub final_output: RunFinishedFinalOutput,
    #[doc = "File with the whole text, relative to the run folder."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub final_output_artifact: ::std::option::Option<RunFinishedFinalOutputArtifact>,
    #[doc = "Whether the run reached its end normally."]
    pub ok: bool,
    #[doc = "Size of the whole text in bytes of UTF-8 when it was cut, else null or the size of final_output."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub original_bytes: ::std::option::Option<i64>,
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub source: ::std::option::Option<RunFinishedSource>,
    #[doc = "Number of model turns."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub steps: ::std::option::Option<i64>,
    #[doc = "Number of tool calls found."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub tool_calls: ::std::option::Option<i64>,
    #[doc = "Whether final_output is less than the whole text."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub truncated: ::std::option::Option<bool>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub usage: ::std::option::Option<Usage>,
}
#[doc = "What went wrong, at most 4096 bytes of UTF-8; null when ok is true."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedError(::std::string::String);
impl ::std::ops::Deref for RunFinishedError {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedError> for ::std::string::String {
    fn from(value: RunFinishedError) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedError {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 4096usize {
            return Err("longer than 4096 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedError {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedError {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedError {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The cause's name, stable for programs."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedErrorCode(::std::string::String);
impl ::std::ops::Deref for RunFinishedErrorCode {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedErrorCode> for ::std::string::String {
    fn from(value: RunFinishedErrorCode) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedErrorCode {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedErrorCode {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedErrorCode {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedErrorCode {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Why the run ended: ok, pre_run_error, provider_error, max_steps, budget_exceeded, timeout, denied, blocked, cancelled, internal_error; of converted streams also killed, no_terminal_event, stream_invalid. Readers accept any other that is not empty."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedExitReason(::std::string::String);
impl ::std::ops::Deref for RunFinishedExitReason {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedExitReason> for ::std::string::String {
    fn from(value: RunFinishedExitReason) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedExitReason {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        if value.chars().count() < 1usize {
            return Err("shorter than 1 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedExitReason {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedExitReason {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedExitReason {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The model's last text, at most 4096 bytes of UTF-8; empty when there was none."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedFinalOutput(::std::string::String);
impl ::std::ops::Deref for RunFinishedFinalOutput {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedFinalOutput> for ::std::string::String {
    fn from(value: RunFinishedFinalOutput) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedFinalOutput {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 4096usize {
            return Err("longer than 4096 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedFinalOutput {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedFinalOutput {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedFinalOutput {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "File with the whole text, relative to the run folder."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedFinalOutputArtifact(::std::string::String);
impl ::std::ops::Deref for RunFinishedFinalOutputArtifact {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedFinalOutputArtifact> for ::std::string::String {
    fn from(value: RunFinishedFinalOutputArtifact) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedFinalOutputArtifact {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedFinalOutputArtifact {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedFinalOutputArtifact {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedFinalOutputArtifact {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "How the stream that was converted ended; absent when the agent printed this contract itself."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct RunFinishedSource {
    #[doc = "observed when that stream said how the run ended, synthesized when this event was made without that."]
    pub terminal: RunFinishedSourceTerminal,
    #[doc = "How many of its events of each kind were left out because no rule is known for them, by kind. At most 64 names with 2048 bytes in all: of more kinds, the rest is summed under *."]
    #[serde(
        default,
        skip_serializing_if = ":: std :: collections :: HashMap::is_empty"
    )]
    pub unmapped: ::std::collections::HashMap<RunFinishedSourceUnmappedKey, i64>,
}
#[doc = "observed when that stream said how the run ended, synthesized when this event was made without that."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedSourceTerminal(::std::string::String);
impl ::std::ops::Deref for RunFinishedSourceTerminal {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedSourceTerminal> for ::std::string::String {
    fn from(value: RunFinishedSourceTerminal) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedSourceTerminal {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedSourceTerminal {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedSourceTerminal {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedSourceTerminal {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "`RunFinishedSourceUnmappedKey`"]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunFinishedSourceUnmappedKey(::std::string::String);
impl ::std::ops::Deref for RunFinishedSourceUnmappedKey {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunFinishedSourceUnmappedKey> for ::std::string::String {
    fn from(value: RunFinishedSourceUnmappedKey) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunFinishedSourceUnmappedKey {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunFinishedSourceUnmappedKey {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunFinishedSourceUnmappedKey {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunFinishedSourceUnmappedKey {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the run, the same on every line, at most 256 bytes of UTF-8. Empty only on the run_finished line of a run that failed before it began."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunId(::std::string::String);
impl ::std::ops::Deref for RunId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunId> for ::std::string::String {
    fn from(value: RunId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The first event of a run. Nothing is declared; what a producer tells of itself is additive."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug, Default)]
pub struct RunStarted {
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub agent: ::std::option::Option<Agent>,
    #[doc = "Digest of the settings that can change the outcome."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub config_fingerprint: ::std::option::Option<RunStartedConfigFingerprint>,
    #[doc = "The MCP servers whose tools the model may call; at most 2048 bytes of text in all."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub mcp_servers: ::std::vec::Vec<McpServer>,
    #[doc = "Name of the model."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub model: ::std::option::Option<RunStartedModel>,
    #[doc = "run_id of the run that started this one; null when none did."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub parent_run_id: ::std::option::Option<RunStartedParentRunId>,
    #[doc = "SHA-256 of the prompt, lower-case hex."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub prompt_sha256: ::std::option::Option<RunStartedPromptSha256>,
    #[doc = "Name of the model provider, or the kind of stand-in."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub provider: ::std::option::Option<RunStartedProvider>,
    #[doc = "What the tools are confined to."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub sandbox: ::std::option::Option<RunStartedSandbox>,
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub sandbox_status: ::std::option::Option<SandboxStatus>,
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub source: ::std::option::Option<RunStartedSource>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "Digest of the settings that can change the outcome."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedConfigFingerprint(::std::string::String);
impl ::std::ops::Deref for RunStartedConfigFingerprint {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedConfigFingerprint> for ::std::string::String {
    fn from(value: RunStartedConfigFingerprint) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedConfigFingerprint {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedConfigFingerprint {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedConfigFingerprint {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedConfigFingerprint {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the model."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedModel(::std::string::String);
impl ::std::ops::Deref for RunStartedModel {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedModel> for ::std::string::String {
    fn from(value: RunStartedModel) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedModel {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedModel {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedModel {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedModel {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "run_id of the run that started this one; null when none did."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedParentRunId(::std::string::String);
impl ::std::ops::Deref for RunStartedParentRunId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedParentRunId> for ::std::string::String {
    fn from(value: RunStartedParentRunId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedParentRunId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedParentRunId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedParentRunId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedParentRunId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "SHA-256 of the prompt, lower-case hex."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedPromptSha256(::std::string::String);
impl ::std::ops::Deref for RunStartedPromptSha256 {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedPromptSha256> for ::std::string::String {
    fn from(value: RunStartedPromptSha256) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedPromptSha256 {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedPromptSha256 {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedPromptSha256 {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedPromptSha256 {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the model provider, or the kind of stand-in."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedProvider(::std::string::String);
impl ::std::ops::Deref for RunStartedProvider {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedProvider> for ::std::string::String {
    fn from(value: RunStartedProvider) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedProvider {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedProvider {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedProvider {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedProvider {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "What the tools are confined to."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedSandbox(::std::string::String);
impl ::std::ops::Deref for RunStartedSandbox {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedSandbox> for ::std::string::String {
    fn from(value: RunStartedSandbox) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedSandbox {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedSandbox {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedSandbox {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedSandbox {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Where a converted stream comes from; absent when the agent printed this contract itself."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct RunStartedSource {
    #[doc = "Format of the stream that was converted: the name of the agent that prints it."]
    pub format: RunStartedSourceFormat,
    #[doc = "The rules it was converted by, and their version."]
    pub mapping: RunStartedSourceMapping,
    #[doc = "Where ts comes from: source, the stream that was converted; arrival, when its lines were read; mixed, some of both."]
    pub time: RunStartedSourceTime,
}
#[doc = "Format of the stream that was converted: the name of the agent that prints it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedSourceFormat(::std::string::String);
impl ::std::ops::Deref for RunStartedSourceFormat {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedSourceFormat> for ::std::string::String {
    fn from(value: RunStartedSourceFormat) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedSourceFormat {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedSourceFormat {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedSourceFormat {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedSourceFormat {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The rules it was converted by, and their version."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedSourceMapping(::std::string::String);
impl ::std::ops::Deref for RunStartedSourceMapping {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedSourceMapping> for ::std::string::String {
    fn from(value: RunStartedSourceMapping) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedSourceMapping {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedSourceMapping {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedSourceMapping {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedSourceMapping {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Where ts comes from: source, the stream that was converted; arrival, when its lines were read; mixed, some of both."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct RunStartedSourceTime(::std::string::String);
impl ::std::ops::Deref for RunStartedSourceTime {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<RunStartedSourceTime> for ::std::string::String {
    fn from(value: RunStartedSourceTime) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for RunStartedSourceTime {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for RunStartedSourceTime {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for RunStartedSourceTime {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for RunStartedSourceTime {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "What the sandbox of the run's commands enforces on this machine."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct SandboxStatus {
    #[doc = "Version of Landlock's interface; null without Landlock."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub landlock_abi: ::std::option::Option<i64>,
    #[doc = "How much is enforced, such as full, partial or none."]
    pub level: SandboxStatusLevel,
    #[doc = "What was asked for and cannot be enforced here; at most 2048 bytes in all."]
    pub missing: ::std::vec::Vec<SandboxStatusMissingItem>,
    #[doc = "What commands may reach of the network: on, loopback or off."]
    pub network: SandboxStatusNetwork,
    #[doc = "Whether a seccomp filter is in place."]
    pub seccomp: bool,
    #[doc = "The user that commands run as, when it is another one than the agent's; else null."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub user: ::std::option::Option<SandboxStatusUser>,
}
#[doc = "How much is enforced, such as full, partial or none."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct SandboxStatusLevel(::std::string::String);
impl ::std::ops::Deref for SandboxStatusLevel {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<SandboxStatusLevel> for ::std::string::String {
    fn from(value: SandboxStatusLevel) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for SandboxStatusLevel {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for SandboxStatusLevel {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for SandboxStatusLevel {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for SandboxStatusLevel {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "One part of the sandbox."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct SandboxStatusMissingItem(::std::string::String);
impl ::std::ops::Deref for SandboxStatusMissingItem {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<SandboxStatusMissingItem> for ::std::string::String {
    fn from(value: SandboxStatusMissingItem) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for SandboxStatusMissingItem {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for SandboxStatusMissingItem {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for SandboxStatusMissingItem {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for SandboxStatusMissingItem {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "What commands may reach of the network: on, loopback or off."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct SandboxStatusNetwork(::std::string::String);
impl ::std::ops::Deref for SandboxStatusNetwork {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<SandboxStatusNetwork> for ::std::string::String {
    fn from(value: SandboxStatusNetwork) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for SandboxStatusNetwork {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for SandboxStatusNetwork {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for SandboxStatusNetwork {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for SandboxStatusNetwork {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The user that commands run as, when it is another one than the agent's; else null."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct SandboxStatusUser(::std::string::String);
impl ::std::ops::Deref for SandboxStatusUser {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<SandboxStatusUser> for ::std::string::String {
    fn from(value: SandboxStatusUser) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for SandboxStatusUser {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for SandboxStatusUser {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for SandboxStatusUser {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for SandboxStatusUser {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of this contract. It changes only when lines change in a way that a reader of this version could not bear."]
#[derive(
    :: serde :: Deserialize,
    :: serde :: Serialize,
    Clone,
    Copy,
    Debug,
    Eq,
    Hash,
    Ord,
    PartialEq,
    PartialOrd,
)]
pub enum SchemaVersion {
    #[serde(rename = "openagent.run_event.v1")]
    OpenagentRunEventV1,
}
impl ::std::fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match *self {
            Self::OpenagentRunEventV1 => f.write_str("openagent.run_event.v1"),
        }
    }
}
impl ::std::str::FromStr for SchemaVersion {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        match value {
            "openagent.run_event.v1" => Ok(Self::OpenagentRunEventV1),
            _ => Err("invalid value".into()),
        }
    }
}
impl ::std::convert::TryFrom<&str> for SchemaVersion {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for SchemaVersion {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
#[doc = "1 on the first line of a process, then one more on each line."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
#[serde(transparent)]
pub struct Sequence(pub ::std::num::NonZeroU64);
impl ::std::ops::Deref for Sequence {
    type Target = ::std::num::NonZeroU64;
    fn deref(&self) -> &::std::num::NonZeroU64 {
        &self.0
    }
}
impl ::std::convert::From<Sequence> for ::std::num::NonZeroU64 {
    fn from(value: Sequence) -> Self {
        value.0
    }
}
impl ::std::convert::From<::std::num::NonZeroU64> for Sequence {
    fn from(value: ::std::num::NonZeroU64) -> Self {
        Self(value)
    }
}
impl ::std::fmt::Display for Sequence {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        self.0.fmt(f)
    }
}
impl ::std::str::FromStr for Sequence {
    type Err = <::std::num::NonZeroU64 as ::std::str::FromStr>::Err;
    fn from_str(value: &str) -> ::std::result::Result<Self, Self::Err> {
        Ok(Self(value.parse()?))
    }
}
impl ::std::convert::TryFrom<&str> for Sequence {
    type Error = <::std::num::NonZeroU64 as ::std::str::FromStr>::Err;
    fn try_from(value: &str) -> ::std::result::Result<Self, Self::Error> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<String> for Sequence {
    type Error = <::std::num::NonZeroU64 as ::std::str::FromStr>::Err;
    fn try_from(value: String) -> ::std::result::Result<Self, Self::Error> {
        value.parse()
    }
}
#[doc = "0 before the first model turn, then the number of the turn."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
#[serde(transparent)]
pub struct Step(pub i64);
impl ::std::ops::Deref for Step {
    type Target = i64;
    fn deref(&self) -> &i64 {
        &self.0
    }
}
impl ::std::convert::From<Step> for i64 {
    fn from(value: Step) -> Self {
        value.0
    }
}
impl ::std::convert::From<i64> for Step {
    fn from(value: i64) -> Self {
        Self(value)
    }
}
impl ::std::fmt::Display for Step {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        self.0.fmt(f)
    }
}
impl ::std::str::FromStr for Step {
    type Err = <i64 as ::std::str::FromStr>::Err;
    fn from_str(value: &str) -> ::std::result::Result<Self, Self::Err> {
        Ok(Self(value.parse()?))
    }
}
impl ::std::convert::TryFrom<&str> for Step {
    type Error = <i64 as ::std::str::FromStr>::Err;
    fn try_from(value: &str) -> ::std::result::Result<Self, Self::Error> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<String> for Step {
    type Error = <i64 as ::std::str::FromStr>::Err;
    fn try_from(value: String) -> ::std::result::Result<Self, Self::Error> {
        value.parse()
    }
}
#[doc = "A guard stopped the run."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct StepBlocked {
    #[doc = "The guard's name, stable for programs."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub code: ::std::option::Option<StepBlockedCode>,
    #[doc = "Which guard and why, at most 1024 bytes of UTF-8."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub reason: ::std::option::Option<StepBlockedReason>,
    #[doc = "Name of the turn."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub step_id: ::std::option::Option<StepBlockedStepId>,
    #[doc = "Name of the tool as the model wrote it."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool: ::std::option::Option<StepBlockedTool>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "The guard's name, stable for programs."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepBlockedCode(::std::string::String);
impl ::std::ops::Deref for StepBlockedCode {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepBlockedCode> for ::std::string::String {
    fn from(value: StepBlockedCode) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepBlockedCode {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepBlockedCode {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepBlockedCode {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepBlockedCode {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Which guard and why, at most 1024 bytes of UTF-8."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepBlockedReason(::std::string::String);
impl ::std::ops::Deref for StepBlockedReason {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepBlockedReason> for ::std::string::String {
    fn from(value: StepBlockedReason) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepBlockedReason {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 1024usize {
            return Err("longer than 1024 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepBlockedReason {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepBlockedReason {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepBlockedReason {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the turn."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepBlockedStepId(::std::string::String);
impl ::std::ops::Deref for StepBlockedStepId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepBlockedStepId> for ::std::string::String {
    fn from(value: StepBlockedStepId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepBlockedStepId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepBlockedStepId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepBlockedStepId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepBlockedStepId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the tool as the model wrote it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepBlockedTool(::std::string::String);
impl ::std::ops::Deref for StepBlockedTool {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepBlockedTool> for ::std::string::String {
    fn from(value: StepBlockedTool) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepBlockedTool {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepBlockedTool {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepBlockedTool {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepBlockedTool {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A model turn begins."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct StepStarted {
    #[doc = "Names of the tools that the model may call in this turn; at most 2048 bytes in all."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub allowed_tools: ::std::option::Option<::std::vec::Vec<StepStartedAllowedToolsItem>>,
    #[doc = "How allowed_tools is enforced."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub enforcement_mode: ::std::option::Option<StepStartedEnforcementMode>,
    #[doc = "Name of the turn."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub step_id: ::std::option::Option<StepStartedStepId>,
    #[doc = "Number of the turn, beginning at 1."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub step_index: ::std::option::Option<i64>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "Name of a tool."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepStartedAllowedToolsItem(::std::string::String);
impl ::std::ops::Deref for StepStartedAllowedToolsItem {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepStartedAllowedToolsItem> for ::std::string::String {
    fn from(value: StepStartedAllowedToolsItem) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepStartedAllowedToolsItem {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepStartedAllowedToolsItem {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepStartedAllowedToolsItem {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepStartedAllowedToolsItem {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "How allowed_tools is enforced."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepStartedEnforcementMode(::std::string::String);
impl ::std::ops::Deref for StepStartedEnforcementMode {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepStartedEnforcementMode> for ::std::string::String {
    fn from(value: StepStartedEnforcementMode) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepStartedEnforcementMode {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepStartedEnforcementMode {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepStartedEnforcementMode {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepStartedEnforcementMode {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the turn."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct StepStartedStepId(::std::string::String);
impl ::std::ops::Deref for StepStartedStepId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<StepStartedStepId> for ::std::string::String {
    fn from(value: StepStartedStepId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for StepStartedStepId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for StepStartedStepId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for StepStartedStepId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for StepStartedStepId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A tool call was found in the model's reply. It is not decided yet whether it runs."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ToolCallDetected {
    #[doc = "Size of the whole arguments in bytes of UTF-8."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub arguments_bytes: ::std::option::Option<i64>,
    #[doc = "The arguments as text, at most 4096 bytes of UTF-8."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub arguments_preview: ::std::option::Option<ToolCallDetectedArgumentsPreview>,
    #[doc = "Position of the call in its reply, beginning at 0."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub index: ::std::option::Option<i64>,
    #[doc = "Id of the call that started the sub-agent that made this one. null: the main agent made it."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub parent_call_id: ::std::option::Option<ToolCallDetectedParentCallId>,
    #[doc = "Whether the call's text had to be repaired before it could be read."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub repaired: ::std::option::Option<bool>,
    #[doc = "What was repaired; at most 2048 bytes in all."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub repairs: ::std::vec::Vec<ToolCallDetectedRepairsItem>,
    #[doc = "Where the call was found: native, marker, bare_json, xml, the name of a dialect of calls written as text, or wire if only the requests of the agent to its model show it."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub source: ::std::option::Option<ToolCallDetectedSource>,
    #[doc = "complete, incomplete or malformed."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub status: ::std::option::Option<ToolCallDetectedStatus>,
    #[doc = "Size of the whole text in bytes of UTF-8."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub text_bytes: ::std::option::Option<i64>,
    #[doc = "What the model said since its call before this one, or since the run began, without blanks around it: at most 2048 bytes of UTF-8. A sub-agent has texts of its own. null: it said nothing, or the source does not show it."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub text_preview: ::std::option::Option<ToolCallDetectedTextPreview>,
    #[doc = "Name of the tool as the model wrote it."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool: ::std::option::Option<ToolCallDetectedTool>,
    #[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool_call_id: ::std::option::Option<ToolCallDetectedToolCallId>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "The arguments as text, at most 4096 bytes of UTF-8."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedArgumentsPreview(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedArgumentsPreview {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedArgumentsPreview> for ::std::string::String {
    fn from(value: ToolCallDetectedArgumentsPreview) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedArgumentsPreview {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 4096usize {
            return Err("longer than 4096 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedArgumentsPreview {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedArgumentsPreview {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedArgumentsPreview {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the call that started the sub-agent that made this one. null: the main agent made it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedParentCallId(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedParentCallId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedParentCallId> for ::std::string::String {
    fn from(value: ToolCallDetectedParentCallId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedParentCallId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedParentCallId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedParentCallId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedParentCallId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "One repair."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedRepairsItem(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedRepairsItem {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedRepairsItem> for ::std::string::String {
    fn from(value: ToolCallDetectedRepairsItem) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedRepairsItem {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedRepairsItem {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedRepairsItem {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedRepairsItem {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Where the call was found: native, marker, bare_json, xml, the name of a dialect of calls written as text, or wire if only the requests of the agent to its model show it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedSource(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedSource {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedSource> for ::std::string::String {
    fn from(value: ToolCallDetectedSource) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedSource {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedSource {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedSource {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedSource {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "complete, incomplete or malformed."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedStatus(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedStatus {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedStatus> for ::std::string::String {
    fn from(value: ToolCallDetectedStatus) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedStatus {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedStatus {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedStatus {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedStatus {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "What the model said since its call before this one, or since the run began, without blanks around it: at most 2048 bytes of UTF-8. A sub-agent has texts of its own. null: it said nothing, or the source does not show it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedTextPreview(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedTextPreview {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedTextPreview> for ::std::string::String {
    fn from(value: ToolCallDetectedTextPreview) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedTextPreview {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 2048usize {
            return Err("longer than 2048 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedTextPreview {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedTextPreview {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedTextPreview {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the tool as the model wrote it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedTool(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedTool {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedTool> for ::std::string::String {
    fn from(value: ToolCallDetectedTool) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedTool {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedTool {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedTool {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedTool {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolCallDetectedToolCallId(::std::string::String);
impl ::std::ops::Deref for ToolCallDetectedToolCallId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolCallDetectedToolCallId> for ::std::string::String {
    fn from(value: ToolCallDetectedToolCallId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolCallDetectedToolCallId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolCallDetectedToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolCallDetectedToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolCallDetectedToolCallId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A call was allowed or denied."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ToolDecision {
    #[doc = "allow or deny; readers ignore others."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub decision: ::std::option::Option<ToolDecisionDecision>,
    #[doc = "Why, at most 1024 bytes of UTF-8."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub reason: ::std::option::Option<ToolDecisionReason>,
    #[doc = "Who decided."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub source: ::std::option::Option<ToolDecisionSource>,
    #[doc = "Name of the tool as the model wrote it."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool: ::std::option::Option<ToolDecisionTool>,
    #[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool_call_id: ::std::option::Option<ToolDecisionToolCallId>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "allow or deny; readers ignore others."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolDecisionDecision(::std::string::String);
impl ::std::ops::Deref for ToolDecisionDecision {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolDecisionDecision> for ::std::string::String {
    fn from(value: ToolDecisionDecision) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolDecisionDecision {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolDecisionDecision {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolDecisionDecision {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolDecisionDecision {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Why, at most 1024 bytes of UTF-8."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolDecisionReason(::std::string::String);
impl ::std::ops::Deref for ToolDecisionReason {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolDecisionReason> for ::std::string::String {
    fn from(value: ToolDecisionReason) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolDecisionReason {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 1024usize {
            return Err("longer than 1024 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolDecisionReason {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolDecisionReason {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolDecisionReason {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Who decided."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolDecisionSource(::std::string::String);
impl ::std::ops::Deref for ToolDecisionSource {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolDecisionSource> for ::std::string::String {
    fn from(value: ToolDecisionSource) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolDecisionSource {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolDecisionSource {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolDecisionSource {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolDecisionSource {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the tool as the model wrote it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolDecisionTool(::std::string::String);
impl ::std::ops::Deref for ToolDecisionTool {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolDecisionTool> for ::std::string::String {
    fn from(value: ToolDecisionTool) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolDecisionTool {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolDecisionTool {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolDecisionTool {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolDecisionTool {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolDecisionToolCallId(::std::string::String);
impl ::std::ops::Deref for ToolDecisionToolCallId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolDecisionToolCallId> for ::std::string::String {
    fn from(value: ToolDecisionToolCallId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolDecisionToolCallId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolDecisionToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolDecisionToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolDecisionToolCallId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A call has run. content_preview is the beginning of what the model sees of its result."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ToolExecFinished {
    #[doc = "Files with the complete output; at most 2048 bytes of paths in all."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub artifacts: ::std::vec::Vec<Artifact>,
    #[doc = "The longest prefix of the text for the model that fits in 4096 bytes of UTF-8 and ends on a code point boundary."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub content_preview: ::std::option::Option<ToolExecFinishedContentPreview>,
    #[doc = "How long the call ran, in milliseconds."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub duration_ms: ::std::option::Option<i64>,
    #[doc = "Kind of the error, null when there was none."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub error_kind: ::std::option::Option<ToolExecFinishedErrorKind>,
    #[doc = "Exit status of the command that the tool ran."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub exit_status: ::std::option::Option<i64>,
    #[doc = "Whether the tool did what it was asked to."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub ok: ::std::option::Option<bool>,
    #[doc = "Size of the whole text in bytes of UTF-8 when it was cut, else null or the size of the preview."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub original_bytes: ::std::option::Option<i64>,
    #[doc = "Size of the tool's whole output in bytes."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub output_bytes: ::std::option::Option<i64>,
    #[doc = "Whether the tool itself cut its output before the model's text was made."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub output_truncated: ::std::option::Option<bool>,
    #[doc = "How the call ended, in one word."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub status: ::std::option::Option<ToolExecFinishedStatus>,
    #[doc = "The result in one sentence, at most 200 characters."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub summary_text: ::std::option::Option<ToolExecFinishedSummaryText>,
    #[doc = "Name of the tool as the model wrote it."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool: ::std::option::Option<ToolExecFinishedTool>,
    #[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool_call_id: ::std::option::Option<ToolExecFinishedToolCallId>,
    #[doc = "Whether content_preview is less than the whole text."]
    pub truncated: bool,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "The longest prefix of the text for the model that fits in 4096 bytes of UTF-8 and ends on a code point boundary."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecFinishedContentPreview(::std::string::String);
impl ::std::ops::Deref for ToolExecFinishedContentPreview {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecFinishedContentPreview> for ::std::string::String {
    fn from(value: ToolExecFinishedContentPreview) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecFinishedContentPreview {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 4096usize {
            return Err("longer than 4096 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecFinishedContentPreview {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecFinishedContentPreview {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecFinishedContentPreview {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Kind of the error, null when there was none."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecFinishedErrorKind(::std::string::String);
impl ::std::ops::Deref for ToolExecFinishedErrorKind {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecFinishedErrorKind> for ::std::string::String {
    fn from(value: ToolExecFinishedErrorKind) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecFinishedErrorKind {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecFinishedErrorKind {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecFinishedErrorKind {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecFinishedErrorKind {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "How the call ended, in one word."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecFinishedStatus(::std::string::String);
impl ::std::ops::Deref for ToolExecFinishedStatus {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecFinishedStatus> for ::std::string::String {
    fn from(value: ToolExecFinishedStatus) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecFinishedStatus {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecFinishedStatus {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecFinishedStatus {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecFinishedStatus {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "The result in one sentence, at most 200 characters."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecFinishedSummaryText(::std::string::String);
impl ::std::ops::Deref for ToolExecFinishedSummaryText {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecFinishedSummaryText> for ::std::string::String {
    fn from(value: ToolExecFinishedSummaryText) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecFinishedSummaryText {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 200usize {
            return Err("longer than 200 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecFinishedSummaryText {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecFinishedSummaryText {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecFinishedSummaryText {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the tool as the model wrote it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecFinishedTool(::std::string::String);
impl ::std::ops::Deref for ToolExecFinishedTool {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecFinishedTool> for ::std::string::String {
    fn from(value: ToolExecFinishedTool) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecFinishedTool {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecFinishedTool {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecFinishedTool {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecFinishedTool {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecFinishedToolCallId(::std::string::String);
impl ::std::ops::Deref for ToolExecFinishedToolCallId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecFinishedToolCallId> for ::std::string::String {
    fn from(value: ToolExecFinishedToolCallId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecFinishedToolCallId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecFinishedToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecFinishedToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecFinishedToolCallId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "An allowed call begins to run."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ToolExecStarted {
    #[doc = "Name of the tool as the model wrote it."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool: ::std::option::Option<ToolExecStartedTool>,
    #[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool_call_id: ::std::option::Option<ToolExecStartedToolCallId>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "Name of the tool as the model wrote it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecStartedTool(::std::string::String);
impl ::std::ops::Deref for ToolExecStartedTool {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecStartedTool> for ::std::string::String {
    fn from(value: ToolExecStartedTool) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecStartedTool {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecStartedTool {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecStartedTool {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecStartedTool {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolExecStartedToolCallId(::std::string::String);
impl ::std::ops::Deref for ToolExecStartedToolCallId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolExecStartedToolCallId> for ::std::string::String {
    fn from(value: ToolExecStartedToolCallId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolExecStartedToolCallId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolExecStartedToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolExecStartedToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolExecStartedToolCallId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "A call did not come through; action tells what follows."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct ToolRetry {
    #[doc = "What follows."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub action: ::std::option::Option<ToolRetryAction>,
    #[doc = "Number of the attempt that failed, beginning at 1."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub attempt: ::std::option::Option<i64>,
    #[doc = "Class of the failure, such as E_SCHEMA, E_POLICY, E_TIMEOUT_TRANSIENT or E_OTHER."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub failure_class: ::std::option::Option<ToolRetryFailureClass>,
    #[doc = "How many retries there are at most."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub max_retries: ::std::option::Option<i64>,
    #[doc = "Why, at most 1024 bytes of UTF-8."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub reason: ::std::option::Option<ToolRetryReason>,
    #[doc = "Name of the tool as the model wrote it."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool: ::std::option::Option<ToolRetryTool>,
    #[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
    #[serde(deserialize_with = "::std::option::Option::deserialize")]
    pub tool_call_id: ::std::option::Option<ToolRetryToolCallId>,
    #[doc = "Texts of this event, beyond content_preview and final_output, that were cut to their bound. Absent when none was."]
    #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
    pub truncated_fields: ::std::vec::Vec<TruncatedField>,
}
#[doc = "What follows."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolRetryAction(::std::string::String);
impl ::std::ops::Deref for ToolRetryAction {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolRetryAction> for ::std::string::String {
    fn from(value: ToolRetryAction) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolRetryAction {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolRetryAction {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolRetryAction {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolRetryAction {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Class of the failure, such as E_SCHEMA, E_POLICY, E_TIMEOUT_TRANSIENT or E_OTHER."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolRetryFailureClass(::std::string::String);
impl ::std::ops::Deref for ToolRetryFailureClass {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolRetryFailureClass> for ::std::string::String {
    fn from(value: ToolRetryFailureClass) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolRetryFailureClass {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolRetryFailureClass {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolRetryFailureClass {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolRetryFailureClass {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Why, at most 1024 bytes of UTF-8."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolRetryReason(::std::string::String);
impl ::std::ops::Deref for ToolRetryReason {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolRetryReason> for ::std::string::String {
    fn from(value: ToolRetryReason) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolRetryReason {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 1024usize {
            return Err("longer than 1024 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolRetryReason {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolRetryReason {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolRetryReason {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Name of the tool as the model wrote it."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolRetryTool(::std::string::String);
impl ::std::ops::Deref for ToolRetryTool {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolRetryTool> for ::std::string::String {
    fn from(value: ToolRetryTool) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolRetryTool {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolRetryTool {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolRetryTool {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolRetryTool {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "Id of the tool call, the same on every event of the call. null: unknown; such events are not paired."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct ToolRetryToolCallId(::std::string::String);
impl ::std::ops::Deref for ToolRetryToolCallId {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<ToolRetryToolCallId> for ::std::string::String {
    fn from(value: ToolRetryToolCallId) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for ToolRetryToolCallId {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for ToolRetryToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for ToolRetryToolCallId {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for ToolRetryToolCallId {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "One text that was cut."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
pub struct TruncatedField {
    #[doc = "Name of the member of data that was cut."]
    pub field: TruncatedFieldField,
    #[doc = "Size of the whole text in bytes of UTF-8."]
    pub original_bytes: i64,
}
#[doc = "Name of the member of data that was cut."]
#[derive(:: serde :: Serialize, Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct TruncatedFieldField(::std::string::String);
impl ::std::ops::Deref for TruncatedFieldField {
    type Target = ::std::string::String;
    fn deref(&self) -> &::std::string::String {
        &self.0
    }
}
impl ::std::convert::From<TruncatedFieldField> for ::std::string::String {
    fn from(value: TruncatedFieldField) -> Self {
        value.0
    }
}
impl ::std::str::FromStr for TruncatedFieldField {
    type Err = self::error::ConversionError;
    fn from_str(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        if value.chars().count() > 256usize {
            return Err("longer than 256 characters".into());
        }
        Ok(Self(value.to_string()))
    }
}
impl ::std::convert::TryFrom<&str> for TruncatedFieldField {
    type Error = self::error::ConversionError;
    fn try_from(value: &str) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<::std::string::String> for TruncatedFieldField {
    type Error = self::error::ConversionError;
    fn try_from(
        value: ::std::string::String,
    ) -> ::std::result::Result<Self, self::error::ConversionError> {
        value.parse()
    }
}
impl<'de> ::serde::Deserialize<'de> for TruncatedFieldField {
    fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
    where
        D: ::serde::Deserializer<'de>,
    {
        ::std::string::String::deserialize(deserializer)?
            .parse()
            .map_err(|e: self::error::ConversionError| {
                <D::Error as ::serde::de::Error>::custom(e.to_string())
            })
    }
}
#[doc = "When the event occurred: RFC 3339 in UTC with upper-case T and final Z, 0 to 9 fraction digits, no leap second."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug)]
#[serde(transparent)]
pub struct Ts(pub ::chrono::DateTime<::chrono::offset::Utc>);
impl ::std::ops::Deref for Ts {
    type Target = ::chrono::DateTime<::chrono::offset::Utc>;
    fn deref(&self) -> &::chrono::DateTime<::chrono::offset::Utc> {
        &self.0
    }
}
impl ::std::convert::From<Ts> for ::chrono::DateTime<::chrono::offset::Utc> {
    fn from(value: Ts) -> Self {
        value.0
    }
}
impl ::std::convert::From<::chrono::DateTime<::chrono::offset::Utc>> for Ts {
    fn from(value: ::chrono::DateTime<::chrono::offset::Utc>) -> Self {
        Self(value)
    }
}
impl ::std::fmt::Display for Ts {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        self.0.fmt(f)
    }
}
impl ::std::str::FromStr for Ts {
    type Err = <::chrono::DateTime<::chrono::offset::Utc> as ::std::str::FromStr>::Err;
    fn from_str(value: &str) -> ::std::result::Result<Self, Self::Err> {
        Ok(Self(value.parse()?))
    }
}
impl ::std::convert::TryFrom<&str> for Ts {
    type Error = <::chrono::DateTime<::chrono::offset::Utc> as ::std::str::FromStr>::Err;
    fn try_from(value: &str) -> ::std::result::Result<Self, Self::Error> {
        value.parse()
    }
}
impl ::std::convert::TryFrom<String> for Ts {
    type Error = <::chrono::DateTime<::chrono::offset::Utc> as ::std::str::FromStr>::Err;
    fn try_from(value: String) -> ::std::result::Result<Self, Self::Error> {
        value.parse()
    }
}
#[doc = "Tokens of the whole run as the provider counted them, and their cost; null when it did not."]
#[derive(:: serde :: Deserialize, :: serde :: Serialize, Clone, Debug, Default)]
pub struct Usage {
    #[doc = "Tokens sent that the provider had cached."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub cached_input_tokens: ::std::option::Option<i64>,
    #[doc = "What the run cost in US dollars, as reported or computed from prices: at most 6 decimals, no exponent."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub cost_usd: ::std::option::Option<f64>,
    #[doc = "Tokens sent."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub input_tokens: ::std::option::Option<i64>,
    #[doc = "Tokens received."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub output_tokens: ::std::option::Option<i64>,
    #[doc = "Those of the tokens received that the model spent on reasoning."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub reasoning_tokens: ::std::option::Option<i64>,
    #[doc = "Both."]
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub total_tokens: ::std::option::Option<i64>,
}
#[doc = " Error types."]
pub mod error {
    #[doc = r" Error from a `TryFrom` or `FromStr` implementation."]
    pub struct ConversionError(::std::borrow::Cow<'static, str>);
    impl ::std::error::Error for ConversionError {}
    impl ::std::fmt::Display for ConversionError {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> Result<(), ::std::fmt::Error> {
            ::std::fmt::Display::fmt(&self.0, f)
        }
    }
    impl ::std::fmt::Debug for ConversionError {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> Result<(), ::std::fmt::Error> {
            ::std::fmt::Debug::fmt(&self.0, f)
        }
    }
    impl From<&'static str> for ConversionError {
        fn from(value: &'static str) -> Self {
            Self(value.into())
        }
    }
    impl From<String> for ConversionError {
        fn from(value: String) -> Self {
            Self(value.into())
        }
    }
}
