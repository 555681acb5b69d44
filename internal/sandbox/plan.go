package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/sandbox/private"
)

// Rule allows commands to read what a path names and what lies in it, and to run
// it; Write also to change it.
type Rule struct {
	Path  string
	Write bool
}

// Link is something that the private HOME has from the real one.
type Link = private.Link

// Plan is what a policy means on this machine.
type Plan struct {
	Rules []Rule
	// Env is set for commands beside HOME and the temporary folder. HomeMark stands
	// for the private HOME.
	Env []string
	// Links are put in the private HOME.
	Links []Link
	// ReadOnly are folders and files in the workspace that may be read and not
	// changed, where the kernel can be made to hold that.
	ReadOnly []string
	// Covered are those hidden folders and files in what is open that commands find
	// empty where the kernel can be made to do that. They need not exist yet.
	Covered []string
	// Unavailable is what the policy asks for and this machine cannot have, in words, and
	// StillReachable the hidden folders that lie in what is open: reachable, but for those
	// that are Covered where that can be had.
	Unavailable, StillReachable []string
}

// HomeMark stands for the private HOME in variables of a plan.
const HomeMark = "\x00HOME"

// systemFolders are readable: programs, libraries and what they are set up by.
// There is no /dev and no /var: as root they hold disks, and the data of services.
var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store", "/proc", "/sys",
	"/dev/full", "/dev/random", "/dev/urandom",
}

// systemLinks lead from /etc to places that are no system folders.
var systemLinks = []string{"/etc/resolv.conf", "/etc/localtime", "/etc/ssl/certs"}

// writableDevices are what commands may write to besides.
var writableDevices = []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/shm"}

// pathVariables name files that a command reads wherever it runs.
var pathVariables = []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"}

// commonPrograms are looked for on PATH whatever the presets are: what they are
// linked to is readable.
var commonPrograms = []string{"sh", "bash", "git", "make", "cc", "gcc", "clang"}

// Plan resolves the policy. An error names what is wrong with it: a path that does
// not exist, or one that opens what must stay hidden.
func (p Policy) Plan() (Plan, error) {
	if err := p.Check(); err != nil {
		return Plan{}, err
	}
	l := newLayout(p)
	if err := l.allowRequested(); err != nil {
		return Plan{}, err
	}
	for _, r := range p.Needed {
		l.allow(r.Path, r.Write)
	}
	l.system()
	l.toolchains()
	for _, name := range p.Presets {
		l.preset(name)
	}
	l.repository()
	l.copyHarmless(".gitconfig") // without git's settings nobody can commit
	l.readOnly()
	l.coverHidden()
	return l.plan, nil
}

// layout is a plan in the making.
type layout struct {
	policy Policy
	plan   Plan
	home   string   // the real HOME without links, "" if there is none
	hidden []string // the hidden folders without links
}

func newLayout(p Policy) *layout {
	l := &layout{policy: p, home: real(p.home())}
	for _, dir := range p.Hidden {
		l.hidden = append(l.hidden, existing(dir))
	}
	return l
}

// real returns what an absolute path names without links, "" if there is nothing.
func real(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	name, _ := filepath.EvalSymlinks(path)
	return name
}

// allow opens what exists; where a path is opened twice, writing counts.
func (l *layout) allow(path string, write bool) {
	if path = real(path); path != "" {
		l.add(path, write)
	}
}

// add opens a path without links.
func (l *layout) add(path string, write bool) {
	i := slices.IndexFunc(l.plan.Rules, func(r Rule) bool { return r.Path == path })
	if i < 0 {
		l.plan.Rules = append(l.plan.Rules, Rule{path, write})
		return
	}
	l.plan.Rules[i].Write = l.plan.Rules[i].Write || write
}

// lose notes something that cannot be had.
func (l *layout) lose(format string, args ...any) {
	l.plan.Unavailable = append(l.plan.Unavailable, fmt.Sprintf(format, args...))
}

// asked opens what the policy names, which must exist and be no place of ours.
func (l *layout) allowRequested() error {
	p := l.policy
	for _, list := range []struct {
		paths []string
		write bool
		flag  string
	}{{[]string{p.Workspace}, true, theWorkspace}, {p.Write, true, "--sandbox-write"}, {p.Read, false, "--sandbox-read"}} {
		for _, path := range list.paths {
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("%s: %w", list.flag, err)
			}
			l.allow(path, list.write)
			if err := l.checkHidden(real(path), list.flag); err != nil {
				return err
			}
		}
	}
	return nil
}

