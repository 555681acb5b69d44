package main_test

// roleVariable makes the test binary play an agent instead of testing.
const roleVariable = "OPENAGENT_TEST_ROLE"

// roles are the agents that the tests run under the harness.
var roles = map[string]func(){}
