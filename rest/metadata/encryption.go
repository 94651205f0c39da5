package metadata

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// encryptionKey is what is read of one key that other keys or manifest lists are
// encrypted with. Its text is kept as it is (case 18).
type encryptionKey struct{ id string }

var encryptionKeyWords = vocabulary{what: "encryption key", required: []string{"key-id", "encrypted-key-metadata"},
	optional: []string{"encrypted-by-id", "properties"}}

func readEncryptionKey(r *reader) (encryptionKey, error) {
	var key encryptionKey
	err := r.object(encryptionKeyWords, func(name string) error {
		switch name {
		case "key-id":
			return r.text(&key.id)
		case "encrypted-key-metadata":
			return r.base64()
		case "encrypted-by-id":
			return orNull(r, r.text, new(string))
		default:
			return r.texts(func([]byte) {})
		}
	})
	return key, err
}

// base64 checks a string in the usual alphabet, padded or not.
func (r *reader) base64() error {
	var text string
	if err := r.text(&text); err != nil {
		return err
	}
	_, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		_, err = base64.RawStdEncoding.DecodeString(text)
	}
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return errors.New("must be base64")
	}
	return nil
}

type addEncryptionKey struct {
	raw jsontext.Value
	key encryptionKey
}

func (addEncryptionKey) Action() string { return "add-encryption-key" }

func (r *reader) addEncryptionKey() (Update, error) {
	raw, err := r.part(updateWords("add-encryption-key", "encryption-key"), "encryption-key")
	if err != nil {
		return nil, err
	}
	key, err := readEncryptionKey(newReader(raw))
	return addEncryptionKey{raw, key}, err
}

// apply adds a key unless one of its id is there.
func (u addEncryptionKey) apply(b *builder) error {
	if b.formatVersion < 3 {
		return invalidf("Cannot add an encryption key: it needs format version 3, the table has %d", b.formatVersion)
	}
	if _, there := b.keys.find(func(key encryptionKey) bool { return key == u.key }); !there {
		b.keys.append(u.key, rope{u.raw})
		b.changed = true
	}
	return nil
}

type removeEncryptionKey struct{ key encryptionKey }

func (removeEncryptionKey) Action() string { return "remove-encryption-key" }

func (r *reader) removeEncryptionKey() (Update, error) {
	id, err := r.word("remove-encryption-key", "key-id")
	return removeEncryptionKey{encryptionKey{id}}, err
}

func (u removeEncryptionKey) apply(b *builder) error {
	if b.keys.remove(func(key encryptionKey) bool { return key == u.key }) {
		b.changed = true
	}
	return nil
}
