/** How long the link of an invitation works. */
export const invitationLifetimeDays = 7;
