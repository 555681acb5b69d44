package htmlreport

import "unicode/utf8"

// appendText appends a text as a JSON string in which there is no <. Bytes that are
// no UTF-8 become U+FFFD.
func appendText(b, text []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c == '<':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRune(text[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}

// textCost is how long appendText makes a text at most, without its quotes.
func textCost(text []byte) int {
	cost := len(text)
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			cost++
		case c < ' ' || c == '<':
			cost += 5
		case c >= utf8.RuneSelf: // 3 bytes for one that is no UTF-8
			cost += 2
		}
	}
	return cost
}
