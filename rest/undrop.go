package rest

import (
	"net/http"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/rest/catalog"
)

// undroppedBody is what came back, or with dry-run would. Others are objects of the
// same name that could come back by their uuids, the last dropped first.
type undroppedBody struct {
	Warehouse        string             `json:"warehouse"`
	Kind             journal.ObjectKind `json:"kind"`
	UUID             uuid.UUID          `json:"uuid"`
	Identifier       journal.Identifier `json:"identifier"`
	Location         string             `json:"location"`
	MetadataLocation string             `json:"metadata-location"`
	DroppedAs        journal.Identifier `json:"dropped-as"`
	DroppedAt        stamp              `json:"dropped-at"`
	PurgeCancelled   bool               `json:"purge-cancelled"`
	Others           []droppedBody      `json:"others"`
	DryRun           bool               `json:"dry-run"`
}

type droppedBody struct {
	Kind             journal.ObjectKind `json:"kind"`
	UUID             uuid.UUID          `json:"uuid"`
	MetadataLocation string             `json:"metadata-location"`
	DroppedAt        stamp              `json:"dropped-at"`
}

// undrop brings a dropped table or view back. The body has the command's flags
// (interface §2).
func undrop(c *call) (reply, error) {
	var u catalog.Undrop
	o, err := readFlags(c.data, "table", "as", "dry-run")
	if err == nil {
		u.Identifier, u.UUID, err = o.objectOf("table")
	}
	if err == nil && o.raw("as") != nil {
		u.As, err = o.identifierText("as")
	}
	if err == nil {
		u.DryRun, err = o.boolean("dry-run")
	}
	if err != nil {
		return reply{}, err
	}
	back, err := c.warehouse.Catalog.Undrop(c.ctx, c.cause(), u)
	if err != nil {
		return reply{}, err
	}
	body := undroppedBody{
		Warehouse: c.warehouse.Name, Kind: back.Kind, UUID: back.UUID, Identifier: back.As, Location: back.Location,
		MetadataLocation: back.Pointer.MetadataLocation, DroppedAs: back.Identifier, DroppedAt: stamp(back.At),
		PurgeCancelled: back.Purge, DryRun: u.DryRun,
	}
	for _, other := range back.Others {
		body.Others = append(body.Others, droppedBody{other.Kind, other.UUID, other.Pointer.MetadataLocation, stamp(other.At)})
	}
	return document(http.StatusOK, body)
}
