import { addDays, mondayOf } from '#src/client.js';
import { type Workspace } from '../../api/settings-queries.js';
import { formatDay } from '../../shared/format/dates.js';

/** The setting as the form has it, with texts. */
interface EnteredDigest {
  readonly enabled: 'on' | 'off';
  readonly from: string;
  readonly to: string;
}

interface Digest {
  readonly enabled: boolean;
  readonly quietHours: { readonly from: string; readonly to: string } | null;
}

export function toEnteredDigest(digest: Workspace['repDigest']): EnteredDigest {
  const { from, to } =
    digest === undefined ? { from: '20:00', to: '08:00' } : (digest.quietHours ?? { from: '', to: '' });
  return { enabled: digest === undefined ? 'off' : 'on', from, to };
}

/** What is sent; null while the hours are wrong. */
export function readDigest({ enabled, from, to }: EnteredDigest): Digest | null {
  if (enabled === 'off') return { enabled: false, quietHours: null };
  if (from === '' && to === '') return { enabled: true, quietHours: null };
  return from === '' || to === '' || from === to ? null : { enabled: true, quietHours: { from, to } };
}

/** What the setting will do. */
export function describeDigest(
  { enabled, quietHours }: Digest,
  { repDigest: stored, timezone, mail }: Pick<Workspace, 'repDigest' | 'timezone' | 'mail'>,
  today: string,
): string {
  if (!enabled) return 'People get no weekly mail about their pay.';
  const first = stored?.from ?? addDays(mondayOf(today), 7);
  const start = first > today ? `From Monday, ${formatDay(first, 'year')} on, people` : 'People';
  const hours =
    quietHours === null
      ? 'on Mondays'
      : `on Mondays, and never between ${quietHours.from} and ${quietHours.to} in ${timezone}`;
  const server = mail === 'not_set_up' ? ' Nothing is sent before a mail server is set up.' : '';
  return `${start} get one mail a week, ${hours}: what they earn, what has changed and why, the next tier, and what is coming. Each can turn it off for themselves under “Your mails”.${server}`;
}
