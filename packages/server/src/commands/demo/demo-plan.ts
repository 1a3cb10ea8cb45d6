/** The plan that the demo sells. */
export const demoPlanCode = 'team';
