import { Decimal } from '../../kernel/decimal.js';
import { grouped, money } from '../../kernel/money-text.js';
import { nameInMail } from '../../platform/mail/mail.js';
import { type PagesOfPerson } from './pages-of-person.js';

const maxListed = 10;

/** The paragraphs of the weekly mail; null if there is nothing to say. */
export function describePages(
  { dashboard, updates, forecast, calendar }: PagesOfPerson,
  since: string,
): string[] | null {
  const { period } = dashboard;
  const earned = [{ currency: dashboard.currency, earnings: dashboard.earnings }, ...dashboard.otherCurrencies].filter(
    ({ earnings }) => earnings.total !== 0,
  );
  const coming = calendar === null || calendar.periods.length === 0 ? expected(forecast) : payPeriods(calendar);
  const tiers = dashboard.attainment.flatMap(nextTier);
  if (earned.length === 0 && updates.count === 0 && coming.length === 0 && tiers.length === 0) return null;
  const sums = earned.map(({ currency, earnings }) => amount(earnings.total, currency)).join(' and ');
  return [
    `Earned in ${period} so far: ${sums === '' ? 'nothing' : sums}.`,
    ...changes(updates, since),
    ...statements(updates),
    ...tiers,
    ...coming,
  ];
}

function amount(value: number, currency: string): string {
  return `${currency} ${money(String(value), currency)}`;
}

function signed(value: number, currency: string): string {
  return `${currency} ${value > 0 ? '+' : ''}${money(String(value), currency)}`;
}

/** The sum of what has changed, then each change with its reason. */
function changes(
  { totals, changes: listed, count, statements: ready, payments }: PagesOfPerson['updates'],
  since: string,
) {
  if (listed.length === 0) return [`Nothing that you earn has changed since ${since}.`];
  const sums = totals.map(({ currency, change }) => signed(change, currency)).join(' and ');
  const rows = listed
    .slice(0, maxListed)
    .map(({ dealId, dealName, ruleNames, reason, currency, change, causeText }) => {
      const what = (dealName === null ? null : nameInMail(dealName)) ?? dealId ?? reason ?? ruleNames.join(', ');
      const rules = dealId === null || ruleNames.length === 0 ? '' : ` (${ruleNames.join(', ')})`;
      return `${signed(change, currency)}: ${what}${rules}${causeText === null ? '' : `. ${causeText}`}.`;
    });
  const more = count - ready.length - payments.length - rows.length;
  return [
    `New since ${since}: ${sums === '' ? 'changes that cancel each other out' : sums}.`,
    ...rows,
    ...(more === 0 ? [] : [`${more} more are on the page.`]),
  ];
}

function statements({ statements: ready, payments }: PagesOfPerson['updates']): string[] {
  return [
    ...ready.map(({ period, status }) =>
      status === 'approved'
        ? `Your statement for ${period} was approved.`
        : `Your statement for ${period} is a draft until it is approved.`,
    ),
    ...payments.map(
      ({ period, currency, amount: paid, paidOn }) => `Paid on ${paidOn}: ${amount(paid, currency)} for ${period}.`,
    ),
  ];
}

function nextTier({ measure, period, nextTier: next }: PagesOfPerson['dashboard']['attainment'][number]): string[] {
  if (next === undefined) return [];
  const threshold = grouped(Decimal.of(next.minThreshold).times(Decimal.of(100)).toString());
  const name = next.name === null ? '' : ` ${next.name}`;
  return [
    `Next tier of ${measure} in ${period}:${name} from ${threshold} %, ${grouped(String(next.remaining))} to go.`,
  ];
}

/** What the next statements pay; later ones and what waits for a day are on the page. */
function payPeriods({ periods }: NonNullable<PagesOfPerson['calendar']>): string[] {
  return periods.flatMap(({ period, amounts }) =>
    amounts.map(({ currency, sure, expected: withDeals }) => {
      const more = withDeals === sure ? '' : `, ${amount(withDeals, currency)} with your open deals`;
      return `The statement of ${period} pays ${amount(sure, currency)}${more}.`;
    }),
  );
}

function expected(forecast: PagesOfPerson['forecast']): string[] {
  if (forecast === null || forecast.deals.length === 0) return [];
  return [forecast, ...forecast.otherCurrencies].map(
    ({ currency, sure, expected: withDeals }) =>
      `Expected for ${forecast.period} with your open deals: ${amount(withDeals, currency)}; ${amount(sure, currency)} if you win none of them.`,
  );
}
