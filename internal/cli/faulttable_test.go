package cli

import (
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// faults returns every fault; elsewhere is the address of another origin.
func faults(t *testing.T, elsewhere string) map[string]faulty {
	all := map[string]faulty{}
	for _, some := range []map[string]faulty{statusFaults(), redirectFaults(elsewhere), connectionFaults(t), streamFaults(), callFaults()} {
		maps.Copy(all, some)
	}
	// What comes instead of an answer means the same whatever was asked.
	for _, some := range []map[string]faulty{statusFaults(), redirectFaults(elsewhere)} {
		for name, tt := range some {
			if slices.Contains(tt.want, "finished provider_error") {
				all[name+", of the other API"] = faulty{tt.serve, append(tt.flags, "--api", "responses"), tt.want}
			}
		}
	}
	return all
}

// retryAfter asks for a wait once and then answers.
func retryAfter(wait string) fakeEndpoint {
	return afterwards(func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(http.StatusTooManyRequests)
	}, streamed(hello, done))
}

func statusFaults() map[string]faulty {
	page := whole(502, "text/html", "<html><body>bad gateway</body></html>")
	return map[string]faulty{
		"400":                           {answering(400), nil, final("client", 400)},
		"401":                           {answering(401), nil, final("unauthorized", 401)},
		"403":                           {answering(403), nil, final("unauthorized", 403)},
		"404":                           {answering(404), nil, final("client", 404)},
		"408":                           {answering(408), nil, gaveUp("timeout", 408)},
		"409":                           {answering(409), nil, gaveUp("client", 409)},
		"413":                           {answering(413), nil, final("payload_too_large", 413)},
		"422":                           {answering(422), nil, final("client", 422)},
		"429":                           {answering(429), nil, gaveUp("rate_limit", 429)},
		"500":                           {answering(500), nil, gaveUp("server", 500)},
		"501":                           {answering(501), nil, final("server", 501)},
		"502, HTML":                     {page, nil, gaveUp("server", 502)},
		"503":                           {answering(503), nil, gaveUp("server", 503)},
		"503, no body":                  {whole(503, "", ""), nil, gaveUp("server", 503)},
		"505":                           {answering(505), nil, final("server", 505)},
		"529":                           {answering(529), nil, gaveUp("server", 529)},
		"500, then an answer":           {afterwards(answering(500), streamed(hello, done)), nil, answered(2, "retry 1/3 server 500 500ms")},
		"204":                           {func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(204) }, nil, gaveUp("incomplete", 0)},
		"500, endless body":             {dribble(500, "{"), nil, gaveUp("server", 500)},
		"400, body of 200 MB":           {endless(400), nil, final("client", 400)},
		"Retry-After of a second":       {retryAfter("1"), nil, answered(2, "retry 1/3 rate_limit 429 1s")},
		"Retry-After of a fraction":     {retryAfter("0.3"), nil, answered(2, "retry 1/3 rate_limit 429 300ms")},
		"Retry-After of nothing":        {retryAfter("0"), nil, answered(2, "retry 1/3 rate_limit 429 0s")},
		"Retry-After, negative":         {retryAfter("-1"), nil, answered(2, "retry 1/3 rate_limit 429 500ms")},
		"Retry-After of a past date":    {retryAfter("Wed, 21 Oct 2015 07:28:00 GMT"), nil, answered(2, "retry 1/3 rate_limit 429 0s")},
		"Retry-After that says nothing": {retryAfter("soon, \x80"), nil, answered(2, "retry 1/3 rate_limit 429 500ms")},
	}
}

// endless answers with a status and goes on until the client has enough.
func endless(code int) fakeEndpoint {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.WriteHeader(code)
		piece := strings.Repeat("x", 1<<16)
		for sent := 0; sent < 200<<20; sent += len(piece) {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}
}

