package testscript_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	script "github.com/rogpeppe/go-internal/testscript"
)

// secret is what scripts hand to --redact and a leaky agent prints. It has
// signs that each notation writes in a way of its own.
const secret = `sk-test/0+1"2<3&4ü5 6789abcdef`

// spellings are the ways in which a program may come to print the secret.
func spellings() map[string]string {
	b := []byte(secret)
	quoted, _ := json.Marshal(secret)
	plain := strings.NewReplacer(`\u003c`, "<", `\u0026`, "&").Replace(string(quoted))
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	return map[string]string{
		"as it is":          secret,
		"hex":               hex.EncodeToString(b),
		"upper hex":         fmt.Sprintf("%X", b),
		"base64":            base64.StdEncoding.EncodeToString(b),
		"base64 of a pair":  base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"base64 in a file":  base64.StdEncoding.EncodeToString([]byte("a=" + secret + "\n")),
		"base64url":         base64.RawURLEncoding.EncodeToString(b),
		"query":             query,
		"query, lower case": lowerEscapes(query),
		"path":              path,
		"path, lower case":  lowerEscapes(path),
		"component":         strings.ReplaceAll(query, "+", "%20"),
		"path of Python":    strings.NewReplacer("+", "%20", "%2F", "/").Replace(query),
		"JSON":              strings.Trim(plain, `"`),
		"JSON for HTML":     strings.Trim(string(quoted), `"`),
		"JSON in ASCII":     strings.Trim(strings.ReplaceAll(plain, "ü", `\u00fc`), `"`),
		"JSON of PHP":       strings.Trim(strings.ReplaceAll(strings.ReplaceAll(plain, "ü", `\u00fc`), "/", `\/`), `"`),
		"XML":               strings.NewReplacer(`"`, "&#34;", "<", "&lt;", "&", "&amp;").Replace(secret),
	}
}

// lowerEscapes turns %2F into %2f.
func lowerEscapes(s string) string {
	parts := strings.Split(s, "%")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToLower(parts[i][:2]) + parts[i][2:]
	}
	return strings.Join(parts, "%")
}

// leak prints the secret wherever an agent can print anything.
func leak() {
	var all strings.Builder
	for _, s := range spellings() {
		all.WriteString(s + " | ")
	}
	coloured := secret[:5] + "\x1b[1m" + secret[5:]
	quoted, _ := json.Marshal(all.String() + coloured)
	name, _ := json.Marshal(secret)
	write(strings.Replace(started, "{}", fmt.Sprintf(`{"agent":{"name":%s,"version":%[1]s},"provider":%[1]s,"model":%[1]s}`, name), 1), step)
	write(event(3, "tool_exec_finished", fmt.Sprintf(
		`{"tool_call_id":%s,"tool":%[1]s,"ok":true,"content_preview":%s,"truncated":false,"original_bytes":null}`, name, quoted)))
	write("prose: ", all.String(), coloured, "\n", strings.Replace(event(4, "x", `{}`), `"x"`, string(name), 1))
	for _, at := range []int{1<<20 - 5, 1<<20 + 1, 1<<20 + 2 + 16<<10 - 5} {
		write(strings.Repeat("x", at), secret, strings.Repeat("y", 64<<10), "\n")
	}
	for _, b := range []byte("byte by byte: " + secret + "\n") {
		os.Stderr.Write([]byte{b})
	}
	os.Stderr.WriteString(all.String() + "\n" + coloured + "\n" + strings.Repeat("x", 64<<10-5) + secret + strings.Repeat("y", 64<<10))
	dir := os.Getenv("OPENAGENT_ARTIFACTS_DIR")
	for name, text := range map[string]string{
		"notes.txt": all.String(), "one.json": `{"a":` + string(quoted) + `}`, "edge.bin": strings.Repeat("\x00", 1<<20-5) + secret, "dir/x": secret,
	} {
		_ = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700)
		_ = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
	}
	reason, _ := json.Marshal(coloured)
	write(event(4, "run_finished", fmt.Sprintf(`{"exit_reason":%s,"ok":false,"final_output":%s,"error":%[2]s}`, reason, quoted)))
	os.Exit(1)
}

// secretless is secretless PATH...: neither the files below, nor what was
// printed last, hold the secret in any spelling.
func secretless(ts *script.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: secretless PATH...")
	}
	texts := map[string]string{"stdout": ts.ReadFile("stdout"), "stderr": ts.ReadFile("stderr")}
	for _, root := range args {
		ts.Check(filepath.WalkDir(ts.MkAbs(root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			texts[filepath.Base(path)] = string(data)
			return err
		}))
	}
	for file, text := range texts {
		if at := strings.Index(text, "::add-mask::"); at >= 0 { // for the runner, which shows it to nobody
			_, rest, _ := strings.Cut(text[at:], "\n")
			text = text[:at] + rest
		}
		for spelling, s := range spellings() {
			// A part that no other text could hold gives it away as well.
			if strings.Contains(text, s) || strings.Contains(text, s[8:len(s)-8]) {
				ts.Fatalf("%s holds the secret (%s)", file, spelling)
			}
		}
	}
}
