package jsonschema

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// templateName is the name of a variable in a template of RFC 6570, with its modifier.
const templateName = `([A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(\.([A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(:[1-9]\d{0,3}|\*)?`

var (
	dateForm     = lazyregexp.New(`^\d{4}-\d{2}-\d{2}$`)
	timeForm     = lazyregexp.New(`^(\d{2}):(\d{2}):(\d{2})(\.\d+)?([zZ]|[+-]\d{2}:\d{2})$`)
	durationForm = lazyregexp.New(`^P(\d+W|(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)(T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?|T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))$`)
	labelsForm   = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)
	localForm    = lazyregexp.New("^([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*|\"([^\"\\\\\\x00-\\x1f]|\\\\[ -~])*\")$")
	uuidForm     = lazyregexp.New(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	addressForm  = lazyregexp.New(`^([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$`)
	templateForm = lazyregexp.New(`^([^{}\x00-\x20\x7f"<>\\^` + "`" + `|%]|%[0-9A-Fa-f]{2}|\{[+#./;?&=,!@|]?` + templateName + `(,` + templateName + `)*\})*$`)
	pointerForm  = lazyregexp.New(`^(/([^~/]|~[01])*)*$`)
	relativeForm = lazyregexp.New(`^(0|[1-9]\d*)(#|(/([^~/]|~[01])*)*)$`)
)

// formats returns the formats that are checked, by name.
func formats() map[string]func(string) bool {
	return map[string]func(string) bool{
		"date-time": isDateTime, "date": isDate, "time": isTime, "duration": formed(durationForm),
		"email": isEmail, "hostname": isHostname, "ipv4": isIPv4, "ipv6": isIPv6,
		"uri":           func(s string) bool { return isReference(s) && schemed(s) },
		"uri-reference": isReference, "uri-template": formed(templateForm), "uuid": formed(uuidForm),
		"json-pointer": formed(pointerForm), "relative-json-pointer": formed(relativeForm), "regex": isRegex,
	}
}

func formed(form func() *regexp.Regexp) func(string) bool {
	return func(s string) bool { return form().MatchString(s) }
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil && dateForm().MatchString(s)
}

// isTime accepts a time as RFC 3339 has it, a leap second in the minute that can
// have one.
func isTime(s string) bool {
	m := timeForm().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	leap := m[3] == "60"
	if leap {
		m[3] = "59"
	}
	zone := strings.ToUpper(m[5])
	t, err := time.Parse("15:04:05Z07:00", m[1]+":"+m[2]+":"+m[3]+zone)
	if err != nil || leap && t.UTC().Format("15:04") != "23:59" {
		return false
	}
	return zone == "Z" || zone[1:3] < "24" && zone[4:] < "60"
}

func isDateTime(s string) bool {
	return len(s) > 10 && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || !localForm().MatchString(s[:at]) {
		return false
	}
	host := s[at+1:]
	if address, ok := strings.CutPrefix(host, "["); ok {
		address, ok = strings.CutSuffix(address, "]")
		v6, is6 := strings.CutPrefix(address, "IPv6:")
		return ok && (is6 && isIPv6(v6) || isIPv4(address))
	}
	return isHostname(host)
}

func isHostname(s string) bool { return len(s) <= 253 && labelsForm().MatchString(s) }

func isIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

func isReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && addressForm().MatchString(s)
}

// schemed reports whether a reference has a scheme.
func schemed(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}

// isRegex accepts what RE2 reads, and what it only lacks.
func isRegex(s string) bool {
	if !utf8.ValidString(s) || len(s) > maxPattern {
		return false
	}
	_, err := regexp.Compile(translated(s))
	return err == nil || strings.HasPrefix(unsupported(err), "has ")
}
