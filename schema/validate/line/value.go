package line

// Words of eight bytes that start with a literal.
const (
	wordNull  = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	wordTrue  = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordFalse = 'a' | 'l'<<8 | 's'<<16 | 'e'<<24 // behind its f
)

// maxDigits bounds integers so that they cannot run over; 2^53 has as many.
const maxDigits = 16

// blanks returns where the next byte is that is no blank.
func blanks(b []byte, i int) int {
	for b[i] == ' ' {
		i++
	}
	return i
}

// colon reads the colon at i and returns where the value is behind it.
func colon(b []byte, i int) int {
	if b[i] == ' ' {
		i = blanks(b, i)
	}
	if b[i] != ':' {
		return -1
	}
	if i++; b[i] == ' ' {
		i = blanks(b, i)
	}
	return i
}

func null(b []byte, i int) int {
	if uint32(load(b, i)) != wordNull {
		return -1
	}
	return i + 4
}

func boolean(b []byte, i int, v *value) int {
	switch {
	case uint32(load(b, i)) == wordTrue:
		v.n = 1
		return i + 4
	case b[i] == 'f' && uint32(load(b, i+1)) == wordFalse:
		v.n = 0
		return i + 5
	}
	return -1
}

// integer reads one that is written with digits alone.
func integer(b []byte, i int, e *entry, v *value) int {
	sign, from, n := int64(1), i, int64(0)
	if b[i] == '-' {
		sign, from = -1, i+1
	}
	for i = from; b[i]-'0' <= 9; i++ {
		n = n*10 + int64(b[i]-'0')
		if i-from == maxDigits {
			return -1
		}
	}
	if i == from || b[from] == '0' && (i > from+1 || sign < 0) {
		return -1
	}
	v.n = sign * n
	if v.n < e.min || v.n > e.max {
		return -1
	}
	return i
}

// The digits that a decimal may have before and behind its point. The contract
// allows for more before it.
const (
	maxWhole    = 10
	maxDecimals = 6
)

// decimal reads a number from 0 on.
func decimal(b []byte, i int) int {
	from := i
	if i = digits(b, i); i == from || i > from+maxWhole || b[from] == '0' && i > from+1 {
		return -1
	}
	if b[i] != '.' {
		return i
	}
	from = i + 1
	if i = digits(b, from); i == from || i > from+maxDecimals {
		return -1
	}
	return i
}

// digits returns where the digits from i on end.
func digits(b []byte, i int) int {
	for b[i]-'0' <= 9 {
		i++
	}
	return i
}

// number reads a number of any size and form.
func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	from := i
	if i = digits(b, i); i == from || b[from] == '0' && i > from+1 {
		return -1
	}
	if b[i] == '.' {
		from = i + 1
		if i = digits(b, from); i == from {
			return -1
		}
	}
	if b[i]|0x20 == 'e' {
		if i++; b[i] == '+' || b[i] == '-' {
			i++
		}
		from = i
		if i = digits(b, from); i == from {
			return -1
		}
	}
	return i
}

// any reads a value of which the contract says nothing, at that depth of
// brackets.
func (s *Scanner) any(b []byte, i, depth int) int {
	var v value
	switch b[i] {
	case '"':
		i, _ = s.readText(b, i+1)
		return i
	case '{', '[':
		if depth > maxDepth {
			return -1
		}
		return s.anyParts(b, i, depth)
	case 't', 'f':
		return boolean(b, i, &v)
	case 'n':
		return null(b, i)
	}
	return number(b, i)
}

// anyParts reads an object or a list of which the contract says nothing.
func (s *Scanner) anyParts(b []byte, i, depth int) int {
	opener, named := b[i], s.named
	closer := opener + 2 // in ASCII
	if i = blanks(b, i+1); b[i] == closer {
		return i + 1
	}
	for {
		if opener == '{' {
			if b[i] != '"' {
				return -1
			}
			if i = s.name(b, i+1, named); i < 0 {
				return -1
			}
			if i = colon(b, i); i < 0 {
				return -1
			}
		}
		if i = s.any(b, i, depth+1); i < 0 {
			return -1
		}
		i = blanks(b, i)
		switch b[i] {
		case closer:
			s.named = named
			return i + 1
		case ',':
			i = blanks(b, i+1)
		default:
			return -1
		}
	}
}

func version(b []byte, i int) int {
	if end := i + len(Version) + 2; end < len(b) && b[i] == '"' && string(b[i+1:end-1]) == Version && b[end-1] == '"' {
		return end
	}
	return -1
}
