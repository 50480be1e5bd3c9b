package io.odfix.harness.order;

import java.util.Set;

/**
 * Surefire's expressions {@code groups} and {@code excludedGroups} over class names of categories:
 * "!" or "NOT", "&&" or "AND", "||", "OR" or a comma, and parentheses. Single "&" and "|" are allowed
 * as in the Platform. A name matches a category whose full name equals it or ends with it.
 */
public final class Groups {
    private final String included;
    private final String excluded;

    public Groups(String included, String excluded) {
        this.included = included == null ? "" : included.trim();
        this.excluded = excluded == null ? "" : excluded.trim();
        admits(java.util.Collections.<String>emptySet()); // finds an invalid expression here and not at the first test
    }

    /** The choice that the build configures, or null if there is none. */
    public static Groups configured() {
        String included = System.getProperty("odfix.groups");
        String excluded = System.getProperty("odfix.excludedGroups");
        return included == null && excluded == null ? null : new Groups(included, excluded);
    }

    /** @throws IllegalArgumentException if an expression cannot be read */
    public boolean admits(Set<String> categories) {
        boolean in = included.isEmpty() || new Reading(included, categories).whole();
        boolean out = !excluded.isEmpty() && new Reading(excluded, categories).whole();
        return in && !out;
    }

    /** Recursive descent: or, and, not. */
    private static final class Reading {
        private final String text;
        private final Set<String> categories;
        private int at;

        Reading(String text, Set<String> categories) {
            this.text = text;
            this.categories = categories;
        }

        boolean whole() {
            boolean value = either();
            if (peek() != 0) {
                throw wrong();
            }
            return value;
        }

        private boolean either() {
            boolean value = both();
            while (operator('|')) {
                value |= both();
            }
            return value;
        }

        private boolean both() {
            boolean value = one();
            while (operator('&')) {
                value &= one();
            }
            return value;
        }

        private boolean one() {
            if (operator('!')) {
                return !one();
            }
            if (peek() != '(') {
                return matches(name());
            }
            at++;
            boolean value = either();
            if (peek() != ')') {
                throw wrong();
            }
            at++;
            return value;
        }

        /** Skips the operator, which may be a word, if it is next. */
        private boolean operator(char wanted) {
            if (peek() == wanted || peek() == ',' && wanted == '|') {
                at++;
                if (wanted != '!' && at < text.length() && text.charAt(at) == wanted && text.charAt(at - 1) == wanted) {
                    at++;
                }
                return true;
            }
            String word = word();
            boolean is = wanted == '!' ? word.equals("NOT") : word.equalsIgnoreCase(wanted == '&' ? "AND" : "OR");
            at += is ? word.length() : 0;
            return is;
        }

        /** The next word, which is not skipped. */
        private String word() {
            peek();
            int end = at;
            while (end < text.length() && "!&|,() \t\r\n".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            return text.substring(at, end);
        }

        private String name() {
            String name = word();
            if (name.isEmpty()) {
                throw wrong();
            }
            at += name.length();
            return name;
        }

        private boolean matches(String name) {
            for (String category : categories) {
                if (category.equals(name) || category.endsWith("." + name) || category.endsWith("$" + name)) {
                    return true;
                }
            }
            return false;
        }

        /** The next character that is not white space, or 0. */
        private char peek() {
            while (at < text.length() && text.charAt(at) <= ' ') {
                at++;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        private IllegalArgumentException wrong() {
            return new IllegalArgumentException("the groups expression \"" + text + "\" cannot be read at character " + at);
        }
    }
}
