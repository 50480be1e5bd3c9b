package io.odfix.state;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.Socket;
import java.net.URL;
import java.util.Collection;
import java.util.Map;

/** What the JDK's URLs keep for the next one to use: in a new process there is none of it. */
final class KeptAlive {
    static final String TIMER = "Keep-Alive-Timer";
    private static final String CLIENT = "sun.net.www.http.HttpClient";

    private volatile boolean used;

    /** A class of the JDK is being loaded. */
    void loads(String internal) {
        used = used || internal.equals("sun/net/www/http/HttpClient");
    }

    /** Makes the handlers of those URLs that class paths and modules consist of, so that no initialiser seems to have done it. */
    static void meet() {
        for (String url : new String[] {"file:/", "jar:file:/none.jar!/", "jrt:/java.base"}) {
            try {
                new URL(url);
            } catch (MalformedURLException e) {
                continue; // a JDK without modules
            }
        }
    }

    /** Closes the connections to servers that nobody uses at present. The thread that would have closed them later has nothing left to do. */
    void close() {
        if (!used) {
            return;
        }
        try {
            Object cache = Slot.constant(CLIENT, "kac");
            if (cache instanceof Map) {
                Slot client = new Slot("sun.net.www.http.KeepAliveEntry", "hc");
                Slot socket = new Slot("sun.net.NetworkClient", "serverSocket");
                synchronized (cache) {
                    for (Object same : ((Map<?, ?>) cache).values()) {
                        for (Object one : (Collection<?>) same) {
                            close(socket.ref(client.ref(one)));
                        }
                    }
                    ((Map<?, ?>) cache).clear();
                }
            }
        } catch (NoSuchFieldException e) {
            return; // this JDK has it otherwise: they stay, and are found
        } catch (ClassCastException e) {
            return;
        }
    }

    private static void close(Object socket) {
        try {
            if (socket != null) {
                ((Socket) socket).close();
            }
        } catch (IOException e) {
            return; // the system says below whether it is open
        }
    }
}