func redirectFaults(elsewhere string) map[string]faulty {
	away := func(code int) faulty {
		return faulty{redirect(code, func(*http.Request) string { return elsewhere + "/v1/chat/completions" }), nil, final("client", code)}
	}
	within := func(code int) fakeEndpoint {
		return redirect(code, func(*http.Request) string { return "/v2/chat/completions" })
	}
	other := func(old, now string) fakeEndpoint {
		return redirect(308, func(r *http.Request) string {
			return strings.Replace("http://"+r.Host+"/v2", old, now, 1)
		})
	}
	reply := streamed(hello, done)
	looped := final("client", 307)
	looped[len(looped)-1] = "status 1 after 6 requests"
	return map[string]faulty{
		"301 elsewhere": away(301), "302 elsewhere": away(302), "303 elsewhere": away(303), "307 elsewhere": away(307), "308 elsewhere": away(308),
		"308 to another name":     {other("127.0.0.1", "localhost"), nil, final("client", 308)},
		"308 to another scheme":   {other("http:", "https:"), nil, final("client", 308)},
		"308 to no address":       {redirect(308, func(*http.Request) string { return "http://[bad" }), nil, gaveUp("connection", 0)},
		"301 within the origin":   {afterwards(within(301), reply), nil, final("client", 301)},
		"302 within the origin":   {afterwards(within(302), reply), nil, final("client", 302)},
		"303 within the origin":   {afterwards(within(303), reply), nil, final("client", 303)},
		"307 within the origin":   {afterwards(within(307), reply), nil, answered(2)},
		"308 within the origin":   {afterwards(within(308), reply), nil, answered(2)},
		"redirects without end":   {within(307), nil, looped},
		"redirect without an aim": {func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(302) }, nil, final("client", 302)},
	}
}

