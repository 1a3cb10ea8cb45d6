/** The plan of every tenant without a subscription. It exists from the first start and cannot be archived. */
export const freePlanCode = 'free';
