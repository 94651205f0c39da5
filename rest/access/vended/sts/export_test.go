package sts

// BaseEndpoint is where it asks; nil: where AWS is.
func (s *Service) BaseEndpoint() *string { return s.client.Options().BaseEndpoint }
