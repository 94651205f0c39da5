package s3_test

import (
	"testing"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
	"puddle/internal/warehouse/warehousetest"
)

func TestStore(t *testing.T) {
	server := s3test.Start(t)
	warehousetest.Run(t, func(t *testing.T) warehouse.Store {
		service, err := s3.New(t.Context(), s3.Options{
			Region: s3test.Region, Endpoint: server.Endpoint, PathStyle: true, AccessKeyID: server.AccessKeyID, SecretAccessKey: server.SecretAccessKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		at, err := warehouse.ParseLocation("s3://" + server.Bucket(t) + "/wh")
		if err != nil {
			t.Fatal(err)
		}
		return service.Store(at)
	})
}
