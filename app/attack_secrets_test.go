package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/githubtest/testserver"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/store/storetest"
)

// signerMark names the file of a key. The test binary then signs with it, as a signer command does.
const signerMark = "TEST_SIGNER_KEY"

func beSigner(file string) {
	pem, err := os.ReadFile(file)
	sign, perr := keys.PEM(pem)
	text, rerr := io.ReadAll(os.Stdin)
	if errors.Join(err, perr, rerr) != nil {
		os.Exit(1)
	}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "ODFIX_") {
			_, _ = os.Stderr.WriteString("it got a setting of odfix\n")
			os.Exit(1)
		}
	}
	out, err := sign(context.Background(), text)
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(base64.StdEncoding.EncodeToString(out))
	os.Exit(0)
}

// TestAttackSecretsWithoutRestart: a webhook secret that leaked counts no longer as soon as it is
// out of the file. A broken file takes no secret away, and nothing of it gets into the log.
func TestAttackSecretsWithoutRestart(t *testing.T) {
	gh := testserver.Start(t, githubtest.Config{})
	app, err := gh.AddApp(githubtest.AppSpec{Name: "odfix", Secret: childSecret})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	key, file := filepath.Join(dir, "key.pem"), filepath.Join(dir, "secrets")
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
			t.Fatal(err)
		}
	}
	const leaked, fresh = "leaked-secret-of-the-webhook", "fresh-secret-of-the-webhook"
	write(key, string(app.PEM()))
	write(file, leaked+"\n")
	c := serveChild(t, storetest.SQLite(t), "--webhook-secret-file", file, "--app-id", strconv.FormatInt(app.ID, 10),
		"--private-key-file", key, "--github-api", gh.URL, "--isolation", "none")
	n := 0
	answers := func(secret string) int {
		t.Helper()
		n++
		body := jobBody(n)
		m := hmac.New(sha256.New, []byte(secret))
		m.Write(body)
		r, err := c.delivery(t.Context(), guidOf(n), body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(m.Sum(nil)))
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode
	}
	for _, s := range []struct {
		file          string
		leaked, fresh int
		usable        string
	}{
		{leaked, 202, 401, "1"},
		{fresh + "\n" + leaked, 202, 202, "1"},
		{"", 202, 202, "0"},
		{fresh, 401, 202, "1"},
		{" \n", 401, 202, "0"},
	} {
		write(file, s.file)
		if old, now := answers(leaked), answers(fresh); old != s.leaked || now != s.fresh {
			t.Errorf("with %q in the file: %d and %d", s.file, old, now)
		}
		_, text := get(t, c.ops+"/metrics")
		wantIn(t, text, `odfix_secret_usable{secret="webhook-secret"} `+s.usable)
	}
	write(key, "-----BEGIN RSA PRIVATE KEY-----\nMIIsecretpart\n-----END RSA PRIVATE KEY-----\n")
	_, text := get(t, c.ops+"/metrics")
	wantIn(t, text, `odfix_secret_usable{secret="private-key"} 0`)
	if err := c.terminate(); err != nil {
		t.Error(err)
	}
	wantIn(t, c.log.String(), `"secret":"webhook-secret"`, "what it had before counts", "has changed, and counts", `"secret":"private-key"`)
	wantNotIn(t, c.log.String(), leaked, fresh, "MIIsecretpart")
}

// TestAttackKeyBesideSigner: with a signer command, no key may be in this process.
func TestAttackKeyBesideSigner(t *testing.T) {
	none := func(string) string { return "" }
	for name, c := range map[string]struct {
		o    keyOptions
		env  func(string) string
		want string
	}{
		"file":        {keyOptions{signer: os.Args[0], keyFile: "key.pem"}, none, "a --signer-command and a private key"},
		"environment": {keyOptions{signer: os.Args[0]}, func(string) string { return "key" }, "a --signer-command and a private key"},
		"no program":  {keyOptions{signer: "/no/such/program --x"}, none, "--signer-command"},
		"neither":     {keyOptions{}, none, "no private key"},
		"settings":    {keyOptions{signer: os.Args[0], signerEnv: []string{"ODFIX_*"}}, none, "--signer-environment"},
		"everything":  {keyOptions{signer: os.Args[0], signerEnv: []string{"*"}}, none, "--signer-environment"},
		"no signer":   {keyOptions{keyFile: "key.pem", signerEnv: []string{"AWS_*"}}, none, "--signer-environment has no use"},
		"good":        {keyOptions{signer: os.Args[0] + " --x"}, none, ""},
	} {
		if err := c.o.complete(c.env); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttackSignersEnvironment: the signer command gets no secret of odfix's environment that is not
// meant for it.
func TestAttackSignersEnvironment(t *testing.T) {
	all := []string{"PATH=/bin", "https_proxy=http://proxy", "ODFIX_WEBHOOK_SECRET=s", "odfix_private_key=k", "PGPASSWORD=p",
		"AWS_PROFILE=a", "AWS_REGION=r", "VAULT_ADDR=v", "VAULT_ADDRESS=x", "GITHUB_TOKEN=t"}
	for _, c := range []struct{ also, want []string }{
		{nil, []string{"PATH=/bin", "https_proxy=http://proxy"}},
		{[]string{"AWS_*", "VAULT_ADDR"}, []string{"PATH=/bin", "https_proxy=http://proxy", "AWS_PROFILE=a", "AWS_REGION=r", "VAULT_ADDR=v"}},
		{[]string{"O*"}, []string{"PATH=/bin", "https_proxy=http://proxy"}},
	} {
		if got := signerEnvironment(all, c.also); !slices.Equal(got, c.want) {
			t.Errorf("with %v: %v", c.also, got)
		}
	}
	if signerEnvironment(nil, nil) == nil {
		t.Error("nil is the whole environment")
	}
}
