package awsconfig_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"puddle/internal/awsconfig"
)

// misleading is an environment that knows everything better.
func misleading(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	text := "[profile other]\nregion = mars\nendpoint_url = http://profile.example\nuse_fips_endpoint = true\naws_access_key_id = of-the-file\naws_secret_access_key = s\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "http://env.example", "AWS_REGION": "venus", "AWS_USE_FIPS_ENDPOINT": "true", "AWS_USE_DUALSTACK_ENDPOINT": "true",
		"AWS_MAX_ATTEMPTS": "99", "AWS_CONFIG_FILE": file, "AWS_SHARED_CREDENTIALS_FILE": file + ".none", "AWS_PROFILE": "other",
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "",
	} {
		t.Setenv(name, value)
	}
}

// The environment says who asks where the configuration does not, and nothing else.
func TestCase145_OfTheConfigurationAlone(t *testing.T) {
	misleading(t)
	for who, key := range map[string]string{"configured": "configured", "of-the-file": ""} {
		c, err := awsconfig.Load(t.Context(), "earth", key, "s")
		if err != nil {
			t.Fatal(err)
		}
		if c.Region != "earth" || c.BaseEndpoint != nil || len(c.ConfigSources) > 0 || c.RetryMaxAttempts > 0 {
			t.Errorf("%+v", c)
		}
		if as, err := c.Credentials.Retrieve(t.Context()); err != nil || as.AccessKeyID != who {
			t.Errorf("as %q, %v", as.AccessKeyID, err)
		}
	}
}

// A profile that is not there is somebody else's business for who has a key.
func TestAProfileThatIsNotThere(t *testing.T) {
	misleading(t)
	t.Setenv("AWS_PROFILE", "none")
	if _, err := awsconfig.Load(t.Context(), "earth", "configured", "s"); err != nil {
		t.Error(err)
	}
	if _, err := awsconfig.Load(t.Context(), "earth", "", ""); err == nil || !strings.Contains(err.Error(), "credentials of the environment") {
		t.Errorf("got %v", err)
	}
}

// Authorities that cannot be read are told of, rather than those of the machine trusted.
func TestAuthorities(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + ".none"} {
		t.Setenv("AWS_CA_BUNDLE", file)
		if _, err := awsconfig.Load(t.Context(), "earth", "a", "s"); err == nil || !strings.Contains(err.Error(), "AWS_CA_BUNDLE") {
			t.Errorf("got %v", err)
		}
	}
	t.Setenv("AWS_CA_BUNDLE", "")
	c, err := awsconfig.Load(t.Context(), "earth", "a", "s")
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := c.HTTPClient.(interface{ GetTransport() *http.Transport }); !ok || got.GetTransport().Proxy == nil {
		t.Error("no proxies")
	}
}