// theWorkspace stands for a flag in what is said of the workspace.
const theWorkspace = "the workspace"

// opens reports what must stay hidden and lies in a path that is opened, which is an
// error but for the workspace.
func (l *layout) checkHidden(path, flag string) error {
	for i, at := range l.hidden {
		if flag != theWorkspace && (within(at, path) || within(path, at)) {
			return fmt.Errorf("%w: %s %s would open %s, which commands must not reach", ErrContradiction, flag, path, l.policy.Hidden[i])
		}
	}
	switch home := l.home; {
	case home == "" || !within(home, path):
	case home == path:
		l.lose("%s is the home folder %s", flag, home)
	default:
		l.lose("%s opens the home folder %s", flag, home)
	}
	return nil
}

// existing returns the path without links, as far as it exists. A link to what is not
// there yet counts as that.
func existing(path string) string {
	path = filepath.Clean(path)
	at, err := filepath.EvalSymlinks(path)
	if err == nil && filepath.IsAbs(path) {
		return at
	}
	if target, linked := os.Readlink(path); linked == nil && errors.Is(err, fs.ErrNotExist) { // no loop of links
		return existing(beside(filepath.Dir(path), target))
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(existing(parent), filepath.Base(path))
	}
	return path
}

// system opens what every program needs.
func (l *layout) system() {
	for _, path := range slices.Concat(systemFolders, systemLinks) {
		l.allow(path, false)
	}
	for _, path := range writableDevices {
		l.allow(path, true)
	}
	for _, name := range pathVariables {
		if path := l.policy.Getenv(name); filepath.IsAbs(path) {
			l.openIfSafe(path)
		}
	}
}

// toolchains opens the folders on PATH, and those of the programs in them that are
// links to somewhere else.
func (l *layout) toolchains() {
	for _, dir := range filepath.SplitList(l.policy.Getenv("PATH")) {
		if at := real(dir); at != "" {
			l.openIfSafe(at)
			l.openIfSafe(toolchainRoot(at, l.home))
			l.shims(at)
		}
	}
	l.programs(commonPrograms)
}

// rootVariables name the folder of a version manager to its shims, which else look for
// it below HOME, by the folder's usual name.
var rootVariables = map[string][]string{
	".pyenv": {"PYENV_ROOT"}, ".rbenv": {"RBENV_ROOT"}, ".nodenv": {"NODENV_ROOT"}, ".goenv": {"GOENV_ROOT"}, ".jenv": {"JENV_ROOT"},
	".asdf": {"ASDF_DATA_DIR", "ASDF_DIR"}, "mise": {"MISE_DATA_DIR"},
}

// shims opens the folder of a version manager, whose programs on PATH lie in a folder
// called shims and start those of the version that the workspace asks for. One with
// another name stays closed: that of ~/.local/shims would be ~/.local.
func (l *layout) shims(dir string) {
	root := filepath.Dir(dir)
	names := rootVariables[filepath.Base(root)]
	if filepath.Base(dir) != "shims" || names == nil || !l.openIfSafe(root) {
		return
	}
	for _, name := range names {
		l.plan.Env = append(l.plan.Env, name+"="+cmp.Or(l.policy.Getenv(name), root))
	}
}

// programs opens the toolchains of the programs that are there, and reports whether
// any is.
func (l *layout) programs(names []string) (found bool) {
	for _, name := range names {
		if path := l.lookPath(name); path != "" {
			found = true
			l.openIfSafe(path)
			l.openIfSafe(toolchainRoot(filepath.Dir(path), l.home))
		}
	}
	return found
}

// lookPath returns the program of that name on the policy's PATH, without links.
func (l *layout) lookPath(name string) string {
	for _, dir := range filepath.SplitList(l.policy.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return real(path)
		}
	}
	return ""
}

// openIfSafe makes a path readable that nobody asked for, unless the home folder or
// something hidden lies in it, or it lies in something hidden. It reports whether it
// is open.
func (l *layout) openIfSafe(path string) bool {
	path = real(path)
	if path == "" || path == "/" || within(l.home, path) {
		return false
	}
	for _, at := range l.hidden {
		if within(at, path) || within(path, at) {
			return false
		}
	}
	l.add(path, false)
	return true
}

