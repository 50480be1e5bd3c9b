package com.example.cli;

/** The program's front door. */
public final class CommandLine {

    static boolean verbose;

    private CommandLine() {
    }

    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            System.err.println("say what to do");
            System.exit(2);
        }
        System.out.println(answer(arguments));
    }

    static String answer(String... arguments) {
        for (String argument : arguments) {
            if (argument.equals("-v")) {
                verbose = true;
            }
        }
        return verbose ? "done, in 3 steps" : "done";
    }

    static void beQuiet() {
        verbose = false;
    }
}
