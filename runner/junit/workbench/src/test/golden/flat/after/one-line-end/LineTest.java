import org.junit.Test;
public class LineTest { @Test public void only() {
    System.getProperty("a");
    app.Registry.getInstance().reset();
} }
