import { causeTexts } from '#src/client.js';
import { type Discrepancy } from '../../api/team-queries.js';
import { formatPeriod } from '../../shared/format/periods.js';

type Cause = Discrepancy['causes'][number];

/** Ends the words of a cause that belongs to an earlier period. */
const ofUndecided = /, of (\S+), which is not decided$/;

/** What happened, and the id of the deal to which it happened; null for none or several. */
export function describeCause({ kind, what }: Pick<Cause, 'kind' | 'what'>): {
  readonly text: string;
  readonly dealId: string | null;
} {
  const period = ofUndecided.exec(what)?.[1];
  const dealId = /^Deal (.+)$/s.exec(what.replace(ofUndecided, ''))?.[1] ?? null;
  const text = (causeTexts as Readonly<Record<string, string>>)[kind] ?? what;
  return { text: period === undefined ? text : `${text}, of ${formatPeriod(period)}, which is not decided`, dealId };
}
