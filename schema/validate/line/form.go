package line

import "encoding/binary"

// form is how the last line was written before the value of its type, where its data
// came behind that and nothing behind these. Most lines differ there from the one
// before by no more than the digits of three numbers, so that nothing else of it
// needs to be read.
type form struct {
	size  int               // where the value of the type begins; 0 for no form
	words [formWords]uint64 // its bytes, but for those digits and the time
	mask  [formWords]uint64 // the bits of the other bytes
	ts    span              // with its quotes
	seq   span
	step  span
	runID value
}

// formWords bounds a form, in words of eight bytes.
const formWords = 24

// wordData is what stands between type and data.
const wordData = ',' | '"'<<8 | 'd'<<16 | 'a'<<24 | 't'<<32 | 'a'<<40 | '"'<<48 | ':'<<56

// familiar reads a line that has the form of the last one. It returns where it ends,
// -1 for what may be at fault, and 0, with nothing read, for one of another form.
func (s *Scanner) familiar(b []byte) int {
	f := &s.form
	if f.size == 0 || f.size+2*reach > cap(b) || !f.fits(b) {
		return 0
	}
	sequence, okSequence := f.seq.number(b)
	step, okStep := f.step.number(b)
	if !okSequence || !okStep || sequence == 0 || s.at.read(b, f.ts.from) != f.ts.to {
		return 0
	}
	i := s.readType(b, f.size)
	if i < 0 || load(b, i) != wordData || b[i+8] != '{' {
		return 0
	}
	s.slots[slotSequence].n, s.slots[slotStep].n, s.slots[slotRunID] = sequence, step, f.runID
	s.got = 1<<slotSequence | 1<<slotStep | 1<<slotRunID
	if i = s.object(b, i+8, s.typ.object); i < 0 || b[i] == '}' {
		return i + 1
	}
	s.got, s.named = 0, 0
	return 0
}

// fits reports whether b begins as the form does, but for the numbers.
func (f *form) fits(b []byte) bool {
	differs := uint64(0)
	for k := range min((f.size+7)/8, formWords) {
		differs |= (binary.LittleEndian.Uint64(b[8*k:8*k+8]) ^ f.words[k]) & f.mask[k]
	}
	return differs == 0
}

// number returns the number whose digits, eight at most, are there.
func (d span) number(b []byte) (n int64, ok bool) {
	empty := uint(64 - 8*(d.to-d.from))
	w := load(b, d.from)<<empty ^ zeros<<empty // the digits behind others that are 0
	if (w+addDigits|w)&halves != 0 || b[d.from] == '0' && d.to > d.from+1 {
		return 0, false
	}
	w = w*10 + w>>8 // pairs, at every other byte
	const pairs = 0xff<<32 | 0xff
	return int64((w&pairs*(1000000<<32|100) + w>>16&pairs*(10000<<32|1)) >> 32), true
}

// zeros are eight digits 0, and addDigits makes a byte above 9 show in its upper half.
const zeros, addDigits = '0' * ones, 6 * ones

// remember makes a form of the line of that size that was found faultless, if it is
// written so.
func (f *form) remember(s *Scanner, b []byte, size int) {
	f.size = 0
	end := s.typeAt + len(s.typ.name) + 2
	seq, step := s.slots[slotSequence].span, s.slots[slotStep].span
	f.seq, f.step, f.ts, f.runID = span{seq.from - 1, seq.to + 1}, span{step.from - 1, step.to + 1}, s.ts, s.slots[slotRunID]
	if s.typeAt > 8*formWords || end+9 >= size || load(b, end) != wordData || b[end+8] != '{' || b[size-3] != '}' ||
		f.seq.to-f.seq.from > 8 || f.step.to-f.step.from > 8 {
		return
	}
	f.size = s.typeAt
	for k := range f.words {
		f.words[k], f.mask[k] = load(b, 8*k), 0
	}
	for i := range f.size {
		if !f.seq.has(i) && !f.step.has(i) && !f.ts.has(i) {
			f.mask[i/8] |= 0xff << (i % 8 * 8)
		}
	}
}

// has reports whether the byte at i is one of the part.
func (d span) has(i int) bool { return d.from <= i && i < d.to }
