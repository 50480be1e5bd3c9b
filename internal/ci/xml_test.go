package ci

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestTagReader(t *testing.T) {
	for name, c := range map[string]struct{ xml, want string }{
		"attributes":         {`<a x="1" y='2'/>`, "+a[x=1 y=2]/"},
		"over lines":         {"<a\n  x=\"1\"\n>t</a\n>", "+a[x=1] -a"},
		"entities":           {`<a x="&lt;&#65;&#x42;&quot;&amp;lt;&unknown;&lol"/>`, `+a[x=<AB"&lt;&unknown;&lol]/`},
		"bare ampersand":     {`<a x="R&D & more"/>`, `+a[x=R&D & more]/`},
		"greater in a value": {`<a x="a>b"/><b/>`, "+a[x=a>b]/ +b/"},
		"comment":            {`<!-- <a/> ---><b/>`, "+b/"},
		"character data":     {`<a><![CDATA[ ]] ]> <x/> ]]]]><b/></a>`, "+a +b/ -a"},
		"instruction":        {`<?xml version="1.0"?><?x <a/> ?><b/>`, "+b/"},
		"less-than in text":  {"<a>1 < 2</a>", "+a -a"},
		"control characters": {"<a x=\"\x00\x01\xff\"/>", "+a[x=\x00\x01\uFFFD]/"},
		"cut in a tag":       {`<a><b x="1`, "+a cut"},
		"never closed":       {`<a><b/>`, "+a +b/ cut"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			cut, err := tagsOf(strings.NewReader(c.xml), func(tg tag, _ int) error {
				got = append(got, show(tg))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if cut {
				got = append(got, "cut")
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

func show(t tag) string {
	s := "+" + t.name
	if t.closing {
		s = "-" + t.name
	}
	var attrs []string
	for _, k := range []string{"x", "y"} {
		if v, ok := t.attrs[k]; ok {
			attrs = append(attrs, k+"="+v)
		}
	}
	if len(attrs) > 0 {
		s += fmt.Sprint(attrs)
	}
	if t.empty {
		s += "/"
	}
	return s
}

// Memory does not grow with the depth and the length of a document.
func TestHugeReport(t *testing.T) {
	deep := io.MultiReader(
		strings.NewReader(`<testsuite name="a.T"><testcase name="m" classname="a.T">`),
		&endless{pattern: "<x>", n: 200_000},
		&endless{pattern: "]]> & output < of a test ", n: 200_000},
		strings.NewReader(`<failure message="`), &endless{pattern: "long ", n: 200_000}, strings.NewReader(`"/>`),
		strings.NewReader(`<failure `), &endless{pattern: `a="1" `, n: 100_000}, strings.NewReader(`/>`),
	)
	r, err := parseReport("deep.xml", deep, newBudget(ownLimits))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.cases) != 1 || r.cases[0].status != failed || !r.cut {
		t.Errorf("%+v", r)
	}
}

func TestBudget(t *testing.T) {
	for name, spent := range map[string]*budget{
		"tests": {tests: ownLimits.Tests - 10, limits: ownLimits},
		"names": {bytes: ownLimits.Names - 10, limits: ownLimits},
	} {
		t.Run(name, func(t *testing.T) {
			r := io.MultiReader(strings.NewReader("<testsuite>"), &endless{pattern: `<testcase name="m" classname="a.T"/>`, n: 11})
			if _, err := parseReport("many.xml", r, new(*spent)); !errors.Is(err, ErrTooMuch) {
				t.Errorf("got %v", err)
			}
			src, err := own.source("many.log", &endless{pattern: "[INFO] Running a.T\n", n: 11})
			if err != nil {
				t.Fatal(err)
			}
			p := &logParser{spent: new(*spent)}
			if _, err := p.read("many.log", src); !errors.Is(err, ErrTooMuch) {
				t.Errorf("got %v", err)
			}
		})
	}
}
