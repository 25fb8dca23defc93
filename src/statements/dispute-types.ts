export const disputeTypes = ['missing_deal', 'wrong_amount', 'wrong_credit', 'wrong_plan', 'other'] as const;
export type DisputeType = (typeof disputeTypes)[number];

/** The statuses in which a dispute waits for a decision. */
export const openStatuses = ['open', 'in_review'] as const;
