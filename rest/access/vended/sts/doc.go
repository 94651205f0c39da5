// Package sts makes credentials for others with AssumeRole, which AWS STS knows and the
// object stores that speak as it does (MinIO, Ceph).
package sts
