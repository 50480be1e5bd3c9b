package keys

import "crypto/tls"

// OpenCertificate reads a certificate with its chain from one file, and its key from another one. Both
// are read again when the first changes, until they belong together: two files are not replaced at
// the same moment.
func OpenCertificate(certificate, key string) (*File[*tls.Certificate], error) {
	return Open(certificate, func(text []byte) (*tls.Certificate, error) {
		secret, err := readBounded(key)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(text, secret)
		if err != nil {
			return nil, err
		}
		return &pair, nil
	})
}
