package journal

// ViewCreated is a view's birth.
type ViewCreated struct {
	Moves [1]Move `json:"moves"`
}

// ViewRegistered takes a metadata file that is there already: as a view's birth,
// or as the return of one that was dropped, whose history it continues.
type ViewRegistered struct {
	Moves [1]Move `json:"moves"`
}

// ViewReplaced moves a view's pointer.
type ViewReplaced struct {
	Moves [1]Move `json:"moves"`
}

// ViewRenamed changes a view's identifier and nothing else.
type ViewRenamed struct {
	Moves [1]Move `json:"moves"`
}

// ViewDropped ends a view.
type ViewDropped struct {
	Moves [1]Move `json:"moves"`
}

// Kind is KindViewCreated.
func (ViewCreated) Kind() Kind { return KindViewCreated }

// Kind is KindViewRegistered.
func (ViewRegistered) Kind() Kind { return KindViewRegistered }

// Kind is KindViewReplaced.
func (ViewReplaced) Kind() Kind { return KindViewReplaced }

// Kind is KindViewRenamed.
func (ViewRenamed) Kind() Kind { return KindViewRenamed }

// Kind is KindViewDropped.
func (ViewDropped) Kind() Kind { return KindViewDropped }

func (b ViewCreated) moves() []Move    { return b.Moves[:] }
func (b ViewRegistered) moves() []Move { return b.Moves[:] }
func (b ViewReplaced) moves() []Move   { return b.Moves[:] }
func (b ViewRenamed) moves() []Move    { return b.Moves[:] }
func (b ViewDropped) moves() []Move    { return b.Moves[:] }

func (b ViewCreated) check() error    { return b.Moves[0].check(View, birth) }
func (b ViewRegistered) check() error { return b.Moves[0].check(View, birth) }
func (b ViewReplaced) check() error   { return b.Moves[0].check(View, step) }
func (b ViewRenamed) check() error    { return b.Moves[0].check(View, step) }
func (b ViewDropped) check() error    { return b.Moves[0].check(View, death) }
