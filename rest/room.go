package rest

// Room is what the files of the catalog take, and what is left for them.
type Room struct {
	Files []FileRoom
	Disks []DiskRoom
}

// FileRoom is one file, in bytes. Its name is one of few, all known beforehand.
type FileRoom struct {
	Name  string // journal, tables, tables-log, database
	Bytes int64
	Free  int64 // of these, what holds nothing and will be used first
}

// DiskRoom is the disk below one place, in bytes. Its name is one of few, all
// known beforehand.
type DiskRoom struct {
	Name  string // data-dir, journal, tables, or a warehouse as warehouse:NAME
	Free  int64  // for this user
	Least int64  // below it is low
	Err   error  // why nobody knows; nil: free is known
}

// low tells whether there is less than there should be.
func (d DiskRoom) low() bool { return d.Err == nil && d.Free < d.Least }

// roomStatus is Room as scripts read it.
type roomStatus struct {
	Files []fileStatus `json:"files"`
	Disks []diskStatus `json:"disks"`
}

type fileStatus struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Free  int64  `json:"free"`
}

type diskStatus struct {
	Name  string `json:"name"`
	Free  int64  `json:"free"`
	Least int64  `json:"least"`
	Low   bool   `json:"low"`
	Error string `json:"error,omitempty"`
}

// room fills in what there is, and what somebody should look at.
func (b *statusBody) room(r Room) {
	b.Room = roomStatus{Files: []fileStatus{}, Disks: []diskStatus{}}
	for _, f := range r.Files {
		b.Room.Files = append(b.Room.Files, fileStatus(f))
	}
	for _, d := range r.Disks {
		shown := diskStatus{Name: d.Name, Free: d.Free, Least: d.Least, Low: d.low()}
		if d.Err != nil {
			shown.Error = d.Err.Error()
			b.warn("", "how much room there is for "+d.Name+" is not known: "+shown.Error)
		}
		if shown.Low {
			b.critical("", "the disk of "+d.Name+" is nearly full: "+plural(d.Free, "byte", "bytes")+" free")
		}
		b.Room.Disks = append(b.Room.Disks, shown)
	}
}
