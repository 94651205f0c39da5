package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"puddle/internal/postgrestest"
	"puddle/journal/postgres"
)

// TestSilence: both ends of a connection by TCP find out in half a minute that the other one
// is gone without a word.
func TestSilence(t *testing.T) {
	address := fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(250), rand.IntN(250), 1+rand.IntN(250))
	server := postgrestest.New(t, "listen_addresses="+address)
	socket, err := pgx.ParseConfig(server.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", socket.User, address, socket.Database))
	want := "30000 10 10 3"
	err = db.Read(t.Context(), func(conn *pgx.Conn) error {
		var got [4]string
		for i, name := range []string{"tcp_user_timeout", "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"} {
			if err := conn.QueryRow(t.Context(), `SELECT current_setting($1)`, name).Scan(&got[i]); err != nil {
				return err
			}
		}
		if got := strings.Join(got[:], " "); got != want {
			t.Errorf("the server has %s, want %s", got, want)
		}
		tcp, ok := conn.PgConn().Conn().(*net.TCPConn)
		if !ok {
			return fmt.Errorf("it is a %T", conn.PgConn().Conn())
		}
		raw, err := tcp.SyscallConn()
		if err != nil {
			return err
		}
		return raw.Control(func(fd uintptr) {
			ms, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
			if err != nil || int64(ms) != postgres.SilenceLimit.Milliseconds() {
				t.Errorf("the client has %d ms, %v", ms, err)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
