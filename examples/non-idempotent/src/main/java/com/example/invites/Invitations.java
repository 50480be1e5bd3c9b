package com.example.invites;

import java.util.HashSet;
import java.util.Set;

/** Invitation codes; each is good for one person. */
public final class Invitations {

    private static final Set<String> USED = new HashSet<>();

    private Invitations() {
    }

    /** True the first time a code is shown. */
    public static boolean redeem(String code) {
        return USED.add(code);
    }

    public static int redeemed() {
        return USED.size();
    }

    public static void startNewCampaign() {
        USED.clear();
    }
}
