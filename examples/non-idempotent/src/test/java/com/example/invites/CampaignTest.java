package com.example.invites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CampaignTest {

    @Test
    void aNewCampaignHasNoCodesUsed() {
        Invitations.startNewCampaign();

        assertEquals(0, Invitations.redeemed());
    }
}
