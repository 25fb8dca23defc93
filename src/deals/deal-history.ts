import { type FieldValue } from '../engine/field-value.js';
import { readValue, valueNames } from './corrections.js';
import { type DealContent, type DealTerms, projectDeal } from './deal.js';

/** A state that a deal had, or a report that was older than the deal when it arrived. */
export interface DealVersion extends DealContent {
  readonly at: Date;
  /** The CRM that reported the state; null for files and the API. */
  readonly provider: string | null;
  readonly deleted: boolean;
  /** Who stored the state; null for a sync. */
  readonly by: string | null;
}

interface ChangedValue {
  /** A standard value, `owner`, or `fields.` and the slug. */
  readonly name: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
}

export interface DealHistoryEntry extends Pick<DealVersion, 'at' | 'provider' | 'by'> {
  readonly kind: 'created' | 'changed' | 'deleted' | 'restored';
  readonly changes: readonly ChangedValue[];
}

/** What happened to a deal, newest first, from its versions, oldest first. Versions without a difference are left out. */
export function describeHistory(versions: readonly DealVersion[], terms: DealTerms): readonly DealHistoryEntry[] {
  const states = withoutStale(versions);
  return states
    .map((version, index) => describeVersion(version, states[index - 1], terms))
    .filter(({ kind, changes }) => kind !== 'changed' || changes.length > 0)
    .reverse();
}

/**
 * An older report of a CRM was never the state of the deal. It is stored when it arrives, so it is later than the state
 * that follows it, which it did not replace.
 */
function withoutStale(versions: readonly DealVersion[]): readonly DealVersion[] {
  let next = Number.POSITIVE_INFINITY;
  return versions
    .toReversed()
    .filter(({ at, provider }) => {
      const isStale = provider !== null && at.getTime() > next;
      if (!isStale) next = at.getTime();
      return !isStale;
    })
    .reverse();
}

function describeVersion(version: DealVersion, before: DealVersion | undefined, terms: DealTerms): DealHistoryEntry {
  const { at, provider, by } = version;
  const changes = version.deleted ? [] : listChanges(version, before ?? { fields: {}, given: {} }, terms);
  return { at, provider, by, kind: kindOf(version, before), changes };
}

function kindOf(version: DealVersion, before: DealVersion | undefined): DealHistoryEntry['kind'] {
  if (version.deleted) return before?.deleted === true ? 'changed' : 'deleted';
  if (before === undefined) return 'created';
  return before.deleted ? 'restored' : 'changed';
}

function listChanges(after: DealContent, before: DealContent, terms: DealTerms): readonly ChangedValue[] {
  const [older, newer] = [projectDeal(before, terms), projectDeal(after, terms)];
  const names = new Set([...valueNames(before, terms), ...valueNames(after, terms)]);
  return [...names]
    .map((name) => ({
      name,
      before: readValue(before, older, name),
      after: readValue(after, newer, name),
    }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}
