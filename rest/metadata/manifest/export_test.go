package manifest

// EntriesWithin is Entries with another limit than MaxInflatedBytes.
var EntriesWithin = entries
