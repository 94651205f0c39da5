package main

import (
	"context"
	"fmt"

	"puddle/cmd/puddle/config"
	"puddle/rest"
	"puddle/rest/access/vended"
	"puddle/rest/access/vended/sts"
)

// objects is the object store of some places as clients are told of it: its address, and
// who makes credentials for tables there. Nothing where there is none. Keys of the
// configuration are never among it. name is whose places they are.
func (n *node) objects(ctx context.Context, name string, s config.S3, places ...config.Place) (o rest.ObjectStore, err error) {
	for _, place := range places {
		if !place.IsFolder() {
			o.Config = addresses(s.Service)
		}
	}
	if o.Config == nil || !s.Vended.Enabled {
		return o, nil
	}
	if o.Vendor, err = newVendor(ctx, n.metrics, name, s); err != nil {
		return o, fmt.Errorf("%s: vended-credentials: %w", name, err)
	}
	o.Vendor.Now = n.steady.now
	count := o.Vendor.Asked
	o.Vendor.Asked = func(came vended.Outcome) {
		if count(came); came == vended.Issued {
			n.trouble(subject{name, vendedThing}, "")
		}
	}
	return o, nil
}

// addresses are what clients call the address of an object store. What is as they take it
// without being told is left out.
func addresses(s config.Service) map[string]string {
	told := map[string]string{"s3.region": s.Region, "client.region": s.Region}
	if s.Endpoint != "" {
		told["s3.endpoint"] = s.Endpoint
	}
	if s.PathStyle {
		told["s3.path-style-access"] = "true"
	}
	return told
}

// newVendor makes credentials by STS, which it asks nothing of yet.
func newVendor(ctx context.Context, metrics *rest.Metrics, name string, s config.S3) (*vended.Vendor, error) {
	endpoint, region := s.STS()
	issuer, err := sts.New(ctx, sts.Options{
		Region: region, Endpoint: endpoint, AccessKeyID: s.Service.AccessKeyID, SecretAccessKey: s.Service.SecretAccessKey,
		RoleARN: s.Vended.RoleARN, ExternalID: s.Vended.ExternalID, Life: s.Vended.Duration,
	})
	if err != nil {
		return nil, err
	}
	o := vended.Options{Issuer: issuer, Partition: vended.Partition(s.Vended.RoleARN), Life: s.Vended.Duration}
	o.Asked, o.Took = metrics.Vending(name)
	if o.Read, err = policy(s.Vended.ReadTemplate); err != nil {
		return nil, err
	}
	if o.Write, err = policy(s.Vended.WriteTemplate); err != nil {
		return nil, err
	}
	return vended.New(o), nil
}

// policy is that of a template; nil without one.
func policy(template string) (*vended.Policy, error) {
	if template == "" {
		return nil, nil
	}
	return vended.ParsePolicy(template)
}

// tellClients completes the warehouses that are served with their object stores.
func (n *node) tellClients(ctx context.Context, served []rest.Warehouse) error {
	externals := map[string]rest.ObjectStore{}
	for _, e := range n.config.Externals {
		o, err := n.objects(ctx, e.Name, e.S3, e.Root)
		if err != nil {
			return err
		}
		externals[e.Name] = o
	}
	for i, w := range n.warehouses {
		o, err := n.objects(ctx, w.Name, w.S3, w.Places()...)
		if err != nil {
			return err
		}
		served[i].Objects, served[i].Externals = o, externals
	}
	return nil
}
