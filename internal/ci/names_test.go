package ci

import "testing"

func TestParseID(t *testing.T) {
	for in, want := range map[string]string{
		"a.B#m":                      "a.B#m",
		"a.B.m":                      "a.B#m",
		"a.B":                        "a.B",
		"a.B$C.m":                    "a.B$C#m",
		"B#m":                        "B#m",
		"B":                          "B",
		"B.m":                        "B#m",
		"a.B#m[0]":                   "a.B#m[0]",
		"a.B.m[0: x y]":              "a.B#m[0: x y]",
		"a.B.m(int)[1]":              "a.B#m(int)",
		"a.B#m{int}[1]":              "a.B#m(int)",
		"a.B#m(String, int)":         "a.B#m(String, int)",
		"a.B#m()[2]":                 "a.B#m",
		"m(a.B)":                     "a.B#m",
		"m[1](a.B)":                  "a.B#m[1]",
		"m(int)[1](a.B)":             "a.B#m(int)",
		"a.All>a.B#m":                "a.All>a.B#m",
		"ä.Größe#prüft":              "ä.Größe#prüft",
		`"a.B.m",`:                   "a.B#m",
		"- a.B#m":                    "a.B#m",
		"a.B#a name of many words~2": "a.B#a name of many words~2",
		// These are not ids.
		"": "", "m": "", "two words": "", "a..B": "", "1": "", "a.B#": "", "#m": "", "a.*Test": "", "a.B#*": "",
		"a/B.java": "", "x>y>z#m": "", "a.B#m\x00": "", "[INFO] Running a.B": "", "(a.B)": "", "a.B(": "",
	} {
		got, ok := parseID(in)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("parseID(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]logLine{
		"[INFO] Running a.B":                                   {"Running a.B", true},
		"Running a.B":                                          {"Running a.B", false},
		"\x1b[1;31mERROR\x1b[m] x":                             {"ERROR] x", false},
		"[\x1b[1;31mERROR\x1b[m] \x1b[1mx\x1b[m":               {"x", true},
		"2024-05-01T12:34:56.1234567Z [ERROR] x":               {"x", true},
		"[2024-05-01T12:34:56.123Z] Running a.B":               {"Running a.B", false},
		"2024-05-01 12:34:56,789 [INFO] x":                     {"x", true},
		"12:34:56 [WARNING] x":                                 {"x", true},
		"[12:34:56] x":                                         {"x", false},
		"2024-05-01T12:34:56.123456Z 01O [INFO] x":             {"x", true},
		"build\tRun mvn test\t2024-05-01T12:34:56.1Z [INFO] x": {"x", true},
		"50% done\r100% done\r[INFO] x\r":                      {"x", true},
		"printed without an end[ERROR] x":                      {"x", true},
		"[ERROR]   FooTest.m:1 said [ERROR] y":                 {"  FooTest.m:1 said [ERROR] y", true},
		"[linux] [INFO] x":                                     {"x", true},
		"\x1b]8;;http://x\x07link\x1b]8;;\x07 x":               {"link x", false},
		"\xff[INFO] x":                                         {"x", true},
	} {
		if got := cleanLine([]byte(in)); got != want {
			t.Errorf("cleanLine(%q) = %+v, want %+v", in, got, want)
		}
	}
}
