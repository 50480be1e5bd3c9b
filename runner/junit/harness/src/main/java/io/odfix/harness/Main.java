package io.odfix.harness;

import io.odfix.harness.wire.Command;
import io.odfix.harness.wire.ProcessEnd;
import io.odfix.harness.wire.Events;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/**
 * Entry point. The pipes are opened, and the thread that reads commands is started, before any
 * class of the project is loaded; tests run in the main thread, as they do in Surefire.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        String pipes = System.getProperty("odfix.pipes", "");
        int comma = pipes.indexOf(',');
        if (comma < 0) {
            System.err.println("odfix harness: -Dodfix.pipes=<commands>,<events> is missing; this program is started by odfix");
            System.exit(2);
        }
        FileInputStream in;
        Events events;
        try {
            in = new FileInputStream(pipes.substring(0, comma));
            events = new Events(new FileOutputStream(pipes.substring(comma + 1)));
        } catch (IOException e) {
            System.err.println("odfix harness: cannot open its pipes: " + e.getMessage());
            System.exit(2);
            return;
        }
        CommandReader commands = new CommandReader(in, events);
        Session session = new Session(events);
        Runtime.getRuntime().addShutdownHook(new ExitHook(session, events));
        commands.start();
        events.send(Hello.frame());
        serve(commands, session);
    }

    private static void serve(CommandReader commands, Session session) {
        while (true) {
            Command command = commands.take();
            if (command.type() == 'Q') {
                session.quitting();
                ProcessEnd.orderly(0);
            }
            session.handle(command);
        }
    }
}
