package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// preset is what an ecosystem needs beside its programs: where it keeps what it
// downloaded and built, and by which variable it is told another place.
type preset struct {
	name string
	// programs are its commands; one of them must be on PATH.
	programs []string
	// reads are further folders of its toolchain, as those of cache.from.
	reads  []string
	caches []cache
	// env are variables set for commands; HomeMark stands for the private HOME.
	env []string
	// settings are files below HOME that are copied where they hold no secret.
	settings []string
}

// cache is a folder below the real HOME that a private one stands in for.
type cache struct {
	// variable names the folder to the commands, "" if only its place does.
	variable string
	// from are where it may be: a variable, or a path below HOME; of those that are
	// set or exist the first counts. "$GOPATH/pkg/mod" is below the first folder of
	// GOPATH.
	from []string
	// downloads says that it holds what was fetched: a real one is readable, and
	// nothing can be added to it. Else it holds what was built, which later steps
	// would run, and a private one takes its place.
	downloads bool
	// private is the folder in the private HOME if there is no real one, or none
	// that may be read; a link to the real one where that is readable.
	private string
	// index and content are the folders of a cache whose index is written to even when
	// something is found there: the private one gets a copy of that and a link to the
	// content, without a network. With one, where the tool would add to the content,
	// all is private.
	index, content string
}

var presets = []preset{
	{
		name: "go", programs: []string{"go"}, reads: []string{"$GOROOT"},
		caches: []cache{
			{variable: "GOMODCACHE", from: []string{"$GOMODCACHE", "$GOPATH/pkg/mod", "go/pkg/mod"}, downloads: true, private: "go/pkg/mod"},
			{variable: "GOCACHE", from: []string{"$GOCACHE", ".cache/go-build"}, private: ".cache/go-build"},
		},
		env: []string{"GOPATH=" + HomeMark + "/go"}, settings: []string{".config/go/env"},
	},
	{
		name: "node", programs: []string{"node", "npm", "pnpm", "yarn", "bun", "deno"}, reads: []string{"$NVM_DIR/versions", "$VOLTA_HOME/tools", "$FNM_DIR"},
		caches: []cache{
			{
				variable: "npm_config_cache", from: []string{"$npm_config_cache", "$NPM_CONFIG_CACHE", ".npm"}, private: ".npm",
				downloads: true, index: "_cacache/index-v5", content: "_cacache/content-v2",
			},
			{variable: "YARN_CACHE_FOLDER", from: []string{"$YARN_CACHE_FOLDER", ".cache/yarn"}, private: ".cache/yarn"},
		},
		env: []string{"npm_config_update_notifier=false", "npm_config_logs_dir=" + HomeMark + "/.npm-logs"}, settings: []string{".npmrc", ".yarnrc", ".yarnrc.yml"},
	},
	{
		name: "python", programs: []string{"python3", "python", "uv", "pytest"}, reads: []string{"$PYENV_ROOT", ".pyenv", "$VIRTUAL_ENV", "$PIP_FIND_LINKS", ".local/share/uv/python", "$CONDA_PREFIX"},
		caches: []cache{
			{variable: "PIP_CACHE_DIR", from: []string{"$PIP_CACHE_DIR", ".cache/pip"}, private: ".cache/pip"},
			{variable: "UV_CACHE_DIR", from: []string{"$UV_CACHE_DIR", ".cache/uv"}, private: ".cache/uv"},
			{from: []string{".local/lib"}, downloads: true, private: ".local/lib"},
		},
		settings: []string{".config/pip/pip.conf", ".pip/pip.conf", ".pypirc"},
	},
	{
		name: "rust", programs: []string{"cargo", "rustc"}, reads: []string{"$CARGO_HOME/bin", ".cargo/bin"},
		caches: []cache{
			{variable: "RUSTUP_HOME", from: []string{"$RUSTUP_HOME", ".rustup"}, downloads: true, private: ".rustup"},
			{from: []string{"$CARGO_HOME/registry", ".cargo/registry"}, downloads: true, private: ".cargo/registry"},
			{from: []string{"$CARGO_HOME/git", ".cargo/git"}, downloads: true, private: ".cargo/git"},
		},
		env: []string{"CARGO_HOME=" + HomeMark + "/.cargo"}, settings: []string{".cargo/config.toml", ".cargo/config"},
	},
	{
		name: "java", programs: []string{"java", "javac", "mvn", "gradle"}, reads: []string{"$JAVA_HOME", "$MAVEN_HOME", "$M2_HOME", "$GRADLE_HOME", ".sdkman/candidates"},
		caches: []cache{
			{from: []string{".m2/repository"}, downloads: true, private: ".m2/repository"},
			{variable: "GRADLE_RO_DEP_CACHE", from: []string{"$GRADLE_RO_DEP_CACHE", ".gradle/caches"}, downloads: true},
		},
		// Java asks the system's list of users for the home folder, not HOME.
		env: []string{"GRADLE_USER_HOME=" + HomeMark + "/.gradle", "MAVEN_OPTS=-Duser.home=" + HomeMark},
	},
}

