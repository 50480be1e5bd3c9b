package redact

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// long is a token as GitHub makes them now: JWT-like, with dots.
var long = "ghs_" + strings.Repeat("aB3.dE_f", 65)

var secrets = map[string]string{
	"installation token": "ghs_0123456789abcdefghijABCDEFGHIJ012345",
	"long token":         long,
	"fine-grained":       "github_pat_11AAAAAAA0123456789_abcdefghijklmnopqrstuvwxyz",
	"personal":           "ghp_0123456789abcdefghijABCDEFGHIJ012345",
	"app JWT":            "eyJhbGciOiJSUzI1NiJ9.eyJpYXQiOjE2MDAwMDAwMDB9.c2lnbmF0dXJlLXNpZ25hdHVyZQ",
	"private key":        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
	"webhook secret":     `it's "quoted" \ and odd`,
	"password":           "hunter2hunter2",
}

func TestSecretsAreReplaced(t *testing.T) {
	r := New(secrets["webhook secret"], secrets["password"])
	for name, s := range secrets {
		for _, text := range []string{s, "x=" + s + " y", "Authorization: Bearer " + s, `{"a":"` + s + `"}`} {
			got := r.String(text)
			if strings.Contains(got, s) || !strings.Contains(got, Mark) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	if got := r.String("a " + long + " b"); got != "a "+Mark+" b" {
		t.Errorf("a part of the long token is left: %s", got)
	}
}

func TestPasswordsInURLs(t *testing.T) {
	got := New().String(`cannot reach postgres://odfix:s3cr3t@db.internal:5432/odfix?sslmode=require: refused`)
	if strings.Contains(got, "s3cr3t") || !strings.Contains(got, "db.internal:5432/odfix") {
		t.Error(got)
	}
}

// TestTheRestStays: what is no secret is not touched.
func TestTheRestStays(t *testing.T) {
	for _, s := range []string{"", "delivery stored", "commit 1234567890123456789012345678901234567890",
		"https://github.com/acme/shop/pull/7#issuecomment-1", "ghs_short", "token expired", "12:30 a@b"} {
		if got := New("", "abc").String(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// TestLogsHoldNoSecrets whichever way they come: message, field, error, object.
func TestLogsHoldNoSecrets(t *testing.T) {
	for _, encoder := range []zapcore.Encoder{zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()),
		zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig())} {
		var out bytes.Buffer
		w := New(secrets["webhook secret"], secrets["password"]).Writer(&out)
		log := zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), zapcore.DebugLevel))
		for _, s := range secrets {
			log.Info("with "+s, zap.String("a", s), zap.Error(errors.New("for "+s)),
				zap.Any("b", map[string][]string{"c": {s}}), zap.ByteString("d", []byte(s)))
		}
		for name, s := range secrets {
			if strings.Contains(out.String(), s) || strings.Contains(out.String(), escaped(s)) {
				t.Errorf("%s is in the log", name)
			}
		}
		if n := strings.Count(out.String(), Mark); n < 5*len(secrets) {
			t.Errorf("%d marks", n)
		}
	}
}
