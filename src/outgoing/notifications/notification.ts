/** The mails that a person can turn off, with when they are sent. */
export const notificationKinds = {
  statement_ready: 'The first version of your statement for a period was generated',
  statement_approved: 'Your statement was approved',
  approval_due: 'A statement waits for your signature longer than it should; once a day',
  plan_acceptance: 'A plan waits for your acceptance; for admins: a person declined one',
  dispute_answered: 'A dispute about your statement, or that you opened, was accepted or rejected',
  question_asked:
    'A dispute about the statement of someone whom you manage waits for you (managers; admins where no manager may decide)',
  books_waiting:
    'A month of the books, a policy, a write-off, or a request to reopen a month waits for another admin (admins)',
  connection_broken:
    'The connection to a CRM broke or works again, a sync was given up, or a webhook endpoint was disabled (admins)',
  import_problem: 'A scheduled import rejected rows, waits for a confirmation, or cannot read its source (admins)',
  pay_digest:
    'Every Monday, if an admin has turned it on: what you earn, what has changed since the last one and why, your next tier, and what is coming',
  weekly_digest: 'Every Monday: what your team earned, and what needs attention (managers and admins)',
} as const;
export type NotificationKind = keyof typeof notificationKinds;