// Presets returns the names of all presets.
func Presets() (names []string) {
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// preset opens what the preset of that name needs.
func (l *layout) preset(name string) {
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == name })
	p := presets[i]
	if !l.programs(p.programs) {
		l.lose("preset %s: none of %s is on PATH", name, strings.Join(p.programs, ", "))
	}
	for _, from := range p.reads {
		l.openIfSafe(l.place(from))
	}
	l.plan.Env = append(l.plan.Env, p.env...)
	for _, c := range p.caches {
		l.cache(c)
	}
	for _, s := range p.settings {
		l.copyHarmless(s)
	}
}

// cache decides between the real folder and a private one.
func (l *layout) cache(c cache) {
	at := ""
	for _, from := range c.from {
		if at = l.place(from); at != "" {
			break
		}
	}
	switch {
	case at != "" && slices.ContainsFunc(l.policy.Write, func(w string) bool { return within(at, existing(w)) }):
		l.realCache(c, at)
	case at == "" || !c.downloads || c.index != "" && l.policy.network() == NetworkOn || !l.openIfSafe(filepath.Join(at, c.content)):
		l.privateCache(c)
	case c.index == "":
		l.realCache(c, at)
	default:
		l.privateCache(c)
		l.link(c.private+"/"+c.content, filepath.Join(at, c.content), false)
		l.link(c.private+"/"+c.index, filepath.Join(at, c.index), true)
	}
}

// realCache has commands use the folder itself.
func (l *layout) realCache(c cache, at string) {
	if c.variable != "" {
		l.plan.Env = append(l.plan.Env, c.variable+"="+at)
	}
	if c.private != "" {
		l.link(c.private, at, false)
	}
}

// privateCache has commands use one in the private HOME.
func (l *layout) privateCache(c cache) {
	if c.variable != "" && c.private != "" {
		l.plan.Env = append(l.plan.Env, c.variable+"="+HomeMark+"/"+c.private)
	}
}

// link has what exists linked or copied to the private HOME.
func (l *layout) link(name, target string, copied bool) {
	if real(target) != "" {
		l.plan.Links = append(l.plan.Links, Link{Name: name, Target: target, Copy: copied})
	}
}

// place returns the existing folder that from names, "" for none.
func (l *layout) place(from string) string {
	path := ""
	if rest, ok := strings.CutPrefix(from, "$"); ok {
		name, below, _ := strings.Cut(rest, "/")
		value := l.policy.Getenv(name)
		if list := filepath.SplitList(value); len(list) > 0 {
			path = filepath.Join(list[0], filepath.FromSlash(below))
		}
	} else if home := l.policy.home(); home != "" {
		path = filepath.Join(home, filepath.FromSlash(from))
	}
	if info, err := os.Stat(path); !filepath.IsAbs(path) || err != nil || !info.IsDir() {
		return ""
	}
	return real(path)
}

// secretLooking matches settings that may hold a key or password.
var secretLooking = lazyregexp.New(`(?i)token|_auth|passw|secret|credential|extraheader|://[^/\s"]*@`)
