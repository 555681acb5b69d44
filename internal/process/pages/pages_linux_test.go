package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestProgram_TwoFirstMappingsOfWhatGoLinked(t *testing.T) {
	const static = "00400000-013ec000 r-xp 00000000 fe:00 10002459 /bin/openagent\n" +
		"013ec000-02c9d000 r--p 00fec000 fe:00 10002459 /bin/openagent\n" +
		"02c9d000-02d2d000 rw-p 0289d000 fe:00 10002459 /bin/openagent\n02d2d000-04d72000 rw-p 000"
	code, constants, ok := program([]byte(static))
	if want := (area{0x400000, 0x13ec000}); !ok || code != want || constants != (area{0x13ec000, 0x2c9d000}) {
		t.Errorf("program = %x, %x, %v", code, constants, ok)
	}
	for name, maps := range map[string]string{
		"none": "", "cut": static[:100], "no numbers": "x-y r-xp 0\nx-y r--p 0\nx-y rw-p 0\n",
		"headers first":       "55bf3a2f3000-55bf3a2f5000 r--p 0\n55bf3a2f5000-55bf3a2fb000 r-xp 0\n55bf3a2fb000-55bf3a2fe000 r--p 0\n",
		"relocated constants": "00400000-013ec000 r-xp 0\n013ec000-02c9d000 r--p 0\n02c9d000-02c9e000 r--p 0\n02c9e000-02c9f000 rw-p 0\n",
	} {
		if code, constants, ok := program([]byte(maps)); ok {
			t.Errorf("%s: program = %x, %x", name, code, constants)
		}
	}
}

func TestReturn_PagesOfTheProgramAreFewer(t *testing.T) {
	var maps [1024]byte
	if _, _, ok := program(read("/proc/self/maps", &maps)); !ok {
		t.Skip("a dynamic linker has set this test up, so nothing is given back")
	}
	before := resident(t)
	if !Return() {
		t.Fatal("Return = false in a process that nobody traces")
	}
	if after := resident(t); after >= before {
		t.Errorf("%d kB of files before, %d after", before, after)
	}
}

// Only a large file is worth it.
func TestBefore_LargeFiles(t *testing.T) {
	if !Return() {
		t.Skip("a dynamic linker has set this test up, so nothing is given back")
	}
	defer func(was bool) { early = was }(early)
	early = true
	f, err := os.Create(filepath.Join(t.TempDir(), "stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size, want := range map[int64]bool{large - 1: false, large: true} {
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if got := Before(f); got != want {
			t.Errorf("Before of a file of %d bytes = %t, want %t", size, got, want)
		}
	}
	if Before(strings.NewReader("x")) {
		t.Error("Before of what is no file = true")
	}
}

// A page that is touched comes without its neighbours.
func TestSingle_MapsFewerPages(t *testing.T) {
	var maps [1024]byte
	if _, constants, ok := program(read("/proc/self/maps", &maps)); !ok || constants.to-constants.from < 1<<20 {
		t.Skip("a dynamic linker has set this test up, so nothing is given back")
	}
	touch := func() int {
		if !Return() {
			t.Fatal("Return = false in a process that nobody traces")
		}
		for text := range strings.FieldsSeq("a few words that regexp and strconv look at") {
			_ = regexp.MustCompile(`^\w+` + strconv.Quote(text)).MatchString(text)
		}
		return resident(t)
	}
	around := touch()
	if !Single() {
		t.Skip("this kernel maps neighbours always, or forbids to ask")
	}
	if single := touch(); single > around*3/4 {
		t.Errorf("%d kB of files where pages come one by one, want at most three quarters of the %d where neighbours come too", single, around)
	}
}

// resident returns how much of files the process has in memory, in kB.
func resident(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this kernel does not tell pages of files apart")
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
