import { type ChangeRequest } from '../../api/queries.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';

export const statusWords: Readonly<Record<ChangeRequest['status'], string>> = {
  pending: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  rejected: 'Rejected',
  expired: 'Expired',
  ended: 'Ended',
};

export const endWords: Readonly<Record<NonNullable<ChangeRequest['endedBecause']>, string>> = {
  agent_disconnected: 'Ended because the agent was disconnected.',
  key_invalid: 'Ended because the key of the agent was revoked, was rotated or has expired.',
  person_deactivated: 'Ended because the person for whom the agent acts was deactivated.',
  role_changed: 'Ended because the person for whom the agent acts has another role.',
};

/** Why the last approval did not run, and what its approver had read. */
export function outdatedWords({ at, changed, before }: NonNullable<ChangeRequest['outdated']>): string {
  const reason = changed.includes('subject')
    ? 'what it changes had been changed since it was shown'
    : 'commission had changed since it was shown';
  const earlier =
    before === null || !changed.includes('commission')
      ? ''
      : ` It was shown as moving ${formatMoney(before.delta, before.currency, { signed: true })}.`;
  return `An approval at ${formatInstant(at)} did not run, because ${reason}.${earlier} Check it again before you approve it.`;
}
