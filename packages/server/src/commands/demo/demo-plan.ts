/** The code of the plan that can be bought in the demo. */
export const demoPlanCode = 'team';
