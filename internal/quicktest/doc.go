// Package quicktest makes the tests of a package quick for whoever changes something, and
// leaves them whole where everything is required (PUDDLE_TEST_REQUIRE is "all").
//
// A package's TestMain runs its tests with [Tests]. Laws (pgregory.net/rapid) are then
// checked a quarter as often as elsewhere. Up to six tests run beside each other, since many
// wait for a server or for a process. Temporary folders are in memory where there is
// room: the disk is most of what many tests wait for, and none of what they assert, as a
// process that is killed leaves the same files in memory as on a disk. Where everything is
// required they are on the file systems that catalogs live on.
package quicktest