func connectionFaults(t *testing.T) map[string]faulty {
	reset := raw(func(c net.Conn) {
		_ = c.(*net.TCPConn).SetLinger(0)
	})
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	return map[string]faulty{
		"closed at once": {raw(func(net.Conn) {}), nil, gaveUp("connection", 0)},
		"reset":          {reset, nil, gaveUp("connection", 0)},
		"early hints without end": {raw(func(c net.Conn) {
			endlessly(c, "", "HTTP/1.1 103 Early Hints\r\nX-More: "+strings.Repeat("x", 1<<12)+"\r\n\r\n")
		}), nil, gaveUp("connection", 0)},
		"another protocol":            {says("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), nil, final("client", 101)},
		"no HTTP":                     {says("SSH-2.0-x\r\n"), nil, gaveUp("connection", 0)},
		"headers without end":         {raw(func(c net.Conn) { endlessly(c, "HTTP/1.1 200 OK\r\n", "X-More: "+strings.Repeat("x", 1<<12)+"\r\n") }), nil, gaveUp("connection", 0)},
		"silence after the end":       {stall("data: " + hello + "\n\ndata: [DONE]\n\n"), nil, answered(1)},
		"length that is not kept":     {says(ok + "Content-Length: 999\r\n\r\ndata: " + unending + "\n\n"), nil, withText(gaveUp("incomplete", 0))},
		"cut in the middle":           {says(ok + "\r\ndata: " + unending[:20]), nil, gaveUp("incomplete", 0)},
		"cut between events":          {says(ok + "\r\ndata: " + unending + "\n\n"), nil, withText(gaveUp("incomplete", 0))},
		"cut after the finish reason": {says(ok + "Content-Length: 999\r\n\r\ndata: " + hello + "\n\n"), nil, answered(1)},
		"chunk that is none":          {says(ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), nil, gaveUp("connection", 0)},
		"trailer of junk":             {says(ok + "Transfer-Encoding: chunked\r\n\r\n" + chunked("data: "+hello+"\n\n") + "0\r\n\x00junk\r\n\r\n"), nil, answered(1)},
		"gzip that is none":           {says(ok + "Content-Encoding: gzip\r\n\r\ndata: " + hello + "\n\n"), nil, gaveUp("connection", 0)},
		"gzip bomb":                   {zipped(40 << 20), nil, final("payload_too_large", 0)},
		"200 MB":                      {pour(t, 200<<20, "", ": "+strings.Repeat("x", 1<<16)+"\n"), nil, final("payload_too_large", 0)},
		"a line of 40 MB":             {pour(t, 40<<20, "data: ", strings.Repeat("x", 1<<16)), nil, final("payload_too_large", 0)},
		"an event of 200 MB":          {pour(t, 200<<20, "", "data: "+strings.Repeat("x", 1<<16)+"\n"), nil, final("payload_too_large", 0)},
	}
}

func endlessly(c net.Conn, begin, piece string) {
	_ = c.SetDeadline(time.Now().Add(5 * time.Minute))
	_, err := io.WriteString(c, begin)
	for err == nil {
		_, err = io.WriteString(c, piece)
	}
}

func chunked(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString("1\r\n" + string([]byte{c}) + "\r\n")
	}
	return b.String()
}

// withText is what is printed when text came before the last failure.
func withText(lines []string) []string {
	lines[len(lines)-2] += " hello"
	return lines
}

func streamFaults() map[string]faulty {
	sse := func(body string) fakeEndpoint { return whole(200, "text/event-stream", body) }
	with := func(reason, content string) string {
		return `{"choices":[{"delta":{"content":"` + content + `"},"finish_reason":"` + reason + `"}]}`
	}
	cut := []string{"finished budget_exceeded half", "status 1 after 1 requests"}
	refused := func(text string) []string {
		return []string{"error refused - final", strings.TrimSpace("finished provider_error " + text), "status 1 after 1 requests"}
	}
	return map[string]faulty{
		"no [DONE]":               {streamed(hello), nil, answered(1)},
		"no finish reason":        {streamed(unending, done), nil, withText(gaveUp("incomplete", 0))},
		"no events":               {sse(""), nil, gaveUp("incomplete", 0)},
		"only [DONE]":             {streamed(done), nil, gaveUp("incomplete", 0)},
		"HTML":                    {whole(200, "text/html", "<html>hello</html>"), nil, final("incomplete", 0)},
		"an image":                {whole(200, "image/png", "\x89PNG\r\n\x1a\n"), nil, final("incomplete", 0)},
		"events by another type":  {whole(200, "text/plain", "data: "+hello+"\n\n"), nil, answered(1)},
		"empty choices":           {streamed(`{"choices":[]}`, done), nil, gaveUp("incomplete", 0)},
		"no choices":              {streamed(`{}`, `{"choices":null}`, done), nil, gaveUp("incomplete", 0)},
		"choices of another kind": {streamed(`{"choices":"none"}`, done), nil, gaveUp("parse", 0)},
		"not streamed":            {whole(200, "application/json", `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`), nil, answered(1)},
		"unknown finish reason":   {streamed(with("tired", "hello")), nil, gaveUpAfter("hello", "incomplete", 0)},
		"unknown, without text":   {streamed(with("tired", "")), nil, gaveUp("incomplete", 0)},
		"empty text":              {streamed(with("stop", "")), nil, gaveUp("incomplete", 0)},
		"finished twice":          {streamed(hello, stopped, stopped, done, unending), nil, answered(1)},
		"content null":            {streamed(`{"choices":[{"delta":{"content":null,"tool_calls":null,"refusal":null}}]}`, hello), nil, answered(1)},
		"refusal":                 {streamed(`{"choices":[{"delta":{"refusal":"I will not"}}]}`, stopped), nil, refused("")},
		"content filter":          {streamed(with("content_filter", "half")), nil, refused("half")},
		"length":                  {streamed(with("length", "half")), nil, cut},
		"error":                   {streamed(`{"error":{"message":"` + faultKey + `"}}`), nil, gaveUp("server", 0)},
		"error with a status":     {streamed(`{"error":{"message":"x","code":429}}`), nil, gaveUp("rate_limit", 429)},
		"error that is final":     {streamed(`{"error":{"message":"x","code":"400"}}`), nil, final("client", 400)},
		"error after text":        {streamed(unending, `{"error":{"message":"x"}}`), nil, withText(gaveUp("server", 0))},
		"error in one piece":      {whole(200, "application/json", `{"error":{"message":"x"}}`), nil, gaveUp("server", 0)},
		"NUL bytes":               {streamed("{\"choices\":[{\"delta\":{\"content\":\"\x00\"}}]}", hello), nil, gaveUp("parse", 0)},
		"bytes that are no UTF-8": {streamed(strings.Replace(hello, "hello", "hello\xff", 1)), nil,
			[]string{"finished ok hello\ufffd", "status 0 after 1 requests"}},
		"carriage returns alone": {sse("data: " + unending + "\r\rdata: " + stopped + "\r\rdata: [DONE]\r\r"), nil, answered(1)},
		"CR and LF":              {sse(": x\r\n\r\ndata: " + hello + "\r\n\r\n"), nil, answered(1)},
		"data in several lines":  {sse("data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"hello\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n"), nil, answered(1)},
		"usage at the end": {streamed(hello, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}`, done), []string{"--max-tokens", "5"},
			[]string{"finished budget_exceeded hello", "status 1 after 1 requests"}},
		"usage missing": {streamed(hello, done), []string{"--max-tokens", "100000"}, answered(1)},
		"usage beyond counting": {streamed(hello, `{"choices":[],"usage":{"prompt_tokens":9223372036854775807,"completion_tokens":9223372036854775807}}`, done),
			nil, answered(1)},
	}
}

func callFaults() map[string]faulty {
	const whole = `"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}`
	read := answered(2, "allow read_file")
	blocked := func(name string) []string {
		return []string{"deny " + name, "deny " + name, "deny " + name, "finished blocked", "status 1 after 1 requests"}
	}
	return map[string]faulty{
		"call":                   {reads(`{"index":0,` + whole + `}`), nil, read},
		"call without an index":  {reads(`{` + whole + `}`), nil, read},
		"call by a negative one": {reads(`{"index":-1,` + whole + `}`), nil, read},
		"call by a huge one":     {reads(`{"index":2147483647,` + whole + `}`), nil, read},
		"call by one beyond all": {reads(`{"index":1e99,` + whole + `}`), nil, answered(2, "retry 1/3 parse - 500ms")},
		"calls in reverse":       {reads(`{"index":1,`+whole+`}`, `{"index":0,"id":"b","function":{"name":"list_files","arguments":"{}"}}`), nil, answered(2, "allow read_file", "allow list_files")},
		"calls in turns": {reads(
			`{"index":0,"id":"a","function":{"name":"read_file"}}`, `{"index":1,"id":"b","function":{"name":"list_files","arguments":"{"}}`,
			`{"index":0,"function":{"arguments":"{\"path\":"}}`, `{"index":1,"function":{"arguments":"}"}}`, `{"index":0,"function":{"arguments":"\"a.txt\"}"}}`,
		), nil, answered(2, "allow read_file", "allow list_files")},
		"name in pieces": {reads(`{"index":0,"id":"a","function":{"name":"read_"}}`, `{"index":0,"function":{"name":"file"}}`,
			`{"index":0,"function":{"arguments":"{\"path\":\"a.txt\"}"}}`), nil, read},
		"call without a name":         {reads(`{"index":-7,"id":"a","function":{}},{"index":7,"function":{"arguments":"{}"}},{"index":8,"function":{"arguments":"{}"}}`), nil, blocked("")},
		"call of a tool that is none": {reads(`{"index":0,"function":{"name":"nope"}},{"index":1,"function":{"name":"nope"}},{"index":2,"function":{"name":"nope"}}`), nil, blocked("nope")},
		"calls announced, none made":  {streamed(called), nil, gaveUp("incomplete", 0)},
		"empty text after a tool":     {afterwards(streamed(piece(`{"index":0,`+whole+`}`), called), streamed(stopped)), nil, []string{"allow read_file", "finished ok", "status 0 after 2 requests"}},
	}
}
