package line

// instant is what ts says: the time since 1970 in UTC.
type instant struct {
	seconds, nanoseconds int64
	// date and hours are the words of the last minute that was read, and minute its
	// seconds: most lines are of the minute of the one before.
	date, hours uint64
	minute      int64
}

// What a timestamp looks like, in words of eight bytes: the digits are 0. A
// byte that differs from it by no more than 9 is right at a digit, and one that
// does not differ elsewhere; add makes the others show in their upper half.
const (
	dateForm, addDate   = 0x2d30302d30303030, 0x0f06060f06060606 // 0000-00-
	hourForm, addHours  = 0x30303a3030543030, 0x06060f06060f0606 // 00T00:00
	restForm, addRest   = 0x30303a, 0x06060f                     // :00
	milliForm, addMilli = 0x225a3030302e, 0x0f0f0606060f         // .000Z"
	halves              = 0xf0 * ones
)

// read reads a timestamp, its quotes included.
func (t *instant) read(b []byte, i int) int {
	w0, w1, w2 := load(b, i+1), load(b, i+9), (load(b, i+17)^restForm)&0xffffff
	if b[i] != '"' || (w0 != t.date || w1 != t.hours || w0 == 0) && !t.readMinute(w0, w1) {
		return -1
	}
	second := pair(w2 >> 8)
	if (w2|(w2+addRest))&halves != 0 || second > 59 {
		return -1
	}
	t.seconds = t.minute + second
	return t.fraction(b, i+20)
}

// readMinute reads the words of a date and of hours and minutes.
func (t *instant) readMinute(date, hours uint64) bool {
	w0, w1 := date^dateForm, hours^hourForm
	if (w0|(w0+addDate)|w1|(w1+addHours))&halves != 0 {
		return false
	}
	hour, minute := pair(w1>>24), pair(w1>>48)
	days := day(pair(w0)*100+pair(w0>>16), pair(w0>>40), pair(w1))
	if days == noDay || hour > 23 || minute > 59 {
		return false
	}
	t.date, t.hours, t.minute = date, hours, days*86400+hour*3600+minute*60
	return true
}

// noDay is what day returns for a date that does not exist.
const noDay = 1 << 40

// day returns the days from 1970 to a date.
func day(year, month, day int64) int64 {
	if year < 1 || month < 1 || month > 12 || day < 1 {
		return noDay
	}
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	passed, length := before[month-1], before[month]-before[month-1]
	if leap && month > 2 {
		passed++
	}
	if leap && month == 2 {
		length++
	}
	if day > length {
		return noDay
	}
	year--
	return year*365 + year/4 - year/100 + year/400 + passed + day - 1 - daysTo1970
}

// daysTo1970 counts the days from the first one of the year 1.
const daysTo1970 = 719162

// before are the days of a common year before each month.
var before = [...]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// fraction reads what stands behind the seconds.
func (t *instant) fraction(b []byte, i int) int {
	if w := (load(b, i) ^ milliForm) & 0xffffffffffff; (w|(w+addMilli))&halves == 0 { // most are of this form
		t.nanoseconds = (pair(w>>8)*10 + int64(w>>24&0xff)) * 1e6
		return i + 6
	}
	t.nanoseconds = 0
	if b[i] == '.' {
		from := i + 1
		scale := int64(1e9)
		for i = from; b[i]-'0' <= 9; i++ {
			t.nanoseconds = t.nanoseconds*10 + int64(b[i]-'0')
			if scale /= 10; scale == 0 {
				return -1
			}
		}
		if i == from {
			return -1
		}
		t.nanoseconds *= scale
	}
	if b[i] != 'Z' || b[i+1] != '"' {
		return -1
	}
	return i + 2
}

// pair returns the number of two digits that w begins with, whose bytes are
// their values.
func pair(w uint64) int64 { return int64(w&0xff)*10 + int64(w>>8&0xff) }
