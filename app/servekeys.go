package main

import (
	"cmp"
	"crypto/rsa"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/redact"
)

// keyOptions are the flags of `odfix serve` about the App's private key.
type keyOptions struct {
	keyFile, signer string
	signerEnv       []string // names of variables for the signer

	key  *keys.File[*rsa.PrivateKey] // nil: the key is not in this process
	sign keys.Signer
}

func (o *keyOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.keyFile, "private-key-file", "", "`file` with the App's private key, instead of ODFIX_PRIVATE_KEY; "+
		"it is read again when it changes")
	f.StringVar(&o.signer, "signer-command", "", "`command` that signs instead of a key, for a key management service (see docs/operations.md)")
	f.StringSliceVar(&o.signerEnv, "signer-environment", nil, "`names` of environment variables that this command gets besides PATH, HOME "+
		"and the like, separated by commas; AWS_* stands for all that begin so")
}

// complete reads the key, or finds the program that signs.
func (o *keyOptions) complete(getenv func(string) string) error {
	const variable = "ODFIX_PRIVATE_KEY"
	words, text := strings.Fields(o.signer), getenv(variable)
	switch {
	case len(words) > 0 && (o.keyFile != "" || text != ""):
		return usage("Remove the key: it shall not be in this process.", "there are a --signer-command and a private key")
	case len(words) > 0:
		if _, err := exec.LookPath(words[0]); err != nil {
			return usage("Name a program that can be started.", "--signer-command: %v", err)
		}
		for _, name := range o.signerEnv {
			if !signerVariable.MatchString(name) || strings.HasPrefix(strings.ToUpper(name), "ODFIX_") {
				return usage("Name variables of the program that signs, such as AWS_PROFILE or AWS_*.", "--signer-environment has %q", name)
			}
		}
		o.sign = keys.Command(words, signerEnvironment(os.Environ(), o.signerEnv))
		return nil
	case len(o.signerEnv) > 0:
		return usage("Name the program with --signer-command.", "--signer-environment has no use without a program that signs")
	case o.keyFile == "" && text == "":
		return usage("Set "+variable+" to the .pem file's text, or name the file with --private-key-file, or a program that signs with --signer-command.",
			"there is no private key of the App")
	case o.keyFile == "":
		key, err := keys.ParseKey([]byte(text))
		if err != nil {
			return usage("It is the text of the .pem file.", "%s: %v", variable, err)
		}
		o.key = keys.Fixed(key)
	default:
		var err error
		if o.key, err = keys.Open(o.keyFile, keys.ParseKey); err != nil {
			return usage("Name the .pem file.", "--private-key-file: %v", err)
		}
	}
	o.sign = keys.Of(o.key)
	return nil
}

// ofSigner are the variables that programs commonly need to start and to reach a service. Others, such
// as those with credentials of a cloud, get to the signer command only if the operator names them.
var ofSigner = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TMP", "TEMP", "XDG_CONFIG_HOME",
	"XDG_CACHE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SYSTEMROOT", "PATHEXT", "USERPROFILE",
	"APPDATA"}

// signerEnvironment is the environment of the signer command. Names in also that end in * stand for
// all that begin so.
func signerEnvironment(all, also []string) []string {
	out := []string{} // nil would mean the whole environment
	for _, v := range all {
		name, _, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		named := func(n string) bool {
			begin, several := strings.CutSuffix(strings.ToUpper(n), "*")
			return name == begin || several && strings.HasPrefix(name, begin)
		}
		if !strings.HasPrefix(name, "ODFIX_") && (slices.Contains(ofSigner, name) || slices.ContainsFunc(also, named)) {
			out = append(out, v)
		}
	}
	return out
}

// signerVariable matches what --signer-environment may name.
var signerVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// webhookSecrets are those of a file, or of the environment.
func webhookSecrets(file string, getenv func(string) string) (*keys.File[[]string], error) {
	const variable = "ODFIX_WEBHOOK_SECRET"
	var f *keys.File[[]string]
	var err error
	if file != "" {
		if f, err = keys.Open(file, secretLines); errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil, usage("Name a file that can be read.", "--webhook-secret-file: %v", err)
		}
	} else {
		var list []string
		list, err = secretLines([]byte(getenv(variable)))
		f = keys.Fixed(list)
	}
	if err != nil {
		return nil, usage("Set "+variable+" to the one in the App's settings, or name a file with --webhook-secret-file.",
			"there is no webhook secret in %s", cmp.Or(file, variable))
	}
	return f, nil
}

// secretLines are the secrets of a text, one a line.
func secretLines(text []byte) ([]string, error) {
	list := linesOf(string(text))
	for _, s := range list {
		if strings.TrimSpace(s) == "" {
			return nil, errors.New("a line has only spaces")
		}
	}
	if len(list) == 0 {
		return nil, errors.New("it holds no secret")
	}
	return list, nil
}

