package isolate

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"
)

// encryptedHello is the TLS extension that hides the name of the server.
const encryptedHello = 0xfe0d

var errHello = errors.New("a tunnel has to begin with TLS for the host it was asked for")

// hello reads the first message of TLS and returns its bytes. Networks that deliver for many hosts
// choose one by the name in this message, so it must be the host that the Exit leads to.
func hello(r io.Reader, p destination) ([]byte, error) {
	var read bytes.Buffer
	err := errHello
	s := tls.Server(listener{Reader: io.TeeReader(r, &read)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name := strings.TrimSuffix(strings.ToLower(h.ServerName), ".")
			// Programs send no name for addresses, nor some of them for names without a dot.
			if (name == p.host || name == "" && p.named) && !slices.Contains(h.Extensions, encryptedHello) {
				err = nil
			}
			return nil, errHello // ends the handshake: the host has to answer
		},
	})
	_ = s.Handshake()
	return read.Bytes(), err
}

// listener is a connection that is only read.
type listener struct {
	net.Conn
	io.Reader
}

func (l listener) Read(b []byte) (int, error)     { return l.Reader.Read(b) }
func (listener) Write(b []byte) (int, error)      { return len(b), nil }
func (listener) Close() error                     { return nil }
func (listener) SetDeadline(time.Time) error      { return nil }
func (listener) SetReadDeadline(time.Time) error  { return nil }
func (listener) SetWriteDeadline(time.Time) error { return nil }
