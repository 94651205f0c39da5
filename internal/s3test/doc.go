// Package s3test starts object stores for tests.
package s3test