// workOptions are the flags of `odfix serve` about workers.
type workOptions struct {
	listen    string
	local     bool
	tokenFile string
	tokens    *keys.File[[]string] // credentials of workers; nil: none come

	certFile, keyFile string
	plain             bool                         // plain HTTP where other machines reach it
	certificate       *keys.File[*tls.Certificate] // nil: plain HTTP
}

// shortestToken is the length of a credential of workers that cannot be guessed.
const shortestToken = 20

// complete checks the flags about workers.
func (o *workOptions) complete(getenv func(string) string) error {
	switch {
	case o.listen == "" && !o.local:
		return usage("Give --work-listen, to which workers come.", "with --local-worker=false there is no worker")
	case o.listen == "" && (o.certFile != "" || o.keyFile != ""):
		return usage("Give --work-listen, to which workers come.", "a certificate for workers has no use without an address")
	case o.listen == "":
		return nil
	}
	if err := o.completeTLS(); err != nil {
		return err
	}
	var err error
	if o.tokenFile != "" {
		if o.tokens, err = keys.Open(o.tokenFile, tokenLines); err != nil {
			err = fmt.Errorf("--worker-token-file: %w", err)
		}
	} else {
		var list []string
		list, err = tokenLines([]byte(getenv(workerToken)))
		o.tokens = keys.Fixed(list)
	}
	switch {
	case errors.Is(err, errNoToken):
		return usage("Set "+workerToken+", or name a file with --worker-token-file.", "there is no credential for the workers of --work-listen")
	case errors.Is(err, errShortToken):
		return usage("Take a random one, such as that of `openssl rand -hex 32`.", "%v", err)
	case err != nil:
		return usage("Name a file that can be read.", "%v", err)
	}
	return nil
}

// completeTLS reads the certificate. Without one, only this machine can reach the workers' address,
// unless the operator says that somebody else encrypts.
func (o *workOptions) completeTLS() (err error) {
	switch {
	case (o.certFile == "") != (o.keyFile == ""):
		return usage("Give both.", "--work-tls-cert and --work-tls-key belong together")
	case o.certFile != "" && o.plain:
		return usage("Give the certificate, or --work-plain-http.", "--work-plain-http contradicts --work-tls-cert")
	case o.certFile != "":
		if o.certificate, err = keys.OpenCertificate(o.certFile, o.keyFile); err != nil {
			return usage("Name a certificate and its key, both in PEM.", "--work-tls-cert %s, --work-tls-key %s: %v", o.certFile, o.keyFile, err)
		}
	case !o.plain && !loopback(o.listen):
		return usage("Give --work-tls-cert and --work-tls-key; or --work-plain-http, if a proxy before it ends TLS, or the network encrypts.",
			"--work-listen is %s: workers on other machines would send their credential, and get sources, without TLS", o.listen)
	}
	return nil
}

// loopback reports whether only this machine reaches an address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false // net.Listen says what is wrong
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var (
	errNoToken    = errors.New("there is no credential")
	errShortToken = fmt.Errorf("a credential of workers has fewer than %d characters, so it can be guessed", shortestToken)
)

// tokenLines are the credentials of a text, one a line.
func tokenLines(text []byte) ([]string, error) {
	list := linesOf(string(text))
	for _, t := range list {
		if len(t) < shortestToken {
			return nil, errShortToken
		}
	}
	if len(list) == 0 {
		return nil, errNoToken
	}
	return list, nil
}

// watchSecrets logs and measures changes of the files with secrets, and keeps the secrets out of
// the log.
func (s *server) watchSecrets(hide *redact.Redactor) {
	all := func(list []string) []string { return list }
	watchSecret(s, hide, "webhook-secret", s.o.secrets, all)
	watchSecret(s, hide, "worker-token", s.o.work.tokens, all)
	watchSecret(s, hide, "work-tls", s.o.work.certificate, func(*tls.Certificate) []string { return nil })
	watchSecret(s, hide, "private-key", s.o.app.key, func(*rsa.PrivateKey) []string { return nil }) // known by its form
}

func watchSecret[T any](s *server, hide *redact.Redactor, what string, f *keys.File[T], secrets func(T) []string) {
	if f == nil {
		return
	}
	hide.Learn(secrets(f.Get())...)
	log := s.log.With(zap.String("secret", what))
	f.Notify(func(now T, err error) {
		hide.Learn(secrets(now)...)
		if err != nil {
			log.Error("the file of a secret cannot be used; what it had before counts", zap.Error(err))
			return
		}
		log.Info("the file of a secret has changed, and counts")
	})
	s.metrics.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "odfix_secret_usable",
		Help: "0: the file of a secret cannot be used; what it had before counts.", ConstLabels: prometheus.Labels{"secret": what}},
		func() float64 {
			if f.Err() != nil {
				return 0
			}
			return 1
		}))
}
