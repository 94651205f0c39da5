// Package dir is a warehouse store in a folder of a file system.
//
// A key is the path of a file below the root folder. Engines read and write
// the same folder, so there is nothing but their files and ours in it.
//
// How a write becomes durable (case 156), in this order: each missing folder
// is made and the folder that holds it synced; the bytes go to a temporary
// name in the final folder and are synced; the final name is set in one step
// (a hard link for Create, which fails when the name is taken; a rename for
// Put); the final folder is synced. A crash before the last step leaves the
// old state or the new one, and perhaps a file whose name begins with
// [warehouse.TempPrefix], which no list shows and which may be deleted when no
// server runs. In the usual case, all folders known, a write costs one sync of
// a file and one of a folder. The kernel's copy of a large file is let go then:
// versions of metadata are seldom read, and their pages are better used again.
//
// On file systems that are known to be ordered (see orderedSystems) a sync also
// makes durable what was done to names before it. There a missing folder has no
// sync of its own, and Stage, the write of every commit, has only one: the file
// is made under its final name, written, synced. What a crash in between leaves
// is a file with a part of the bytes. It harms nobody: no event names the file
// before Stage returned, a name is never used twice, what reads a metadata file
// holds it against its digest, and verify lists files that nobody names.
//
// Nothing outside of the root is reached: every step goes through [os.Root], or
// the kernel is told to stay below the root (openat2), which is quicker. Symbolic
// links below the root are not followed even inside of it, since a link would make
// one file two keys (cases 135 and 138). The root itself may be a link. What the
// kernel refuses is looked at step by step, to say why.
//
// Limits: the file system must support hard links, and names of 255 bytes
// are its limit where it has one; a longer segment is ErrInvalidKey.
package dir
