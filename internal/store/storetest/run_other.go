//go:build !linux

package storetest

func (s *server) run() error {
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func() { s.end <- s.cmd.Wait() }()
	return nil
}
