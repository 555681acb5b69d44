package history

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// benchCorpora are sessions of about 32 MB: the talk of real runs in small,
// short lines and long ones, few and many escapes.
func benchCorpora() []struct{ name, content string } {
	return []struct{ name, content string }{
		{"short lines", "All tests pass now. The cause was a missing quote in greet.sh."},
		{"outputs", strings.Repeat("ok  \tgithub.com/example/project/internal/thing\t0.012s\n", 30)},
		{"code", strings.Repeat("\tif err := do(ctx, \"name\"); err != nil {\n\t\treturn fmt.Errorf(\"do: %w\", err)\n\t}\n", 20)},
		{"all escaped", escapedText},
		{"not ASCII", strings.Repeat("Проверка прошла успешно, ошибок нет. ", 20)},
	}
}

// escapedText stands in the file as it is: text as writers leave it that keep
// to ASCII.
const escapedText = `\u041e\u0448\u0438\u0431\u043e\u043a \u043d\u0435\u0442. `

func benchFile(b *testing.B, content string) (dir string, raw []byte) {
	b.Helper()
	dir = b.TempDir()
	one := recordOf(b, day, nameToolResult, content)
	if content == escapedText {
		one = strings.Replace(one, content, strings.Repeat(content, 60), 1)
		one = strings.ReplaceAll(one, "\\\\u", "\\u")
	}
	file := strings.Repeat(one, 32<<20/len(one))
	store(b, dir, "s", file)
	return dir, []byte(file)
}

// BenchmarkSearch searches for a text that is not there, with all that a search
// does: every line is read as JSON, broken ones are noticed.
func BenchmarkSearch(b *testing.B) {
	for _, c := range benchCorpora() {
		for _, query := range benchQueries() {
			b.Run(c.name+"/"+query, func(b *testing.B) {
				dir, raw := benchFile(b, c.content)
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := (Search{Dir: dir, Query: query}).Run(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func benchQueries() []string {
	return []string{"flaky timeout", "no such thing", "ошибка сети"}
}

// BenchmarkSearchSessions searches 100 sessions, of which 5 were written in the
// last three days: all of them, and those. Give -cpu 1 for one core: of
// two values the first would not count.
func BenchmarkSearchSessions(b *testing.B) {
	dir, now := b.TempDir(), time.Now()
	for n := range 100 {
		ts := now.Add(-time.Duration(n) * 14 * time.Hour)
		one := recordOf(b, ts, nameToolResult, benchCorpora()[0].content)
		store(b, dir, fmt.Sprintf("s%d", n), strings.Repeat(one, 320<<10/len(one)))
		if err := os.Chtimes(File(dir, fmt.Sprintf("s%d", n)), ts, ts); err != nil {
			b.Fatal(err)
		}
	}
	for _, days := range []int64{0, 3} {
		b.Run(fmt.Sprintf("days=%d", days), func(b *testing.B) {
			b.SetBytes(100 * 320 << 10)
			for b.Loop() {
				if _, err := (Search{Dir: dir, Query: "no such thing", Days: days, Now: now}).Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSearchHits searches for a text that is in every line.
func BenchmarkSearchHits(b *testing.B) {
	dir, raw := benchFile(b, benchCorpora()[0].content)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if found, err := (Search{Dir: dir, Query: "QUOTE", Results: 50}).Run(b.Context()); err != nil || len(found.Matches) != 50 {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearchLongLine searches a session of one long line.
func BenchmarkSearchLongLine(b *testing.B) {
	dir := b.TempDir()
	store(b, dir, "s", recordOf(b, day, nameUser, strings.Repeat("lorem ipsum \n", 8<<20/14)))
	b.SetBytes(8 << 20)
	for b.Loop() {
		if _, err := (Search{Dir: dir, Query: "needle"}).Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
