package s3

// Passing tells whether what failed in an object store may succeed a moment later: it is
// away, overloaded, or was cut off. It does not of what it refuses, nor of errors of others.
func Passing(err error) bool { return err != nil && passing(err) }
