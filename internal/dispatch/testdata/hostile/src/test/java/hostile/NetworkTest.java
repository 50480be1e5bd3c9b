package hostile;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.util.Properties;
import org.junit.Test;

/** What a job with `network: true` gets, and one without does not. */
public class NetworkTest {

    /** Passes where the proxy leads to the one address that is allowed, and to no other. */
    @Test
    public void throughTheProxy() throws IOException {
        String proxy = System.getenv("http_proxy");
        assertNotNull("there is no proxy", proxy);
        Properties attack = new Properties();
        try (InputStream in = NetworkTest.class.getResourceAsStream("/attack.properties")) {
            attack.load(in);
        }
        assertEquals(200, status(proxy, "http://" + attack.getProperty("allowed") + "/"));
        assertEquals(403, status(proxy, "http://127.0.0.1:" + attack.getProperty("port") + "/"));
        assertEquals(403, status(proxy, "http://169.254.169.254/latest/meta-data/"));
    }

    private static int status(String proxy, String address) throws IOException {
        URI at = URI.create(proxy);
        HttpURLConnection c = (HttpURLConnection) new URL(address).openConnection(new Proxy(Proxy.Type.HTTP, new InetSocketAddress(at.getHost(), at.getPort())));
        c.setReadTimeout(20_000);
        return c.getResponseCode();
    }

    @Test(expected = ConnectException.class)
    public void withoutAProxy() throws IOException {
        assertNull(System.getenv("http_proxy"));
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress("127.0.0.1", 3128), 3000);
        }
    }
}
