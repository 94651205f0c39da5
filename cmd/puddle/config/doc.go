// Package config reads puddle's configuration: one YAML file in, one complete
// [Config] out, or an [*Error] that lists everything wrong with the file by
// line and key.
//
// The file is read in three steps. It is parsed to a tree, in which duplicate
// keys are refused and variables of the environment replaced, in scalar values
// only; so no variable can change the shape of the file. The tree is decoded
// strictly: a key that is unknown is refused, and so is one whose feature this
// build does not have, unless it says what is the default anyway. Last come the
// rules between keys: who may listen beyond loopback, which roots may not nest.
//
// Without a file [Default] runs: everything below ./puddle-data.
package config
