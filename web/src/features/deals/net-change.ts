import { type DealChange } from '../../api/deal-history-query.js';

/**
 * What differs after the changes that the instants follow, from the first to the last one; undefined if nothing does.
 * The history is newest first. Values that were removed and entered again are no difference.
 */
export function netChange(history: readonly DealChange[], first: string, last: string): DealChange | undefined {
  const changes = history.filter(({ at }) => at <= last);
  const [latest] = changes;
  if (latest === undefined || latest.kind === 'deleted') return latest;
  const start = changes.findIndex(({ at }) => at <= first);
  const counted = start === -1 ? changes : changes.slice(0, start + 1);
  const values = new Map<string, DealChange['changes'][number]>();
  for (const change of counted.toReversed().flatMap(({ changes: ofOne }) => ofOne))
    values.set(change.name, { ...change, before: (values.get(change.name) ?? change).before });
  const differing = [...values.values()].filter(
    ({ before, after }) => JSON.stringify(before) !== JSON.stringify(after),
  );
  const kind = counted.some((change) => change.kind === 'created') ? 'created' : latest.kind;
  return kind !== 'created' && differing.length === 0 ? undefined : { ...latest, kind, changes: differing };
}