// toolchainRoot returns the folder of a toolchain whose programs are in dir, "" if
// that is not known: the one above bin. Right below the home folder that would be
// ~/.local or ~/.cargo, which hold more than a toolchain.
func toolchainRoot(dir, home string) string {
	base, root := filepath.Base(dir), filepath.Dir(dir)
	if base != "bin" && base != "sbin" || root == "/" {
		return ""
	}
	if home != "" && within(root, home) {
		rel, err := filepath.Rel(home, root)
		if err != nil || !strings.Contains(rel, "/") || strings.HasPrefix(rel, ".config/") {
			return ""
		}
	}
	return root
}

// copyHarmless has a file of the real HOME copied to the private one, unless it may
// hold a secret.
func (l *layout) copyHarmless(name string) {
	home := l.policy.home()
	if home == "" {
		return
	}
	path := filepath.Join(home, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return
	}
	text, err := os.ReadFile(path)
	if err == nil && !secretLooking().Match(text) {
		l.plan.Links = append(l.plan.Links, Link{Name: name, Target: path, Copy: true})
	}
}

// maxSettings bounds a file of settings that is copied.
const maxSettings = 256 << 10

// readOnly lists what commands may not change and nothing else needs to: what runs by
// itself later, and what leads git elsewhere. A configuration of git is not among it,
// since git checkout --track writes that.
func (l *layout) readOnly() {
	root := real(l.policy.Workspace)
	paths := []string{filepath.Join(root, filepath.FromSlash(workflows))}
	own, common := gitFolders(root)
	if link := filepath.Join(root, ".git"); own != link {
		paths = append(paths, link)
	}
	if own != "" {
		trees, _ := filepath.Glob(filepath.Join(common, "worktrees", "*"))
		for _, dir := range append(trees, own, common) {
			for _, name := range gitNames {
				if path := filepath.Join(dir, filepath.FromSlash(name)); name != "config" && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err == nil && (info.IsDir() || info.Mode().IsRegular()) && real(path) == path && !l.opened(path) && l.plan.Writes(path) {
			l.plan.ReadOnly = append(l.plan.ReadOnly, path)
		}
	}
}

// cover lists what must stay hidden and lies in what is open: the workspace, or a
// folder that all programs need, such as /dev/shm.
func (l *layout) coverHidden() {
	root := real(l.policy.Workspace)
	for i, at := range l.hidden {
		if !slices.ContainsFunc(l.plan.Rules, func(r Rule) bool { return within(at, r.Path) }) {
			continue
		}
		l.plan.StillReachable = append(l.plan.StillReachable, l.policy.Hidden[i])
		switch {
		case at == root:
		case l.opensIn(at):
			l.plan.ReadOnly = append(l.plan.ReadOnly, at)
		case !slices.Contains(l.plan.Covered, at):
			l.plan.Covered = append(l.plan.Covered, at)
		}
	}
}

// opensIn reports whether something in a hidden folder is open, so that it cannot be
// covered: what commands need of it, or the private folders.
func (l *layout) opensIn(hidden string) bool {
	temp := existing(cmp.Or(l.policy.Temp, os.TempDir()))
	return within(temp, hidden) || slices.ContainsFunc(l.policy.Needed, func(r Rule) bool { return within(existing(r.Path), hidden) })
}

// opened reports whether --sandbox-write names the path itself or something in it.
func (l *layout) opened(path string) bool {
	return slices.ContainsFunc(l.policy.Write, func(w string) bool { return within(existing(w), path) })
}

// bare returns the exposed folders that nothing covers.
func (p Plan) bare() (paths []string) {
	for _, path := range p.StillReachable {
		if !slices.Contains(p.Covered, existing(path)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// pins returns the folders above what is covered that commands could move, the
// deepest first: that would uncover what lies there.
func (p Plan) pinParents() (folders []string) {
	for _, path := range p.Covered {
		for dir := filepath.Dir(path); p.Writes(filepath.Dir(dir)); dir = filepath.Dir(dir) {
			if !slices.Contains(folders, dir) {
				folders = append(folders, dir)
			}
		}
	}
	slices.SortStableFunc(folders, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	return folders
}

// Writes and Reads report whether commands may do so with the path, as far as the plan
// goes.
func (p Plan) Writes(path string) bool { return p.has(path, true) }
func (p Plan) Reads(path string) bool  { return p.has(path, false) }

func (p Plan) has(path string, write bool) bool {
	path = existing(path)
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return (r.Write || !write) && within(path, r.Path) })
}
