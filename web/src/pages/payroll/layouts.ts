import { type Handover, type Layout, type PayrollTerms } from '../../api/payroll-queries.js';

interface LayoutTerms {
  readonly label: string;
  /** What a reader of the file has to know. */
  readonly note: string;
  readonly amounts: readonly string[];
  /** The columns that add up to the net payout. */
  readonly net: readonly string[];
  /** The column that names the currency, if the file has one. */
  readonly currency?: string;
}

const gusto = ['commission', 'bonus', 'correction_payment'];
const adp = ['Earnings 3 Amount', 'Earnings 4 Amount', 'Earnings 5 Amount'];

const rippling = ['Commission', 'Bonus', 'Adjustment'];

export const layouts: Readonly<Record<Layout, LayoutTerms>> = {
  gusto: {
    label: 'Gusto',
    note: 'Columns as in Gusto’s own template. Cells without an amount stay blank, because a zero would overwrite what Gusto already has.',
    amounts: gusto,
    net: gusto,
  },
  adp: {
    label: 'ADP',
    note: 'Columns as in ADP’s paydata import. An amount above the limit of one cell continues in a further row of the same person.',
    amounts: adp,
    net: adp,
  },
  rippling: {
    label: 'Rippling',
    note: 'One row for each person, with a column for each earning, which Rippling maps once. Cells without an amount stay blank.',
    amounts: rippling,
    net: rippling,
  },
  workday: {
    label: 'Workday',
    note: 'Columns as in Workday’s payroll input. The rows of a worker share a key, and each kind of earning has its own row.',
    amounts: ['Amount'],
    net: ['Amount'],
    currency: 'Currency',
  },
  long: {
    label: 'Long',
    note: 'One row for each kind of earning and currency, for systems that map the kinds themselves.',
    amounts: ['Amount'],
    net: ['Amount'],
    currency: 'Currency',
  },
  generic: {
    label: 'Generic',
    note: 'One row for each person and currency, with the status of the statement.',
    // With payouts, the column of what is paid has another name.
    amounts: ['Commissions', 'Bonuses', 'Adjustments', 'Net Payout', 'Payable'],
    net: ['Net Payout', 'Payable'],
    currency: 'Currency',
  },
};

export const layoutNames = Object.keys(layouts) as readonly Layout[];

/** The layouts for amounts in as many currencies. Payroll systems come first, except where the file names its currencies. */
export function layoutsFor(currencies: number): readonly Layout[] {
  if (currencies < 2) return layoutNames;
  return layoutNames.filter((name) => layouts[name].currency !== undefined).toSorted((a, b) => order(a) - order(b));
}

function order(layout: Layout): number {
  return ['long', 'workday', 'generic'].indexOf(layout);
}

/** The number of people, and the names of the first of them. */
interface Named {
  readonly count: number;
  readonly people: readonly { readonly name: string }[];
}

interface Facts {
  readonly terms: PayrollTerms;
  readonly currencies: readonly string[];
  /** People with an approved amount and without a payroll id. */
  readonly withoutId: Named;
}

/** Why the service makes no file in a layout. */
export interface Obstacle {
  readonly text: string;
  /** Whether payroll IDs are missing. */
  readonly needsIds: boolean;
}

/** What prevents a file in the layout; null if the service makes it. */
export function findObstacle(layout: Layout, { terms, currencies, withoutId }: Facts): Obstacle | null {
  const { label, currency } = layouts[layout];
  if (currency === undefined && currencies.length > 1)
    return {
      text: `${label} files have one currency, and there are approved amounts in ${currencies.join(', ')}. Choose the layout Long.`,
      needsIds: false,
    };
  if (layout !== 'adp' && layout !== 'workday') return null;
  if (layout === 'adp' && terms.companyCode === undefined)
    return { text: 'ADP needs the company code of the workspace, which an admin sets.', needsIds: false };
  if (withoutId.count === 0) return null;
  return { text: `${label} needs a payroll ID of everyone in the file. ${missingIds(withoutId)}`, needsIds: true };
}

/** Who has no id, such as "Noah Vance and 3 others have none." */
export function missingIds(people: Named): string {
  return `${firstNames(people)} ${people.count === 1 ? 'has' : 'have'} none.`;
}

/** Names of the first people, such as "Noah Vance, Ben Ode, Ida Kern, and 3 others". */
export function firstNames({ people, count }: Named): string {
  const names = people.slice(0, 3).map(({ name }) => name);
  const others = count - names.length;
  const listed = others > 0 ? [...names, `${others} ${others === 1 ? 'other' : 'others'}`] : names;
  return new Intl.ListFormat('en').format(listed);
}

/** The layout of a file, and whether it contains only what earlier files of the period do not. */
export function describeFile({ layout, scope }: Pick<Handover, 'layout' | 'scope'>): string {
  return `${layouts[layout].label}${scope === 'new' ? ', only what was new' : ''}`;
}
