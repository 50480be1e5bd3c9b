package io.odfix.harness.order;

import java.util.Set;

/**
 * Surefire's expressions {@code groups} and {@code excludedGroups} over class names of categories:
 * {@code !}, {@code &&}, {@code
 *
 * }, parentheses, and a comma for "or". Single {@code &} and {@code |} are allowed as in the
 * Platform. A name matches a category whose full name equals it or ends with it.
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
            while (peek() == '|' || peek() == ',') {
                skip(text.charAt(at));
                value |= both();
            }
            return value;
        }

        private boolean both() {
            boolean value = one();
            while (peek() == '&') {
                skip('&');
                value &= one();
            }
            return value;
        }

        private boolean one() {
            if (peek() == '!') {
                at++;
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

        private String name() {
            peek();
            int start = at;
            while (at < text.length() && "!&|,() \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            if (at == start) {
                throw wrong();
            }
            return text.substring(start, at);
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

        /** An operator, single or doubled. */
        private void skip(char operator) {
            at++;
            if (operator != ',' && at < text.length() && text.charAt(at) == operator) {
                at++;
            }
        }

        private IllegalArgumentException wrong() {
            return new IllegalArgumentException("the groups expression \"" + text + "\" cannot be read at character " + at);
        }
    }
}
