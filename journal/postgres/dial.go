package postgres

import (
	"context"
	"net"
	"strconv"
	"time"
)

// SilenceLimit is how long a connection lasts on which nobody answers. A machine that is
// lost, or a network that is cut, tells nobody; by themselves systems find out after a
// quarter of an hour, and servers that have nothing to say after two hours: until then
// they keep what a session holds, such as that its server runs.
const SilenceLimit = 30 * time.Second

// dial connects as a plain dialer, and has the system keep SilenceLimit.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Control: limitSilence}
	return d.DialContext(ctx, network, address)
}

// silence has a session's server keep SilenceLimit, where it is reached by TCP.
func (s settings) silence() {
	const probes = 3
	s["tcp_user_timeout"] = strconv.FormatInt(SilenceLimit.Milliseconds(), 10)
	s["tcp_keepalives_count"] = strconv.Itoa(probes)
	for _, name := range []string{"tcp_keepalives_idle", "tcp_keepalives_interval"} {
		s[name] = strconv.Itoa(int(SilenceLimit.Seconds()) / probes)
	}
}
