import {
  type CrmAccount,
  type CrmDeal,
  type CrmDealPage,
  type CrmLine,
  type CrmMember,
  type CrmSplit,
  type CrmValue,
  dealSplits,
} from '../adapters/port.js';
import { type CrmSettings } from './crm-settings.js';

/**
 * Applies the settings of the connection to what the CRM returns. Every read of a sync, a poll and a webhook goes through
 * it, so they have the same result.
 */
export function applySettings(account: CrmAccount, settings: CrmSettings, linked: ReadonlySet<string>): CrmAccount {
  const read = (deal: CrmDeal) => configuredDeal(deal, settings);
  const configured: Pick<CrmAccount, 'listMembers' | 'listDeals' | 'getDeals'> = {
    listMembers: async () => (await account.listMembers()).filter((member) => isImported(member, settings, linked)),
    getDeals: async (ids) => (await account.getDeals(ids)).map(read),
    async *listDeals(options) {
      for await (const page of account.listDeals(options))
        yield { ...page, deals: page.deals.map(read) } satisfies CrmDealPage;
    },
  };
  // The other methods are those of the account, which is an instance of a class.
  return Object.assign(Object.create(account) as CrmAccount, configured);
}

/** People who are reps already stay reps: their names, deals and departures still follow the CRM. */
function isImported(member: CrmMember, { people }: CrmSettings, linked: ReadonlySet<string>): boolean {
  if (people === null || linked.has(member.crmId)) return true;
  const matches = (allowed: readonly string[], own: readonly string[]) => {
    const names = new Set(allowed.map((name) => name.toLowerCase()));
    return own.some((name) => names.has(name.toLowerCase()));
  };
  return (
    matches(people.teams, member.teams ?? []) ||
    matches(people.roles, member.roles ?? []) ||
    matches(people.emails, member.email === null ? [] : [member.email])
  );
}

function configuredDeal(deal: CrmDeal, settings: CrmSettings): CrmDeal {
  if (deal.deleted) return deal;
  const fields: Record<string, CrmValue> = { ...deal.fields };
  for (const [slug, source] of Object.entries(settings.fields)) {
    fields[slug] = deal.fields[source] ?? null;
    const currency = deal.fields[`${source}_currency`];
    if (currency !== undefined) fields[`${slug}_currency`] = currency;
  }
  const { splits, products = [], ...rest } = deal;
  // Without the setting there are no products, also none of an earlier sync.
  const read: CrmDeal = { ...rest, fields, lines: toLines(splits ?? [], settings), products };
  return isExcluded(fields, settings) ? { ...read, deleted: true } : read;
}

type Values = Readonly<Record<string, CrmValue>>;

/** What a change of some fields in the CRM changes here: a slug of the settings follows the field that it names alone. */
export function configuredChange(change: Values, { fields }: CrmSettings): Values {
  const kept = Object.entries(change).filter(([slug]) => !Object.hasOwn(fields, slug));
  const mapped = Object.entries(fields).filter(([, source]) => Object.hasOwn(change, source));
  return Object.fromEntries([...kept, ...mapped.map(([slug, source]) => [slug, change[source] as CrmValue] as const)]);
}

/**
 * Whether the settings exclude the deal after the change. A deleted deal keeps the fields from before it was excluded, so
 * it stays excluded unless the change alone includes it.
 */
export function isExcludedAfter(
  change: Values,
  stored: { readonly fields: Values; readonly deleted: boolean },
  settings: CrmSettings,
): boolean {
  if (!stored.deleted) return isExcluded({ ...stored.fields, ...change }, settings);
  const hasDay = settings.deals.closedFrom === null || Object.hasOwn(change, 'close_date');
  return !hasDay || isExcluded(change, settings);
}

/** What the two usual types of crm-c, and the one type of crm-b, are. */
const usualTypes: SplitTypes = { Revenue: 'split', Overlay: 'overlay', [dealSplits]: 'split' };
type SplitTypes = NonNullable<CrmSettings['credits']>['types'];

/** Splits of other types are no lines. Without the setting there are no lines, also none of an earlier sync. */
function toLines(splits: readonly CrmSplit[], { credits }: CrmSettings): CrmLine[] {
  if (credits === null) return [];
  const types = Object.keys(credits.types).length === 0 ? usualTypes : credits.types;
  return splits.flatMap(({ type, ...split }) => {
    const meaning = Object.hasOwn(types, type) ? types[type] : undefined;
    if (meaning === undefined) return [];
    return [{ ...split, ...(typeof meaning === 'string' ? { kind: meaning, role: null } : meaning) }];
  });
}

/** A deal that the settings exclude counts as deleted: a deal that moves to another pipeline is reversed. */
function isExcluded(fields: Values, { deals }: CrmSettings): boolean {
  const { closedFrom, pipelines } = deals;
  const closeDate = fields['close_date'];
  if (closedFrom !== null && typeof closeDate === 'string' && closeDate < closedFrom) return true;
  const own = [fields['pipeline'], fields['pipeline_label']];
  return pipelines.length > 0 && !own.some((name) => typeof name === 'string' && pipelines.includes(name));
}
