/** The events that can be sent, in words. */
export const eventWords: Readonly<Record<string, string>> = {
  'commission.changed': 'Commission of a person changed',
  'statement.generated': 'A statement was generated',
  'statement.approved': 'A statement was approved',
  'statement.reopened': 'An approved statement was opened again',
  'statement.trued_up': 'A difference was paid in an approved period',
  'dispute.opened': 'A question was opened',
  'dispute.resolved': 'A question was decided',
  'discrepancy.opened': 'An approved statement differs from today',
  'discrepancy.resolved': 'A discrepancy was resolved',
  'plan.version_created': 'A plan has a new version',
  'plan.status_changed': 'A plan was activated or archived',
  'recalculation.completed': 'A recalculation completed',
  'recalculation.failed': 'A recalculation failed',
  'crm.sync_completed': 'A sync completed',
  'crm.connection_broken': 'A CRM rejects the credentials',
  'crm.connection_recovered': 'A CRM accepts the credentials again',
};
