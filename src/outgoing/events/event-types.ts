/** The types of outgoing events, with what has happened. */
export const eventTypes = {
  'commission.changed': 'A calculation or a person changed amounts of a rep; one event for each rep and run',
  'statement.generated': 'A new version of a statement was generated',
  'statement.approved': 'A statement was approved',
  'statement.reopened': 'An approved statement became a draft again',
  'statement.signed': 'A step of the chain of approval of a statement was signed',
  'approval.due': 'A step of the chain of approval of a statement is overdue; once a day',
  'statement.trued_up': 'The difference to an approved statement was paid',
  'adjustment.proposed': 'An adjustment above a limit waits for another person',
  'adjustment.decided': 'An adjustment above a limit was approved or rejected',
  'dispute.opened': 'A dispute was opened',
  'dispute.resolved': 'A dispute was accepted, rejected or withdrawn',
  'discrepancy.opened': 'An approved statement differs from what would be paid now',
  'discrepancy.resolved': 'A discrepancy was resolved',
  'payable.released': 'A payment of a customer changed what is released of the commission on a deal',
  'payable.held': 'A hold stops what would be paid to a rep',
  'payout.paid': 'A payout batch was marked as paid; one event for each rep and currency',
  'accounting.month_prepared': 'Someone has found the books of a month right',
  'accounting.month_closed': 'The books of a month were closed',
  'accounting.month_reopened': 'The books of a month were reopened',
  'accounting.reopening_requested': 'Someone requests to reopen the books of a month, which another person does',
  'accounting.correction_found':
    'Changes of closed months stand in the first open month of the books: once a day, if their sums have changed',
  'accounting.entity_changed': 'A company whose books are kept was added or changed',
  'accounting.rep_entities_changed': 'A person belongs to other companies in the books, or on other days',
  'accounting.estimates_changed': 'The estimates of a month were replaced',
  'accounting.policy_proposed': 'A version of a policy of capitalised cost was proposed',
  'accounting.policy_approved': 'A version of a policy of capitalised cost was approved',
  'accounting.write_off_proposed': 'The write-off of a debt was proposed',
  'accounting.write_off_approved': 'The write-off of a debt was approved',
  'plan.version_created': 'A plan was created or changed, which created a version',
  'plan.acceptance_requested': 'A plan waits for the acceptance of a person',
  'plan.accepted': 'A person has accepted a plan',
  'plan.declined': 'A person has declined a plan',
  'plan.status_changed': 'The status of a plan or of a version changed',
  'rate_table.changed': 'A rate table was created, changed or deleted',
  'recalculation.completed': 'A recalculation completed',
  'recalculation.failed': 'A recalculation failed for at least one rep',
  'crm.sync_completed': 'A sync with a CRM completed',
  'crm.connection_broken': 'A CRM rejected the stored credentials, so that it must be connected again',
  'crm.connection_recovered':
    'A CRM that had rejected the stored credentials accepts them again, or was connected again',
} as const;

type Registered = typeof eventTypes;

declare module '../../platform/outbound/outgoing-event.js' {
  interface EventTypes extends Registered {}
}
