package runner_test

func systemRoles() map[string]func() { return nil }
